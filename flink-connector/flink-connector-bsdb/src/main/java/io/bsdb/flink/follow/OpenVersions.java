package io.bsdb.flink.follow;

import io.bsdb.flink.lookup.SharedSnapshots;
import io.bsdb.flink.row.RowDecoder;
import io.bsdb.flink.row.SnapshotMapping;
import io.bsdb.flink.scan.PartitionRows;
import io.bsdb.flink.scan.ScanSpec;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.diff.SnapshotDiff;
import io.bsdb.reader.diff.VersionGoneException;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.table.manifest.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.api.ValidationException;
import org.jspecify.annotations.Nullable;

/**
 * The versions that the slices of a reader need: each is open as long as one of them does, though
 * it be deleted meanwhile. Used by one thread, except for {@link #newest}.
 */
final class OpenVersions implements Closeable {
  private final ScanSpec spec;
  private final Map<String, Version> open = new HashMap<>();
  private volatile SharedSnapshots.@Nullable Use following;

  OpenVersions(ScanSpec spec) {
    this.spec = spec;
  }

  /** An open version. Each user closes it once. */
  final class Version implements Closeable {
    private final TableReader.Lease lease;

    /** Holds a version that is not in service; else null. */
    private final SharedSnapshots.@Nullable Use pinned;

    private final RowDecoder decoder;
    private final RowDecoder.Rows rows;
    private int users;

    Version(TableReader.Lease lease, SharedSnapshots.@Nullable Use pinned) {
      this.lease = lease;
      this.pinned = pinned;
      this.decoder =
          mapping(spec, lease.reader().manifest())
              .decoder(spec.projection(), lease.reader().manifest());
      this.rows = decoder.rows();
    }

    String name() {
      return reader().manifest().version();
    }

    SnapshotReader reader() {
      return lease.reader();
    }

    /** Returns all rows of a partition. */
    PartitionRows scan(int partition) throws IOException {
      return new PartitionRows(spec, decoder.selecting(reader()).scan(partition), decoder);
    }

    /** Returns what makes the row with a key. */
    RowDecoder.Rows rows(byte[] key) {
      return rows.of(key);
    }

    @Override
    public void close() throws IOException {
      users--;
      if (users == 0) {
        open.remove(name());
        OpenVersions.close(lease, pinned);
      }
    }
  }

  /**
   * Finds the columns of the DDL in a version.
   *
   * @throws ValidationException if it does not match, or has rows that end: these are no rows of
   *     the table, and a comparison would give them
   */
  static SnapshotMapping mapping(ScanSpec spec, Manifest manifest) {
    if (manifest.validity() != null) {
      throw new ValidationException(
          "version %s of table %s keeps a history, which cannot be followed; read a version of it, or follow what it is written from"
              .formatted(manifest.version(), spec.table().name()));
    }
    return SnapshotMapping.of(spec.table(), manifest);
  }

  private static void close(TableReader.Lease lease, SharedSnapshots.@Nullable Use pinned)
      throws IOException {
    try (pinned) {
      lease.close();
    }
  }

  /** Returns the reader of the newest version, for any thread; null before it is open. */
  @Nullable TableReader newest() {
    SharedSnapshots.Use use = following;
    return use == null ? null : use.live();
  }

  private TableReader following() throws IOException {
    SharedSnapshots.Use use = following;
    if (use == null) {
      use = SharedSnapshots.use(spec.table(), spec.settings(), KeyShare.ALL);
      following = use;
    }
    return use.live();
  }

  /**
   * Returns the version to read after another one; null if there is none yet. The reader that the
   * process shares may lag behind what was read elsewhere before: an older version comes next only
   * if the table was rolled back to it.
   */
  @Nullable String after(String version) throws IOException {
    String opened = following().version();
    boolean isNext =
        opened.compareTo(version) > 0
            || (!opened.equals(version) && opened.equals(spec.table().table().currentVersion()));
    return isNext ? opened : null;
  }

  /**
   * Opens a version. One that has been deleted, or does not match the DDL, ends the job for good.
   */
  Version use(String name) throws IOException {
    Version version = open.get(name);
    if (version == null) {
      version = open(name);
      open.put(name, version);
    }
    version.users++;
    return version;
  }

  private Version open(String name) throws IOException {
    TableReader.Lease lease = following().lease();
    if (lease.reader().manifest().version().equals(name)) {
      return version(lease, null);
    }
    lease.close();
    try {
      SnapshotDiff.requireVersion(spec.table().table(), name);
    } catch (VersionGoneException e) {
      throw new SuppressRestartsException(
          new ValidationException(
              "table %s cannot be followed any more: %s"
                  .formatted(spec.table().name(), e.getReason()),
              e));
    }
    SharedSnapshots.Use pinned =
        SharedSnapshots.use(spec.table(), spec.settings().pinnedTo(name), KeyShare.ALL);
    return version(pinned.live().lease(), pinned);
  }

  /** Takes over what is open. */
  private Version version(TableReader.Lease lease, SharedSnapshots.@Nullable Use pinned)
      throws IOException {
    try {
      return new Version(lease, pinned);
    } catch (RuntimeException | Error e) {
      try (pinned;
          lease) {
        if (e instanceof ValidationException) {
          throw new SuppressRestartsException(e);
        }
        throw e;
      }
    }
  }

  /** Returns the name of the table. */
  String table() {
    return spec.table().name();
  }

  @Override
  public void close() throws IOException {
    SharedSnapshots.Use use = following;
    if (use != null) {
      use.close();
    }
  }
}
