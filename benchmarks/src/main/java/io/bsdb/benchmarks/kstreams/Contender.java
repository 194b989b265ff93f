package io.bsdb.benchmarks.kstreams;

import io.bsdb.kstreams.SnapshotLookup;
import io.bsdb.kstreams.store.SnapshotStores;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** Store that holds the table a stream is joined with. */
enum Contender {
  BSDB("SnapshotLookup, mapped", "defaults", 0) {
    @Override
    AutoCloseable join(StreamsBuilder builder, Path snapshots, ResultCount results)
        throws IOException {
      SnapshotLookup<byte[], byte[]> table =
          SnapshotLookup.<byte[], byte[]>builder("table")
              .table(snapshots)
              .serdes(Serdes.ByteArray(), Serdes.ByteArray())
              .build();
      KStream<byte[], byte[]> events = builder.stream(StreamsBench.EVENTS);
      table
          .leftJoin(events, (key, event) -> event, results::joined)
          .foreach((key, value) -> results.add(value));
      return table;
    }
  },
  ROCKSDB("GlobalKTable, RocksDB", "RocksDB as Kafka Streams sets it up, without changes", 0) {
    @Override
    AutoCloseable join(StreamsBuilder builder, Path snapshots, ResultCount results) {
      return joinGlobal(builder, builder.globalTable(StreamsBench.TABLE), results);
    }
  },
  MEMORY("GlobalKTable, in-memory store", "Stores.inMemoryKeyValueStore", 512) {
    @Override
    AutoCloseable join(StreamsBuilder builder, Path snapshots, ResultCount results) {
      return joinStore(builder, Stores.inMemoryKeyValueStore("table"), results);
    }
  },
  BASE("GlobalKTable, snapshot as base", "SnapshotStores, on the base's file system", 0) {
    @Override
    AutoCloseable join(StreamsBuilder builder, Path snapshots, ResultCount results) {
      return joinStore(builder, SnapshotStores.keyValue("table").base(snapshots), results);
    }
  };

  private final String description;
  private final String table;
  private final long heapBytesPerRecord;

  Contender(String description, String table, long heapBytesPerRecord) {
    this.description = description;
    this.table = table;
    this.heapBytesPerRecord = heapBytesPerRecord;
  }

  /** Returns its name in reports. */
  String description() {
    return description;
  }

  /** Returns whether it finds its state when it is started again. */
  boolean keepsState() {
    return this == ROCKSDB || this == BASE;
  }

  /** Says what was set. */
  String configuration(long records) {
    return "%s; one stream thread, heap of %d MiB".formatted(table, heapMebibytes(records));
  }

  /** Returns the heap of the process: twice what the records need, so that it is no limit. */
  long heapMebibytes(long records) {
    return 512 + ((heapBytesPerRecord * records) >> 20);
  }

  /** Adds the join; what is returned is closed after the application. */
  abstract AutoCloseable join(StreamsBuilder builder, Path snapshots, ResultCount results)
      throws IOException;

  private static AutoCloseable joinStore(
      StreamsBuilder builder, KeyValueBytesStoreSupplier store, ResultCount results) {
    Materialized<byte[], byte[], KeyValueStore<Bytes, byte[]>> table = Materialized.as(store);
    return joinGlobal(
        builder,
        builder.globalTable(
            StreamsBench.TABLE,
            table.withKeySerde(Serdes.ByteArray()).withValueSerde(Serdes.ByteArray())),
        results);
  }

  private static AutoCloseable joinGlobal(
      StreamsBuilder builder, GlobalKTable<byte[], byte[]> table, ResultCount results) {
    KStream<byte[], byte[]> events = builder.stream(StreamsBench.EVENTS);
    events
        .leftJoin(table, (key, event) -> event, results::joined)
        .foreach((key, value) -> results.add(value));
    return () -> {};
  }
}
