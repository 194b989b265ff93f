package io.bsdb.http.table;

import io.bsdb.http.exchange.Problem;
import io.bsdb.http.wire.Limits;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.io.Closing;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Versions that are not in service and yet asked for. Few are open at once; one that no request
 * holds makes room for another. Safe for use by many threads.
 */
public final class PinnedVersions implements Closeable {
  private static final double NANOS_PER_MINUTE = 60e9;

  private final int most;
  private final int perMinute;
  private final LongSupplier clock;

  /** In LRU order. */
  private final List<Open> open = new ArrayList<>();

  private double allowance;
  private long allowanceAt;
  private boolean closed;

  public PinnedVersions(Limits limits, LongSupplier nanoClock) {
    this.most = limits.pinnedVersions();
    this.perMinute = limits.pinsPerMinute();
    this.clock = nanoClock;
    this.allowance = perMinute;
    this.allowanceAt = nanoClock.getAsLong();
  }

  private static final class Open {
    final ServedTable table;
    final VersionRows rows;
    final SnapshotReader reader;
    int users;

    Open(ServedTable table, SnapshotReader reader) {
      this.table = table;
      this.rows = new VersionRows(reader.manifest());
      this.reader = reader;
    }
  }

  /**
   * Holds a version of a table, opened unless it is.
   *
   * @throws Problem if there is no such version, or no room for it
   */
  public synchronized Held hold(ServedTable table, String version) throws IOException {
    ServedTable.requireVersion(version);
    Held inUse = table.hold();
    try {
      if (inUse.version().equals(version)) {
        return new Held(inUse.rows(), inUse.reader(), true, inUse.release());
      }
      Open found = find(table, version);
      if (found == null) {
        found = open(table, version, inUse.reader());
      }
      inUse.close();
      return hold(found);
    } catch (IOException | RuntimeException | Error e) {
      inUse.close();
      throw e;
    }
  }

  private Held hold(Open version) {
    open.remove(version);
    open.add(version);
    version.users++;
    return new Held(version.rows, version.reader, true, () -> release(version));
  }

  private @Nullable Open find(ServedTable table, String version) {
    for (Open each : open) {
      if (each.table == table && each.rows.version().equals(version)) {
        return each;
      }
    }
    return null;
  }

  private Open open(ServedTable table, String version, SnapshotReader near) throws IOException {
    if (closed) {
      throw new Problem(Problem.Kind.STOPPING, "the server is stopping; ask another one");
    }
    if (!Table.at(table.directory()).contains(version)) {
      throw table.unknown(version);
    }
    Open idle = open.size() < most ? null : idle();
    spendAllowance();
    if (idle != null) {
      open.remove(idle);
      idle.reader.close();
    }
    try {
      Manifest manifest = Table.at(table.directory()).manifest(version);
      return new Open(table, near.next(table.directory(), manifest, table.options()));
    } catch (NoSuchFileException e) {
      throw table.unknown(version);
    }
  }

  /** Returns how many versions are open. */
  public synchronized int count() {
    return open.size();
  }

  /** Returns the version that makes room for another. */
  private Open idle() {
    for (Open each : open) {
      if (each.users == 0) {
        return each;
      }
    }
    throw new Problem(
        Problem.Kind.OVERLOADED, "as many old versions are in use as may be open at once: " + most);
  }

  private void spendAllowance() {
    long now = clock.getAsLong();
    allowance =
        Math.min(perMinute, allowance + (now - allowanceAt) * (perMinute / NANOS_PER_MINUTE));
    allowanceAt = now;
    if (allowance < 1) {
      throw new Problem(
          Problem.Kind.OVERLOADED,
          "old versions have been opened too often: at most %d a minute".formatted(perMinute));
    }
    allowance--;
  }

  private synchronized void release(Open version) throws IOException {
    version.users--;
    if (closed && version.users == 0) {
      version.reader.close();
    }
  }

  /** Closes the versions that no request holds; the others are closed after their last request. */
  @Override
  public synchronized void close() throws IOException {
    closed = true;
    List<SnapshotReader> idle =
        open.stream().filter(each -> each.users == 0).map(each -> each.reader).toList();
    open.clear();
    Closing.all(idle);
  }
}
