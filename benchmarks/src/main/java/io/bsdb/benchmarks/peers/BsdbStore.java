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
import io.bsdb.row.KeyWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.RecordOrder;
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
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * This project: a version of a table, in key order for floors and seeks, or a writable table.
 *
 * @param timed the schema, if keys end in a time
 */
record BsdbStore(KeyLookup lookup, @Nullable Schema timed) implements Store {
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
        (records, directory) -> open(records, directory, options));
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
        (records, directory) -> open(records, directory, ReaderOptions.defaults()));
  }

  private static Store open(RecordFile records, Path directory, ReaderOptions options)
      throws IOException {
    DataSet data = records.workload().data();
    Schema timed = data == DataSet.HISTORY ? data.schema() : null;
    return new BsdbStore(SnapshotReader.open(directory, options), timed);
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
          for (int delta = 0; delta < deltas; delta++) {
            int rest = delta;
            LongStream ids = LongStream.range(0, records.count()).filter(Workload::isChanged);
            records.workload().change(directory, ids.filter(id -> id % deltas == rest));
          }
        },
        base.open());
  }

  static Store openWritable(Path directory, Durability durability, int records) throws IOException {
    WritableOptions options =
        WritableOptions.defaults()
            .withDurability(durability)
            .withCompactionBytesPerSecond(WritableStore.COMPACTION_RATE);
    return new BsdbStore(WritableTable.open(directory, options), null);
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

  /** Finds a floor; where keys end in a time, from the columns before it and the time. */
  @Override
  public void floor(byte[] key, Receiver receiver) throws Exception {
    SnapshotReader reader = (SnapshotReader) lookup;
    KeyValue found = timed == null ? reader.ordered().floor(key) : validAt(reader, timed, key);
    if (found != null) {
      receiver.accept(found.key(), found.value());
    }
  }

  private static @Nullable KeyValue validAt(SnapshotReader reader, Schema timed, byte[] key)
      throws IOException {
    int length = key.length - Long.BYTES;
    byte[] prefix = Arrays.copyOf(key, length);
    long milliseconds = ByteBuffer.wrap(key).getLong(length) ^ Long.MIN_VALUE; // to sort
    Instant time = Instant.ofEpochMilli(milliseconds);
    return reader.manifest().validity() != null
        ? reader.ordered().asOf(prefix, time)
        : reader.ordered().floor(KeyWriter.asOf(timed, prefix, time));
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
