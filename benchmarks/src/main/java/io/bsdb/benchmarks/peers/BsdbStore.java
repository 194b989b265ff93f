package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.DataSet;
import io.bsdb.benchmarks.harness.RecordFile;
import io.bsdb.benchmarks.harness.RecordFile.Receiver;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.live.Durability;
import io.bsdb.live.WritableOptions;
import io.bsdb.live.WritableTable;
import io.bsdb.reader.KeyLookup;
import io.bsdb.reader.KeyRange;
import io.bsdb.reader.KeyValue;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.row.Schema;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** This project: a version of a table, in key order for floors and seeks, or a writable table. */
record BsdbStore(KeyLookup lookup) implements Store {
  static Peer peer(String name, Layout layout, RecordOrder order, ReaderOptions options) {
    boolean isOrdered = order == RecordOrder.KEY;
    return new Peer(
        name,
        "bsdb-" + (isOrdered ? "order-" : "") + layout.label(),
        "layout %s, order %s, signatures %s, block cache of %d MiB; else defaults"
            .formatted(
                layout.label(), order, options.signatures(), options.blockCacheBytes() >> 20),
        isOrdered,
        options.blockCacheBytes(),
        0,
        (records, directory) ->
            build(records, directory, WriterOptions.builder().layout(layout).order(order)),
        (records, directory) -> new BsdbStore(SnapshotReader.open(directory, options)));
  }

  /** Returns a table with a history, for {@link DataSet#HISTORY}: it finds what was valid. */
  static Peer history() {
    return new Peer(
        "history",
        "history",
        "a table with a history; defaults",
        true,
        0,
        0,
        (records, directory) -> build(records, directory, WriterOptions.builder().history(null)),
        (records, directory) -> new BsdbStore(SnapshotReader.open(directory)));
  }

  private static void build(RecordFile records, Path directory, WriterOptions.Builder options)
      throws Exception {
    Schema schema = records.workload().data().schema();
    if (schema != null) {
      options.schema(schema);
    }
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options.build())) {
      records.forEach(writer::add);
      writer.publish();
    }
  }

  /** Returns the default table after a tenth of its records has changed, in so many deltas. */
  static Peer changed(int deltas) {
    String name = "changed-" + deltas;
    Peer base = peer(name, Layout.BLOCKED, RecordOrder.HASH, ReaderOptions.defaults());
    return new Peer(
        name,
        name,
        "%s; a tenth of the records changed, deltas: %d".formatted(base.configuration(), deltas),
        false,
        0,
        0,
        (records, directory) -> {
          base.build().accept(records, directory);
          change(records.workload(), directory, deltas);
        },
        base.open());
  }

  /** Gives records the values that they have already, so that answers can be checked. */
  private static void change(Workload workload, Path directory, int deltas) throws IOException {
    for (int delta = 0; delta < deltas; delta++) {
      try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
        for (long id = delta; id < workload.records(); id += deltas) {
          if (Workload.isChanged(id)) {
            writer.put(workload.key(id), workload.value(id));
          }
        }
        writer.publish();
      }
    }
  }

  static Store openWritable(Path directory, Durability durability, int records) throws IOException {
    WritableOptions options =
        WritableOptions.defaults()
            .withDurability(durability)
            .withCompactionBytesPerSecond(WritableStore.COMPACTION_RATE);
    return new BsdbStore(WritableTable.open(directory, options));
  }

  @Override
  public byte @Nullable [] get(byte[] key) throws IOException {
    return lookup.get(key);
  }

  @Override
  public List<byte @Nullable []> getAll(List<byte[]> keys) throws IOException {
    return lookup.getAll(keys);
  }

  @Override
  public void put(byte[] key, byte[] value) throws IOException {
    ((WritableTable) lookup).put(key, value);
  }

  @Override
  public void floor(byte[] key, Receiver receiver) throws Exception {
    SnapshotReader reader = (SnapshotReader) lookup;
    KeyValue found =
        reader.manifest().validity() == null
            ? reader.ordered().floor(key)
            : reader.ordered().asOf(Arrays.copyOf(key, key.length - Long.BYTES), time(key));
    if (found != null) {
      receiver.accept(found.key(), found.value());
    }
  }

  /** Returns the time at the end of a key: milliseconds, of which the sign is flipped. */
  private static Instant time(byte[] key) {
    long ordered = ByteBuffer.wrap(key).getLong(key.length - Long.BYTES);
    return Instant.ofEpochMilli(ordered ^ Long.MIN_VALUE);
  }

  @Override
  public void seek(byte[] key, int count, Receiver receiver) throws Exception {
    KeyRange range = KeyRange.all().from(key);
    try (RecordCursor cursor = ((SnapshotReader) lookup).ordered().range(range)) {
      for (int i = 0; i < count && cursor.next(); i++) {
        receiver.accept(cursor.key(), cursor.value());
      }
    }
  }

  @Override
  public void close() throws IOException {
    ((Closeable) lookup).close();
  }
}
