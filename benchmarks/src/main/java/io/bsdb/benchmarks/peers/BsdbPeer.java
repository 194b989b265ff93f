package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.RecordFile;
import io.bsdb.benchmarks.harness.RecordFile.Receiver;
import io.bsdb.reader.KeyRange;
import io.bsdb.reader.KeyValue;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** This project. */
record BsdbPeer(String name, Layout layout, RecordOrder order, ReaderOptions options)
    implements Peer {
  BsdbPeer(String name, Layout layout, ReaderOptions options) {
    this(name, layout, RecordOrder.HASH, options);
  }

  @Override
  public String configuration() {
    return "layout %s, order %s, signatures %s, block cache of %d MiB; else defaults"
        .formatted(layout.label(), order, options.signatures(), options.blockCacheBytes() >> 20);
  }

  @Override
  public String files() {
    return "bsdb-" + (isOrdered() ? "order-" : "") + layout.label();
  }

  @Override
  public boolean isOrdered() {
    return order == RecordOrder.KEY;
  }

  @Override
  public long cacheBytes() {
    return options.blockCacheBytes();
  }

  @Override
  public void build(RecordFile records, Path directory) throws Exception {
    WriterOptions.Builder options = WriterOptions.builder().layout(layout).order(order);
    Schema schema = records.workload().data().schema();
    if (schema != null) {
      options.schema(schema);
    }
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options.build())) {
      records.forEach(writer::add);
      writer.publish();
    }
  }

  @Override
  public Store open(RecordFile records, Path directory) throws IOException {
    return new Open(SnapshotReader.open(directory, options));
  }

  /** A version of a table; floors and seeks are for tables in key order. */
  private record Open(SnapshotReader reader) implements Store {
    @Override
    public byte @Nullable [] get(byte[] key) throws IOException {
      return reader.get(key);
    }

    @Override
    public List<byte @Nullable []> getAll(List<byte[]> keys) throws IOException {
      return reader.getAll(keys);
    }

    @Override
    public void floor(byte[] key, Receiver receiver) throws Exception {
      KeyValue found = reader.ordered().floor(key);
      if (found != null) {
        receiver.accept(found.key(), found.value());
      }
    }

    @Override
    public void seek(byte[] key, int count, Receiver receiver) throws Exception {
      try (RecordCursor cursor = reader.ordered().range(KeyRange.all().from(key))) {
        for (int i = 0; i < count && cursor.next(); i++) {
          receiver.accept(cursor.key(), cursor.value());
        }
      }
    }

    @Override
    public void close() throws IOException {
      reader.close();
    }
  }
}
