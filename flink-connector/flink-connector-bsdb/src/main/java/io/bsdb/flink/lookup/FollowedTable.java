package io.bsdb.flink.lookup;

import io.bsdb.flink.row.SnapshotMapping;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.follow.VersionView;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.RecordOrder;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reader that a lookup uses, and the version in use as the DDL sees it. A version that the DDL
 * does not match is left alone: a stream that runs is not to fail because somebody published
 * another schema. For one thread at a time, except for {@link #latest} and {@link #latestFailure}.
 */
record FollowedTable(LookupSpec spec, SharedSnapshots.Use use, VersionView<VersionLookup> view)
    implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(FollowedTable.class);

  /**
   * Opens the table, or uses the reader that is open.
   *
   * @param share of the keys that will be asked for
   * @throws IOException if it cannot be opened
   * @throws ValidationException if the DDL does not match it
   */
  static FollowedTable open(LookupSpec spec, KeyShare share) throws IOException {
    SharedSnapshots.Use use;
    try {
      use = use(spec, share);
    } catch (IOException e) {
      throw new IOException(
          "table %s cannot be opened: path=%s: %s"
              .formatted(spec.table().name(), spec.table().path(), e),
          e);
    }
    try {
      return new FollowedTable(
          spec, use, use.live().view(reader -> lookup(spec, use.share(), reader)));
    } catch (RuntimeException | Error e) {
      try (use) {
        throw e;
      }
    }
  }

  /**
   * Rows are shuffled by keys as the DDL has them. A snapshot with other keys is opened as a whole,
   * and so is one in key order, whose partitions each have keys of all shares.
   */
  private static SharedSnapshots.Use use(LookupSpec spec, KeyShare share) throws IOException {
    SharedSnapshots.Use use = SharedSnapshots.use(spec.table(), spec.settings(), share);
    Manifest manifest = use.live().manifest();
    if (share.equals(KeyShare.ALL)
        || (manifest.order() == RecordOrder.HASH
            && SnapshotMapping.hasDeclaredKeys(spec.table(), manifest))) {
      return use;
    }
    LOG.warn(
        "Table {} is opened as a whole: {}.",
        spec.table().name(),
        manifest.order() == RecordOrder.KEY
            ? "it is in key order"
            : "the order of its key columns differs from the DDL");
    use.close();
    return SharedSnapshots.use(spec.table(), spec.settings(), KeyShare.ALL);
  }

  private static VersionLookup lookup(LookupSpec spec, KeyShare share, SnapshotReader reader) {
    Manifest manifest = reader.manifest();
    if (!share.equals(KeyShare.ALL)
        && manifest.order() == RecordOrder.HASH
        && !SnapshotMapping.hasDeclaredKeys(spec.table(), manifest)) {
      throw new ValidationException(
          "table %s: the order of the key columns in version %s differs from the DDL, by which rows are shuffled; restart the job to open the whole table"
              .formatted(spec.table().name(), manifest.version()));
    }
    return new VersionLookup(reader, spec);
  }

  TableReader live() {
    return use.live();
  }

  Loads loads() {
    return use.loads();
  }

  /** Returns the version in use, after changing over to it if another one has taken its place. */
  VersionLookup current() {
    return Objects.requireNonNull(view.current(), "a table is opened with a version");
  }

  /** Returns whether a key is of the share that is open. */
  boolean has(byte[] key) {
    KeyShare share = use.share();
    return share.equals(KeyShare.ALL) || KeyShare.indexOf(key, share.count()) == share.index();
  }

  /** Returns the rows with these values. */
  List<RowData> lookup(RowData compared) throws IOException {
    VersionLookup version = current();
    try {
      return version.lookup(compared);
    } catch (IllegalArgumentException e) { // to look at shares before would cost each lookup a hash
      byte[] key = version.key(compared);
      if (key == null || has(key)) {
        throw e;
      }
      return lookupElsewhere(compared, key);
    }
  }

  /**
   * Returns the rows with these values, whose key is of another share. Its partition is opened for
   * that; this is for what Flink kept in a checkpoint, and hands to any task if there are more or
   * fewer of them when it restores it: asynchronous lookups, and rows that an unaligned checkpoint
   * found on their way.
   */
  List<RowData> lookupElsewhere(RowData compared, byte[] key) throws IOException {
    Partitioning partitions = live().manifest().partitioning();
    KeyShare share = new KeyShare(partitions.partition(key), partitions.count());
    try (FollowedTable other = open(spec, share)) {
      return other.current().lookup(compared);
    }
  }

  /** Returns the version that was used last. */
  VersionLookup latest() {
    return Objects.requireNonNull(view.latest(), "a table is opened with a version");
  }

  /** Returns why the version in service is not the one that the lookup uses; null if it is. */
  @Nullable Exception latestFailure() {
    Exception failure = live().refreshFailure();
    return failure == null ? view.refusal() : failure;
  }

  @Override
  public void close() throws IOException {
    try (use) {
      view.close();
    }
  }
}
