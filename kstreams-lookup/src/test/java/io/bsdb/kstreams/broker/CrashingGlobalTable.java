package io.bsdb.kstreams.broker;

import io.bsdb.testkit.ChildProcess;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * The application with a global table in a process of its own, which dies without any clean-up
 * after so many updates of the table.
 */
final class CrashingGlobalTable {
  static final int EXIT_CODE = 42;

  private CrashingGlobalTable() {}

  static Process start(
      Broker broker, String topic, Path base, Path stateDirectory, Path output, int updates)
      throws Exception {
    return ChildProcess.of(
            List.of(),
            List.of("-Xmx256m"),
            CrashingGlobalTable.class,
            broker.bootstrapServers(),
            topic,
            base.toString(),
            stateDirectory.toString(),
            Integer.toString(updates))
        .redirectErrorStream(true)
        .redirectOutput(new File(output.toString()))
        .start();
  }

  public static void main(String[] arguments) throws Exception {
    AtomicInteger left = new AtomicInteger(Integer.parseInt(arguments[4]));
    StringDeserializer texts = new StringDeserializer();
    Deserializer<String> halting =
        (topic, bytes) -> {
          if (left.decrementAndGet() == 0) {
            Runtime.getRuntime().halt(EXIT_CODE);
          }
          return texts.deserialize(topic, bytes);
        };
    try (GlobalTable table =
        new GlobalTable(
            arguments[0],
            arguments[1],
            Path.of(arguments[2]),
            Path.of(arguments[3]),
            "exactly_once_v2",
            halting)) {
      table.streams().start();
      System.out.println("started");
      new CountDownLatch(1).await();
    }
  }
}
