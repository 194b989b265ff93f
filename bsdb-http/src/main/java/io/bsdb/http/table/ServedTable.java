package io.bsdb.http.table;

import io.bsdb.http.exchange.Problem;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.SnapshotParts;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A table under its configured name, followed. Safe for use by many threads. */
public final class ServedTable implements Closeable {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

  /**
   * Waiting reads per place in the queue, beyond which an asynchronous reader makes callers wait.
   */
  private static final int WAITING = 8;

  /**
   * Beyond this, a lookup has read what was not in memory, or its value is long; or its thread was
   * interrupted by another one, which seldom happens to two lookups in a row.
   */
  private static final long QUICK_NANOS = 50_000;

  /** Lookups that are not taken for quick after two that were not. */
  private static final int SLOW_LOOKUPS = 100;

  private final String name;
  private final Path directory;
  private final ReaderOptions options;
  private final TableReader reader;
  private final int permitCount;
  private final Semaphore permits;
  private volatile @Nullable VersionRows current;

  /** Lookups left that are not taken for quick; counted by many threads, some of them in vain. */
  private volatile int slow;

  /** Whether the last lookup that should have been quick was not. */
  private volatile boolean lastWasSlow;

  private ServedTable(String name, Path directory, ReaderOptions options, TableReader reader) {
    this.name = name;
    this.directory = directory;
    this.options = options;
    this.reader = reader;
    this.permitCount = WAITING * options.queueDepth();
    this.permits = new Semaphore(permitCount);
  }

  public static ServedTable open(
      String name,
      Path directory,
      ReaderOptions options,
      Duration refreshInterval,
      TableReader.Listener listener)
      throws IOException {
    TableReader reader =
        TableReader.builder(directory)
            .options(options)
            .refreshEvery(refreshInterval)
            .listener(listener)
            .open();
    return new ServedTable(name, directory, options, reader);
  }

  /** Checks a name, which is a part of addresses. */
  public static void requireName(String name) {
    if (!NAME.matcher(name).matches() || name.chars().allMatch(c -> c == '.')) {
      throw new IllegalArgumentException(
          "not a name for a table: '%s', expected %s, not only dots".formatted(name, NAME));
    }
  }

  public String name() {
    return name;
  }

  public Path directory() {
    return directory;
  }

  ReaderOptions options() {
    return options;
  }

  public TableReader reader() {
    return reader;
  }

  /** Returns whether lookups read from disk, so that they are answered with futures. */
  public boolean readsFromDisk() {
    return options.access().readsFromDisk();
  }

  /**
   * Returns whether a lookup of one key may be expected to take some microseconds, so that other
   * connections can wait for it. A table in memory may be mapped from a file that is not in the
   * page cache: after two lookups in a row that were slow, the next hundred are not expected to be
   * quick, nor are another hundred if the one after them is slow again.
   */
  public boolean isQuick() {
    int left = slow;
    if (left > 0) {
      slow = left - 1;
    }
    return left == 0 && !readsFromDisk();
  }

  /** Notes how long a lookup took that was expected to be quick. */
  public void took(long nanos) {
    boolean wasSlow = nanos > QUICK_NANOS;
    if (wasSlow && lastWasSlow) {
      slow = SLOW_LOOKUPS;
    }
    if (wasSlow != lastWasSlow) {
      lastWasSlow = wasSlow;
    }
  }

  /**
   * Reserves room for lookups that read from disk.
   *
   * @return what gives the room back
   * @throws Problem if there is none
   */
  public Runnable reserve(int lookups) {
    int wanted = Math.min(lookups, permitCount);
    if (!permits.tryAcquire(wanted)) {
      throw new Problem(
          Problem.Kind.OVERLOADED,
          "too many lookups are waiting for the disk: table=%s maximum=%d",
          name,
          permitCount);
    }
    return () -> permits.release(wanted);
  }

  /** Holds the version in use. */
  public Held hold() {
    TableReader.Lease lease = reader.lease();
    SnapshotReader leased = lease.reader();
    VersionRows rows = current;
    if (rows == null || !rows.version().equals(lease.version())) {
      rows = new VersionRows(leased.manifest());
      current = rows;
    }
    return new Held(rows, leased, false, lease);
  }

  /** Returns the manifest of a version, whether in use or not. */
  public Manifest manifest(@Nullable String version) throws IOException {
    Manifest inUse = reader.manifest(); // once: another version may take its place meanwhile
    if (version == null || version.equals(inUse.version())) {
      return inUse;
    }
    requireVersion(version);
    try {
      return Table.at(directory).manifest(version);
    } catch (NoSuchFileException e) {
      throw unknown(version);
    }
  }

  /** Returns the parts of a version; null if its files have been deleted. */
  public @Nullable SnapshotParts parts(Manifest manifest) throws IOException {
    try {
      return SnapshotParts.of(directory, manifest);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** Refuses what is not the name of a version, before it becomes part of a path. */
  public static void requireVersion(String version) {
    if (!Manifest.isVersion(version)) {
      throw new Problem(
          Problem.Kind.UNKNOWN_VERSION,
          "not a version's name: '%s', expected like 0000000001-0a1b2c3d",
          version);
    }
  }

  Problem unknown(String version) {
    return new Problem(Problem.Kind.UNKNOWN_VERSION, "table=%s version=%s", name, version);
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
