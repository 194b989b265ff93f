package io.bsdb.benchmarks.kstreams;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Workload;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;

/**
 * One application in a virtual machine of its own, from its start until it has read all events.
 *
 * @param hits results with a value that there must be
 */
record StreamsRun(
    Contender contender,
    String servers,
    Path state,
    Path snapshots,
    long records,
    long events,
    long hits)
    implements Callable<Map<String, Double>> {
  static final String FIRST_RESULT = "first result, s";
  static final String MICROS = "µs per event";

  private static final int FETCH_MAX_WAIT_MILLIS = 20;
  private static final double MIB = 1 << 20;

  private Properties properties() {
    Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, StreamsBench.APPLICATION);
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
    properties.put(StreamsConfig.STATE_DIR_CONFIG, state.toString());
    // Partitions of a global table are read one after the other; the next one waits for this.
    properties.put(
        StreamsConfig.globalConsumerPrefix(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG),
        FETCH_MAX_WAIT_MILLIS);
    String serde = Serdes.ByteArray().getClass().getName();
    properties.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, serde);
    properties.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, serde);
    return properties;
  }

  /**
   * Returns figures by name: rates are those of the second half of the events; <i>open</i> is what
   * comes before {@code start()}, where the table is opened there; <i>private</i> memory is that at
   * the end, heap and RocksDB's included, and <i>mapped</i> that of mapped files, page cache that
   * others may share; <i>disk</i> has the state, or the snapshot.
   */
  @Override
  public Map<String, Double> call() throws Exception {
    ResultCount results = new ResultCount(new Workload(records), events);
    StreamsBuilder builder = new StreamsBuilder();
    long opened = System.nanoTime();
    try (AutoCloseable table = contender.join(builder, snapshots, results);
        KafkaStreams streams = new KafkaStreams(builder.build(), properties())) {
      streams.setUncaughtExceptionHandler(
          failure -> {
            results.fail(failure);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
          });
      long started = System.nanoTime();
      streams.start();
      results.await();
      if (results.hits() != hits) {
        throw new IllegalStateException(
            "%s: hits: expected=%d actual=%d".formatted(contender, hits, results.hits()));
      }
      Map<String, Double> figures = new LinkedHashMap<>();
      figures.put(MICROS, 1e6 / results.resultsPerSecond());
      figures.put(FIRST_RESULT, (results.firstNanos() - started) / 1e9);
      figures.put("results/s", results.resultsPerSecond());
      figures.put("open, s", (started - opened) / 1e9);
      figures.put("heap, MiB", Runtime.getRuntime().maxMemory() / MIB);
      figures.put("private, MiB", Machine.ownMemory("RssAnon") / MIB);
      figures.put("mapped, MiB", Machine.ownMemory("RssFile") / MIB);
      // The group has to be empty, or its offsets could not be deleted for the next run.
      streams.close(CloseOptions.groupMembershipOperation(GroupMembershipOperation.LEAVE_GROUP));
      Path disk = contender == Contender.BSDB ? snapshots : state;
      figures.put("disk, MiB", Directories.size(disk) / MIB);
      return figures;
    }
  }
}
