package io.bsdb.benchmarks.kstreams;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.kstreams.SnapshotLookup;
import io.bsdb.kstreams.store.SnapshotStores;
import io.bsdb.table.storage.DirectoryTree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.Stores;
import org.jspecify.annotations.Nullable;

/**
 * One application in a virtual machine of its own, from its start until it has read all events.
 *
 * @param directory of the snapshots and the application's state
 */
record StreamsRun(Contender contender, String servers, Path directory, long records, long events)
    implements Callable<Map<String, Double>> {
  private static final double MIB = 1 << 20;

  /** Holds the table that a stream is joined with. */
  enum Contender {
    BSDB("SnapshotLookup, mapped"),
    ROCKSDB("GlobalKTable, RocksDB"),
    MEMORY("GlobalKTable, in-memory store"),
    BASE("GlobalKTable, snapshot as base");

    /** Its name in reports. */
    final String label;

    Contender(String label) {
      this.label = label;
    }

    /** Returns whether it finds its state when it is started again. */
    boolean keepsState() {
      return this == ROCKSDB || this == BASE;
    }

    /** Returns the heap of the process: twice what the records need, so that it is no limit. */
    long heapMebibytes(long records) {
      return 512 + (this == MEMORY ? (512 * records) >> 20 : 0);
    }
  }

  /** Adds the join; what is returned is closed after the application. */
  private AutoCloseable join(StreamsBuilder builder, ResultCount results) throws IOException {
    KStream<byte[], byte[]> events = builder.stream(StreamsBench.EVENTS);
    if (contender == Contender.BSDB) {
      SnapshotLookup<byte[], byte[]> lookup =
          SnapshotLookup.<byte[], byte[]>builder("table")
              .table(snapshots())
              .serdes(Serdes.ByteArray(), Serdes.ByteArray())
              .build();
      lookup.leftJoin(events, (key, event) -> event, results::joined);
      return lookup;
    }
    KeyValueBytesStoreSupplier store =
        switch (contender) {
          case MEMORY -> Stores.inMemoryKeyValueStore("table");
          case BASE -> SnapshotStores.keyValue("table").base(snapshots());
          default -> Stores.persistentTimestampedKeyValueStore("table");
        };
    GlobalKTable<byte[], byte[]> table =
        builder.globalTable(StreamsBench.TABLE, Materialized.as(store));
    events.leftJoin(table, (key, event) -> event, results::joined);
    return () -> {};
  }

  private Path snapshots() {
    return directory.resolve("snapshots");
  }

  private Path state() {
    return directory.resolve("state");
  }

  private Properties properties() {
    Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, StreamsBench.APPLICATION);
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
    properties.put(StreamsConfig.STATE_DIR_CONFIG, state().toString());
    // Partitions of a global table are read one after the other; the next one waits for this.
    properties.put(StreamsConfig.globalConsumerPrefix(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG), 20);
    Class<?> serde = Serdes.ByteArray().getClass();
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
    ResultCount results = new ResultCount();
    StreamsBuilder builder = new StreamsBuilder();
    long opened = System.nanoTime();
    try (AutoCloseable table = join(builder, results);
        KafkaStreams streams = new KafkaStreams(builder.build(), properties())) {
      streams.setUncaughtExceptionHandler(
          failure -> {
            results.last.completeExceptionally(failure);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
          });
      long started = System.nanoTime();
      streams.start();
      results.last.get();
      long hits = events - (events + StreamsBench.ABSENT_EVERY - 1) / StreamsBench.ABSENT_EVERY;
      if (results.hits != hits) {
        throw new IllegalStateException(
            "%s: hits: expected=%d actual=%d".formatted(contender, hits, results.hits));
      }
      Map<String, Double> figures = new LinkedHashMap<>();
      figures.put("first result, s", (results.first - started) / 1e9);
      figures.put("results/s", results.resultsPerSecond());
      figures.put("open, s", (started - opened) / 1e9);
      figures.put("heap, MiB", Runtime.getRuntime().maxMemory() / MIB);
      figures.put("private, MiB", Machine.ownMemory("RssAnon") / MIB);
      figures.put("mapped, MiB", Machine.ownMemory("RssFile") / MIB);
      // The group has to be empty, or its offsets could not be deleted for the next run.
      streams.close(CloseOptions.groupMembershipOperation(GroupMembershipOperation.LEAVE_GROUP));
      Path disk = contender == Contender.BSDB ? snapshots() : state();
      figures.put("disk, MiB", DirectoryTree.length(disk) / MIB);
      return figures;
    }
  }

  /** Checks and counts what a topology with one thread joins, and notes when. */
  private final class ResultCount {
    /** To make the right value takes longer than to look it up. */
    private static final int COMPARED_EVERY = 16;

    private final Workload workload = new Workload(records);
    private long results;
    private long hits;

    /** Times at which the first result and half of them have come. */
    private long first;

    private long middle;

    /** The time at which all have come; then all else can be read. */
    private final CompletableFuture<Long> last = new CompletableFuture<>();

    /**
     * Counts a value of the table, and returns it. Called by one thread.
     *
     * @throws IllegalStateException if it is not the value of the key; one of 16 is compared in
     *     full
     */
    byte @Nullable [] joined(byte[] key, byte @Nullable [] value) {
      if (value != null
          && (value.length != Workload.VALUE_LENGTH
              || (results % COMPARED_EVERY == 0 && !workload.isValueOf(key, value)))) {
        throw new IllegalStateException("wrong answer: key=" + new String(key, US_ASCII));
      }
      hits += value == null ? 0 : 1;
      if (++results == 1) {
        first = System.nanoTime();
      }
      if (results == events / 2) {
        middle = System.nanoTime();
      }
      if (results == events) {
        last.complete(System.nanoTime());
      }
      return value;
    }

    /** Returns the rate of the second half: the first one warms up. */
    double resultsPerSecond() {
      return (events - events / 2) * 1e9 / (last.join() - middle);
    }
  }
}
