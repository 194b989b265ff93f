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
  BSDB("SnapshotLookup, mapped", "defaults"),
  ROCKSDB("GlobalKTable, RocksDB", "RocksDB as Kafka Streams sets it up, without changes"),
  MEMORY("GlobalKTable, in-memory store", "Stores.inMemoryKeyValueStore"),
  BASE("GlobalKTable, snapshot as base", "SnapshotStores, on the base's file system");

  private final String description;
  private final String table;

  Contender(String description, String table) {
    this.description = description;
    this.table = table;
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
    return 512 + (this == MEMORY ? (512 * records) >> 20 : 0);
  }

  /** Adds the join; what is returned is closed after the application. */
  AutoCloseable join(StreamsBuilder builder, Path snapshots, ResultCount results)
      throws IOException {
    KStream<byte[], byte[]> events = builder.stream(StreamsBench.EVENTS);
    if (this == BSDB) {
      SnapshotLookup<byte[], byte[]> lookup =
          SnapshotLookup.<byte[], byte[]>builder("table")
              .table(snapshots)
              .serdes(Serdes.ByteArray(), Serdes.ByteArray())
              .build();
      lookup
          .leftJoin(events, (key, event) -> event, results::joined)
          .foreach((key, value) -> results.add(value));
      return lookup;
    }
    GlobalKTable<byte[], byte[]> global =
        switch (this) {
          case MEMORY -> table(builder, Stores.inMemoryKeyValueStore("table"));
          case BASE -> table(builder, SnapshotStores.keyValue("table").base(snapshots));
          default -> builder.globalTable(StreamsBench.TABLE);
        };
    events
        .leftJoin(global, (key, event) -> event, results::joined)
        .foreach((key, value) -> results.add(value));
    return () -> {};
  }

  private static GlobalKTable<byte[], byte[]> table(
      StreamsBuilder builder, KeyValueBytesStoreSupplier store) {
    Materialized<byte[], byte[], KeyValueStore<Bytes, byte[]>> table = Materialized.as(store);
    return builder.globalTable(
        StreamsBench.TABLE,
        table.withKeySerde(Serdes.ByteArray()).withValueSerde(Serdes.ByteArray()));
  }
}
