package io.bsdb.flink.scan;

import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.lookup.SharedSnapshots;
import io.bsdb.flink.row.RowDecoder;
import io.bsdb.flink.row.SnapshotMapping;
import io.bsdb.reader.KeyShare;
import io.bsdb.reader.LiveSnapshot;
import io.bsdb.reader.RecordCursor;
import io.bsdb.table.Table;
import io.bsdb.table.TableStorage;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.apache.flink.table.data.RowData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open version of a table, of which partitions are scanned: the whole version of a table that is
 * read in place, and a copy of one partition of any other.
 */
final class ScannedVersion implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ScannedVersion.class);
  private static final String COPY = "scan-";

  /** Longer than it takes to copy a partition; what has been opened is read on when deleted. */
  private static final Duration ABANDONED = Duration.ofDays(1);

  private final Closeable source;
  private final LiveSnapshot.Lease lease;
  private final RowDecoder decoder;
  private final boolean needsKeys;

  private ScannedVersion(Closeable source, LiveSnapshot.Lease lease, RowDecoder decoder) {
    this.source = source;
    this.lease = lease;
    this.decoder = decoder;
    this.needsKeys = decoder.needsKeys();
  }

  /**
   * Opens what a split needs.
   *
   * @param copies where copies may go
   */
  static ScannedVersion open(ScanSpec spec, ScanSplit split, Path copies) throws IOException {
    if (spec.isReadInPlace()) {
      SharedSnapshots.Use use =
          SharedSnapshots.use(
              spec.table(), spec.settings().pinnedTo(split.version()), KeyShare.ALL);
      return of(spec, use, use.live());
    }
    String name = COPY + UUID.randomUUID();
    Path directory = copies.resolve(name);
    TableStorage storage = Table.at(copies).storage();
    deleteAbandoned(storage);
    try {
      LiveSnapshot live = copy(spec, split, directory);
      return of(
          spec,
          () -> {
            live.close();
            storage.delete(name);
          },
          live);
    } catch (IOException | RuntimeException e) {
      try {
        storage.delete(name);
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /** Deletes the copies of processes that were killed. */
  private static void deleteAbandoned(TableStorage storage) {
    Instant limit = Instant.now().minus(ABANDONED);
    try {
      for (String name : storage.list("")) {
        if (name.startsWith(COPY) && storage.lastModified(name).isBefore(limit)) {
          storage.delete(name);
        }
      }
    } catch (IOException e) {
      LOG.warn("Copies that earlier scans left behind cannot be deleted: {}", storage, e);
    }
  }

  /** Of as many shares as there are partitions, each share is a partition. */
  private static LiveSnapshot copy(ScanSpec spec, ScanSplit split, Path directory)
      throws IOException {
    int partitions = spec.table().table().manifest(split.version()).partitions().size();
    ReadSettings settings = spec.settings().pinnedTo(split.version());
    return LiveSnapshot.builder(spec.table().table())
        .localDirectory(directory)
        .maxLocalBytes(settings.maxLocalBytes())
        .options(settings.readerOptions(new KeyShare(split.partition(), partitions)))
        .pin(split.version())
        .open();
  }

  private static ScannedVersion of(ScanSpec spec, Closeable source, LiveSnapshot live)
      throws IOException {
    LiveSnapshot.Lease lease = live.lease();
    try {
      RowDecoder decoder =
          SnapshotMapping.of(spec.table(), lease.reader().manifest())
              .decoder(spec.projection(), lease.reader().manifest());
      return new ScannedVersion(source, lease, decoder);
    } catch (RuntimeException | Error e) {
      try (source;
          lease) {
        throw e;
      }
    }
  }

  RecordCursor scan(int partition) throws IOException {
    return lease.reader().scan(partition);
  }

  RowData decode(RecordCursor cursor) throws IOException {
    return needsKeys
        ? decoder.decode(cursor.key(), cursor.value())
        : decoder.decode(cursor.value());
  }

  @Override
  public void close() throws IOException {
    try {
      lease.close();
    } finally {
      source.close();
    }
  }
}
