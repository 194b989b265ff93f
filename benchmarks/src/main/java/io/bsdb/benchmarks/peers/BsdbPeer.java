package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.Records;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * This project.
 *
 * @param settings in words
 */
record BsdbPeer(
    String name, Layout layout, RecordOrder order, String settings, ReaderOptions options)
    implements Peer {
  BsdbPeer(String name, Layout layout) {
    this(name, layout, RecordOrder.HASH, "", ReaderOptions.defaults());
  }

  @Override
  public String configuration() {
    return "layout %s, order by %s%s; else defaults"
        .formatted(layout.label(), order.name().toLowerCase(Locale.ROOT), settings);
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
  public long nativeBytes(long fileBytes) {
    return options.blockCacheBytes() + (options.access() == Access.RESIDENT ? fileBytes : 0);
  }

  @Override
  public void build(Records records, Path directory) throws Exception {
    WriterOptions.Builder options = WriterOptions.builder().layout(layout).order(order);
    Schema schema = records.schema();
    if (schema != null) {
      options.schema(schema);
    }
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options.build())) {
      records.forEach(writer::add);
      writer.publish();
    }
  }

  @Override
  public Store open(Records records, Path directory) throws IOException {
    return new BsdbStore(SnapshotReader.open(directory, options));
  }
}
