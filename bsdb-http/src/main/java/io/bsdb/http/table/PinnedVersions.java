package io.bsdb.http.table;

import static java.util.Objects.requireNonNull;

import io.bsdb.format.io.Closing;
import io.bsdb.http.exchange.Problem;
import io.bsdb.http.wire.Limits;
import io.bsdb.reader.SnapshotReader;
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

  /** A version that is open, or about to be. */
  private static final class Open {
    final ServedTable table;
    final String version;
    @Nullable SnapshotReader reader;
    @Nullable VersionRows rows;

    /** Guarded by the versions, as is the list of them. */
    int users;

    Open(ServedTable table, String version) {
      this.table = table;
      this.version = version;
    }

    /** Opens the version unless it is open. Others who hold it wait for that, and nobody else. */
    synchronized void open(SnapshotReader near) throws IOException {
      if (reader == null) {
        try {
          Manifest manifest = Table.at(table.directory()).manifest(version);
          rows = new VersionRows(manifest);
          reader = near.next(table.directory(), manifest, table.options());
        } catch (NoSuchFileException e) {
          throw table.unknown(version);
        }
      }
    }

    synchronized Held held(Closeable release) {
      return new Held(requireNonNull(rows), requireNonNull(reader), true, release);
    }

    synchronized boolean isOpen() {
      return reader != null;
    }

    synchronized void close() throws IOException {
      if (reader != null) {
        reader.close();
      }
    }
  }

  /**
   * Holds a version of a table, opened unless it is.
   *
   * @throws Problem if there is no such version, or no room for it
   */
  public Held hold(ServedTable table, String version) throws IOException {
    ServedTable.requireVersion(version);
    Held inUse = table.hold();
    if (inUse.version().equals(version)) {
      return new Held(inUse.rows(), inUse.reader(), true, inUse.release());
    }
    try (inUse) {
      Open found = use(table, version);
      try {
        found.open(inUse.reader());
        return found.held(() -> release(found));
      } catch (IOException | RuntimeException | Error e) {
        giveUp(found);
        throw e;
      }
    }
  }

  /** Returns a version, to be opened unless it is; makes room for it. */
  private Open use(ServedTable table, String version) throws IOException {
    Open found = find(table, version);
    if (found != null) {
      return found;
    }
    if (!Table.at(table.directory()).contains(version)) {
      throw table.unknown(version);
    }
    Open idle = null;
    Open added;
    synchronized (this) {
      found = find(table, version);
      if (found != null) {
        return found;
      }
      if (closed) {
        throw new Problem(Problem.Kind.STOPPING, "the server is stopping; ask another one");
      }
      idle = open.size() < most ? null : idle();
      spendAllowance();
      open.remove(idle);
      added = new Open(table, version);
      open.add(added);
      added.users++;
    }
    if (idle != null) {
      try {
        idle.close();
      } catch (IOException | RuntimeException | Error e) {
        giveUp(added);
        throw e;
      }
    }
    return added;
  }

  /** Returns a version that is open, or about to be, for another user; null if it is neither. */
  private synchronized @Nullable Open find(ServedTable table, String version) {
    for (Open each : open) {
      if (each.table == table && each.version.equals(version)) {
        open.remove(each);
        open.add(each);
        each.users++;
        return each;
      }
    }
    return null;
  }

  /** Forgets a version that could not be opened. */
  private synchronized void giveUp(Open version) throws IOException {
    if (version.users == 1 && !version.isOpen()) {
      open.remove(version);
    }
    release(version);
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
          "old versions have been opened too often: at most %d a minute",
          perMinute);
    }
    allowance--;
  }

  private synchronized void release(Open version) throws IOException {
    version.users--;
    if (closed && version.users == 0) {
      version.close();
    }
  }

  /** Closes the versions that no request holds; the others are closed after their last request. */
  @Override
  public synchronized void close() throws IOException {
    closed = true;
    List<Closeable> idle =
        open.stream().filter(each -> each.users == 0).<Closeable>map(each -> each::close).toList();
    open.clear();
    Closing.all(idle);
  }
}
