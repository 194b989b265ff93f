package io.bsdb.flink.lookup;

import io.bsdb.flink.row.SnapshotMapping;
import io.bsdb.format.Manifest;
import io.bsdb.reader.KeyShare;
import io.bsdb.reader.LiveSnapshot;
import java.io.Closeable;
import java.io.IOException;
import org.apache.flink.table.api.ValidationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The reader that a lookup uses, and the versions that its DDL matches. For one thread. */
final class FollowedTable implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(FollowedTable.class);

  private final LookupSpec spec;
  private final SharedSnapshots.Use use;
  private final LiveSnapshot live;
  private final KeyShare share;

  /**
   * A version that the DDL does not match: a stream that runs is not to fail because somebody
   * published another schema.
   */
  private @Nullable String refused;

  private FollowedTable(LookupSpec spec, SharedSnapshots.Use use, KeyShare share) {
    this.share = share;
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
      return new FollowedTable(spec, use(spec, share), share);
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

  LiveSnapshot live() {
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
      return VersionLookup.of(live, spec);
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
    String candidate = live.version();
    if (candidate.equals(refused)) {
      return null;
    }
    try {
      requireKeyOrder(live.manifest());
      return VersionLookup.of(live, spec);
    } catch (ValidationException e) {
      refused = candidate;
      LOG.error("Table {} keeps its version for this task.", spec.table().name(), e);
      return null;
    }
  }

  private void requireKeyOrder(Manifest next) {
    if (!share.equals(KeyShare.ALL) && !SnapshotMapping.hasDeclaredKeyOrder(spec.table(), next)) {
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
