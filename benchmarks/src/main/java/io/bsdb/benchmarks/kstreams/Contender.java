package io.bsdb.benchmarks.kstreams;

import io.bsdb.kstreams.SnapshotLookup;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.jspecify.annotations.Nullable;

/** What holds the table that a stream is joined with. */
enum Contender {
  ROCKSDB("GlobalKTable, RocksDB", "-Xmx512m") {
    @Override
    AutoCloseable join(StreamsBuilder builder, Path snapshots, ResultCount results) {
      return joinGlobal(builder, builder.globalTable(BenchTopics.TABLE), results);
    }
  },
  MEMORY("GlobalKTable, in-memory store", "-Xmx6g") {
    @Override
    AutoCloseable join(StreamsBuilder builder, Path snapshots, ResultCount results) {
      Materialized<byte[], byte[], KeyValueStore<Bytes, byte[]>> store =
          Materialized.as(Stores.inMemoryKeyValueStore("table"));
      return joinGlobal(
          builder,
          builder.globalTable(
              BenchTopics.TABLE,
              store.withKeySerde(Serdes.ByteArray()).withValueSerde(Serdes.ByteArray())),
          results);
    }
  },
  BSDB("SnapshotLookup, mapped", "-Xmx512m") {
    @Override
    AutoCloseable join(StreamsBuilder builder, Path snapshots, ResultCount results)
        throws IOException {
      SnapshotLookup<byte[], byte[]> table =
          SnapshotLookup.<byte[], byte[]>builder("table")
              .table(snapshots)
              .serdes(Serdes.ByteArray(), Serdes.ByteArray())
              .build();
      KStream<byte[], byte[]> events = builder.stream(BenchTopics.EVENTS);
      table
          .leftJoin(events, (key, event) -> event, (event, value) -> result(value))
          .foreach((key, value) -> results.add(value));
      return table;
    }
  };

  private static final byte[] ABSENT = {};

  private final String description;
  private final String heap;

  Contender(String description, String heap) {
    this.description = description;
    this.heap = heap;
  }

  String description() {
    return description;
  }

  /** For the virtual machine that it runs in. */
  String heap() {
    return heap;
  }

  /** Adds the join; what is returned is closed after the application. */
  abstract AutoCloseable join(StreamsBuilder builder, Path snapshots, ResultCount results)
      throws IOException;

  private static AutoCloseable joinGlobal(
      StreamsBuilder builder, GlobalKTable<byte[], byte[]> table, ResultCount results) {
    KStream<byte[], byte[]> events = builder.stream(BenchTopics.EVENTS);
    events
        .leftJoin(table, (key, event) -> event, (event, value) -> result(value))
        .foreach((key, value) -> results.add(value));
    return () -> {};
  }

  private static byte[] result(byte @Nullable [] value) {
    return value == null ? ABSENT : value;
  }
}
