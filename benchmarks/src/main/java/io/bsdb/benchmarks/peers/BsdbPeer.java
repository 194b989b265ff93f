package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.Records;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.SignatureUse;
import io.bsdb.row.Schema;
import io.bsdb.writer.Layout;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * This project.
 *
 * @param cacheBytes of the block cache; 0 for none
 * @param signatures whether they are compared before records are looked for
 */
public record BsdbPeer(
    String name, Layout layout, Access access, long cacheBytes, SignatureUse signatures)
    implements Peer {
  BsdbPeer(String name, Layout layout, Access access, long cacheBytes) {
    this(name, layout, access, cacheBytes, SignatureUse.AUTO);
  }

  @Override
  public String configuration() {
    return "layout %s, access %s, %s%s; else defaults"
        .formatted(
            layout.label(),
            access.name().toLowerCase(Locale.ROOT),
            cacheBytes == 0 ? "no cache" : "block cache " + (cacheBytes >> 20) + " MiB",
            signatures == SignatureUse.AUTO ? "" : ", signatures always compared");
  }

  @Override
  public String files() {
    return "bsdb-" + layout.label();
  }

  @Override
  public long nativeBytes(long fileBytes) {
    return cacheBytes + (access == Access.RESIDENT ? fileBytes : 0);
  }

  @Override
  public void build(Records records, Path directory) throws IOException {
    WriterOptions.Builder options = WriterOptions.builder().layout(layout);
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
    ReaderOptions options =
        ReaderOptions.builder()
            .access(access)
            .blockCacheBytes(cacheBytes)
            .signatures(signatures)
            .build();
    return new BsdbStore(SnapshotReader.open(directory, options));
  }
}
