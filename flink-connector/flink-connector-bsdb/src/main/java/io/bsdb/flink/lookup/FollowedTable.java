package io.bsdb.flink.lookup;

import io.bsdb.flink.row.SnapshotMapping;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.table.Manifest;
import java.io.Closeable;
import java.io.IOException;
import org.apache.flink.table.api.ValidationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reader that a lookup uses, and the versions that its DDL matches. For one thread, except for
 * {@link #latestFailure}.
 */
final class FollowedTable implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(FollowedTable.class);

  private final LookupSpec spec;
  private final SharedSnapshots.Use use;
  private final TableReader live;

  /**
   * A version that the DDL does not match: a stream that runs is not to fail because somebody
   * published another schema.
   */
  private volatile @Nullable Refused refused;

  private record Refused(String version, ValidationException cause) {}

  private FollowedTable(LookupSpec spec, SharedSnapshots.Use use) {
    this.spec = spec;
    this.use = use;
    this.live = use.live();
  }

  /**
   * Opens the table, or uses the reader that is open.
   *
   * @param share of the keys that will be asked for
   * @throws IOException if it cannot be opened
   */
  static FollowedTable open(LookupSpec spec, KeyShare share) throws IOException {
    try {
      return new FollowedTable(spec, use(spec, share));
    } catch (IOException e) {
      throw new IOException(
          "table %s cannot be opened: path=%s: %s"
              .formatted(spec.table().name(), spec.table().path(), e),
          e);
    }
  }

  /**
   * Rows are shuffled by keys as the DDL orders their columns. A snapshot with another order is
   * opened as a whole.
   */
  private static SharedSnapshots.Use use(LookupSpec spec, KeyShare share) throws IOException {
    SharedSnapshots.Use use = SharedSnapshots.use(spec.table(), spec.settings(), share);
    if (share.equals(KeyShare.ALL)
        || SnapshotMapping.hasDeclaredKeyOrder(spec.table(), use.live().manifest())) {
      return use;
    }
    LOG.warn(
        "Table {} is opened as a whole: its key columns have another order than in the DDL.",
        spec.table().name());
    use.close();
    return SharedSnapshots.use(spec.table(), spec.settings(), KeyShare.ALL);
  }

  TableReader live() {
    return live;
  }

  Loads loads() {
    return use.loads();
  }

  /**
   * The version to begin with. Closes the table if there is none.
   *
   * @throws ValidationException if the DDL does not match it
   */
  VersionLookup first() throws IOException {
    try {
      return lookup(live.lease());
    } catch (IOException | RuntimeException e) {
      try {
        close();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /** What to use after a version that is not current any more; null: still that one. */
  @Nullable VersionLookup successor() throws IOException {
    if (isRefused(live.version())) {
      return null;
    }
    TableReader.Lease lease = live.lease();
    String candidate = lease.version();
    try {
      return lookup(lease);
    } catch (ValidationException e) {
      refused = new Refused(candidate, e);
      LOG.error("Table {} keeps its version for this task.", spec.table().name(), e);
      return null;
    }
  }

  /** Takes over a version, or lets it go if the DDL does not match it. */
  private VersionLookup lookup(TableReader.Lease lease) throws IOException {
    try {
      requireKeyOrder(lease.reader().manifest());
      return VersionLookup.of(lease, spec);
    } catch (RuntimeException | Error e) {
      try (lease) {
        throw e;
      }
    }
  }

  private boolean isRefused(String version) {
    Refused last = refused;
    return last != null && last.version.equals(version);
  }

  /** Why the version in service is not the one that the lookup uses; null if it is. */
  @Nullable Exception latestFailure() {
    Exception failure = live.refreshFailure();
    Refused last = refused;
    return failure == null && last != null && last.version.equals(live.version())
        ? last.cause
        : failure;
  }

  private void requireKeyOrder(Manifest next) {
    if (!use.share().equals(KeyShare.ALL)
        && !SnapshotMapping.hasDeclaredKeyOrder(spec.table(), next)) {
      throw new ValidationException(
          "table %s: version %s has its key columns in another order than the DDL, by which rows are shuffled; restart the job to open the whole table"
              .formatted(spec.table().name(), next.version()));
    }
  }

  @Override
  public void close() throws IOException {
    use.close();
  }
}
