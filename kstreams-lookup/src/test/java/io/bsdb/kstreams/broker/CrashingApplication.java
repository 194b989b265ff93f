package io.bsdb.kstreams.broker;

import io.bsdb.kstreams.SnapshotLookup;
import io.bsdb.testkit.ChildProcess;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;

/**
 * The application in a process of its own, which dies without any clean-up in the middle of a
 * transaction.
 */
final class CrashingApplication {
  static final int EXIT_CODE = 42;

  private CrashingApplication() {}

  /** Starts the process. It ends by itself after so many results. */
  static Process start(
      String bootstrapServers, TopicNames names, Path table, Path stateDirectory, int results)
      throws Exception {
    return ChildProcess.of(
            List.of(),
            List.of("-Xmx256m"),
            CrashingApplication.class,
            bootstrapServers,
            names.application(),
            table.toString(),
            stateDirectory.toString(),
            Integer.toString(results))
        .redirectErrorStream(true)
        .redirectOutput(new File(stateDirectory.toFile(), "output"))
        .start();
  }

  public static void main(String[] arguments) throws Exception {
    TopicNames names = new TopicNames(arguments[1]);
    AtomicInteger left = new AtomicInteger(Integer.parseInt(arguments[4]));
    try (var customers =
            SnapshotLookup.<String, String>builder("customers")
                .table(Path.of(arguments[2]))
                .serdes(Serdes.String(), Serdes.String())
                .versionHeader(Enrichment.VERSION_HEADER)
                .build();
        KafkaStreams streams =
            Enrichment.streams(
                Enrichment.topology(
                    customers,
                    names,
                    (key, value) -> {
                      if (left.decrementAndGet() == 0) {
                        Runtime.getRuntime().halt(EXIT_CODE);
                      }
                    }),
                arguments[0],
                names,
                Path.of(arguments[3]),
                Map.of())) {
      streams.start();
      new CountDownLatch(1).await();
    }
  }
}
