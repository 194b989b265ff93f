package io.bsdb.flink.scan;

import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.lookup.SharedSnapshots;
import io.bsdb.flink.row.RowDecoder;
import io.bsdb.flink.row.SnapshotMapping;
import io.bsdb.format.io.Closing;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.storage.TableStorage;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open version of a table whose partitions are read: the whole version of a table that is
 * scanned in place, or in key order; one partition if it is read by key; and a copy of one
 * partition of any other.
 */
final class ScannedVersion implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ScannedVersion.class);
  private static final String COPY = "scan-";

  /** Longer than it takes to copy a partition; what has been opened is read on when deleted. */
  private static final Duration ABANDONED = Duration.ofDays(1);

  private final ScanSpec spec;
  private final Closeable source;
  private final TableReader.Lease lease;
  private final SnapshotMapping mapping;
  private final RowDecoder decoder;

  private ScannedVersion(
      ScanSpec spec, Closeable source, TableReader.Lease lease, SnapshotMapping mapping) {
    this.spec = spec;
    this.source = source;
    this.lease = lease;
    this.mapping = mapping;
    this.decoder = mapping.decoder(spec.projection(), lease.reader().manifest());
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
              spec.table(), spec.settings().pinnedTo(split.version()), share(spec, split));
      return of(spec, use, use.live());
    }
    String name = COPY + UUID.randomUUID();
    Path directory = copies.resolve(name);
    TableStorage storage = Table.at(copies).storage();
    deleteAbandoned(storage);
    try {
      TableReader live = copy(spec, split, directory);
      return of(
          spec,
          () -> {
            live.close();
            storage.delete(name);
          },
          live);
    } catch (IOException | RuntimeException e) {
      Closing.after(e, () -> storage.delete(name));
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

  /**
   * Returns the share to open: all, or one partition: of as many shares as there are partitions,
   * each is a partition.
   */
  private static KeyShare share(ScanSpec spec, ScanSplit split) throws IOException {
    Manifest manifest = spec.table().table().manifest(split.version());
    return spec.isOpenedWhole(manifest)
        ? KeyShare.ALL
        : new KeyShare(split.partition(), manifest.partitions().size());
  }

  /** Returns whether the splits of this version need no other opening of it. */
  boolean isWhole() {
    return spec.isOpenedWhole(lease.reader().manifest());
  }

  private static TableReader copy(ScanSpec spec, ScanSplit split, Path directory)
      throws IOException {
    ReadSettings settings = spec.settings().pinnedTo(split.version());
    return TableReader.builder(spec.table().table())
        .localDirectory(directory)
        .maxLocalBytes(settings.maxLocalBytes())
        .options(settings.readerOptions(share(spec, split)))
        .pin(split.version())
        .open();
  }

  private static ScannedVersion of(ScanSpec spec, Closeable source, TableReader live)
      throws IOException {
    TableReader.Lease lease = live.lease();
    try {
      SnapshotMapping mapping = SnapshotMapping.of(spec.table(), lease.reader().manifest());
      return new ScannedVersion(spec, source, lease, mapping);
    } catch (RuntimeException | Error e) {
      try (source;
          lease) {
        throw e;
      }
    }
  }

  /** Returns the rows of a split. */
  SplitRows rows(int partition) throws IOException {
    SnapshotReader reader = lease.reader();
    if (spec.extent() instanceof Extent.RowsOfKeys rows) {
      Partitioning partitioning = reader.manifest().partitioning();
      return new RowsByKey(
          decoder.selecting(reader),
          decoder,
          mapping.storedKeys(rows.keys()).stream()
              .filter(key -> partitioning.partition(key) == partition)
              .toList());
    }
    if (spec.extent() instanceof Extent.RowCount count) {
      return SplitRows.ofCount(count(reader, partition), count.columns());
    }
    RangeOfKeys range = RangeOfKeys.of(spec, reader.manifest());
    return new PartitionRows(
        spec,
        range == null
            ? decoder.selecting(reader).scan(partition)
            : reader.ordered().range(range.within(partition)),
        decoder);
  }

  private static long count(SnapshotReader reader, int partition) throws IOException {
    long count = 0;
    try (RecordCursor cursor = reader.scan(partition)) {
      while (cursor.next()) {
        count++;
      }
    }
    return count;
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
