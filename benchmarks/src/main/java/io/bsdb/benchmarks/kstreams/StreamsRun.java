package io.bsdb.benchmarks.kstreams;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Workload;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;

/** One application in a virtual machine of its own, from its start until it has read all events. */
final class StreamsRun {
  private static final int FETCH_MAX_WAIT_MILLIS = 20;

  private StreamsRun() {}

  /**
   * Figures of one run.
   *
   * @param openSeconds before {@code start()}: opening the table, where it is opened there
   * @param firstResultSeconds from {@code start()} to the first result
   * @param resultsPerSecond of the second half of the events
   * @param hits results with a value
   * @param maxHeapBytes that the virtual machine was given
   * @param privateBytes of memory at the end, heap and RocksDB's included
   * @param fileBytes of mapped files in memory at the end: page cache that others may share
   * @param diskBytes of state, or of the snapshot
   */
  record Outcome(
      double openSeconds,
      double firstResultSeconds,
      double resultsPerSecond,
      long hits,
      long maxHeapBytes,
      long privateBytes,
      long fileBytes,
      long diskBytes) {}

  /**
   * Arguments: contender, bootstrap servers, directory of state, directory of snapshots, numbers of
   * records and of events, file for the answer.
   */
  public static void main(String[] arguments) throws Exception {
    Contender contender = Contender.valueOf(arguments[0]);
    Path state = Path.of(arguments[2]);
    Path snapshots = Path.of(arguments[3]);
    Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, StreamsBench.APPLICATION);
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[1]);
    properties.put(StreamsConfig.STATE_DIR_CONFIG, state.toString());
    // Partitions of a global table are read one after the other; the next one waits for this.
    properties.put(
        StreamsConfig.globalConsumerPrefix(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG),
        FETCH_MAX_WAIT_MILLIS);
    properties.put(
        StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.ByteArray().getClass().getName());
    properties.put(
        StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.ByteArray().getClass().getName());
    ResultCount results =
        new ResultCount(new Workload(Long.parseLong(arguments[4])), Long.parseLong(arguments[5]));

    StreamsBuilder builder = new StreamsBuilder();
    long opened = System.nanoTime();
    try (AutoCloseable table = contender.join(builder, snapshots, results);
        KafkaStreams streams = new KafkaStreams(builder.build(), properties)) {
      streams.setUncaughtExceptionHandler(
          failure -> {
            results.fail(failure);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
          });
      long started = System.nanoTime();
      streams.start();
      results.await();
      long privateBytes = Machine.ownMemory("RssAnon");
      long fileBytes = Machine.ownMemory("RssFile");
      // The group has to be empty, or its offsets could not be deleted for the next run.
      streams.close(CloseOptions.groupMembershipOperation(GroupMembershipOperation.LEAVE_GROUP));
      Outcome outcome =
          new Outcome(
              (started - opened) / 1e9,
              (results.firstNanos() - started) / 1e9,
              results.resultsPerSecond(),
              results.hits(),
              Runtime.getRuntime().maxMemory(),
              privateBytes,
              fileBytes,
              Directories.size(contender == Contender.BSDB ? snapshots : state));
      JavaProcess.answer(arguments, outcome);
    }
  }
}
