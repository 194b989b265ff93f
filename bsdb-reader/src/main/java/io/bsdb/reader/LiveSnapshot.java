package io.bsdb.reader;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Manifest;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.table.Table;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Follows a table: reads the version in service and changes over to the next one, under load, when
 * it is published.
 *
 * <p>A new version is opened and verified in the background; one reference is swapped; the old
 * version is closed after its last user. A version that cannot be opened is refused: the old one
 * keeps serving and the listener hears why. A damaged one is not tried again until {@code CURRENT}
 * names another. Safe for many threads.
 */
public final class LiveSnapshot implements Closeable {
  private final Path path;
  private final Table table;
  private final ReaderOptions options;
  private final Listener listener;
  private final boolean pinned;
  private final @Nullable ScheduledExecutorService refresher;
  private final AtomicLong failedRefreshes = new AtomicLong();
  private volatile Version current;
  private volatile @Nullable String refused;
  private volatile boolean closed;

  /** Hears of changes. Called from the thread that refreshes; should return soon. */
  public interface Listener {
    /** Hears nothing. */
    Listener NONE = new Listener() {};

    /** A newer version is in use. */
    default void onRefreshed(Manifest manifest) {}

    /**
     * A refresh failed; the version in use stays.
     *
     * @param version that was refused; null if it could not even be told which is in service
     */
    default void onRefreshFailed(@Nullable String version, Exception cause) {}
  }

  /** One version and how many hold it: its place as the current one counts as one. */
  private static final class Version {
    final SnapshotReader reader;
    final AtomicInteger holders = new AtomicInteger(1);

    Version(SnapshotReader reader) {
      this.reader = reader;
    }

    boolean hold() {
      for (int count = holders.get(); count > 0; count = holders.get()) {
        if (holders.compareAndSet(count, count + 1)) {
          return true;
        }
      }
      return false;
    }

    void release() throws IOException {
      if (holders.decrementAndGet() == 0) {
        reader.close();
      }
    }

    String name() {
      return reader.manifest().version();
    }
  }

  private LiveSnapshot(Builder builder) throws IOException {
    path = builder.path;
    table = Table.at(path);
    options = builder.options;
    listener = builder.listener;
    pinned = builder.pinned != null;
    String version = builder.pinned == null ? requireCurrent() : builder.pinned;
    current = new Version(open(version));
    refresher =
        builder.pinned != null || builder.refreshInterval.isZero()
            ? null
            : schedule(builder.refreshInterval);
  }

  private String requireCurrent() throws IOException {
    if (!java.nio.file.Files.isDirectory(path)) {
      throw new java.nio.file.NoSuchFileException(
          path.toString(),
          null,
          "no such table directory; check the path, or build the table first");
    }
    return table.requireCurrentVersion();
  }

  private SnapshotReader open(String version) throws IOException {
    return PartitionedReader.openVersion(path, version, options);
  }

  private ScheduledExecutorService schedule(Duration interval) {
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "bsdb-refresh-" + path.getFileName());
              thread.setDaemon(true);
              return thread;
            });
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    executor.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
    long nanos = interval.toNanos();
    long firstDelay = nanos / 2 + ThreadLocalRandom.current().nextLong(Math.max(1, nanos / 2));
    var unused =
        executor.scheduleWithFixedDelay(
            this::refreshInBackground, firstDelay, nanos, TimeUnit.NANOSECONDS);
    return executor;
  }

  /** Opens a table's version in service and stays with it until {@link #refresh} is called. */
  public static LiveSnapshot follow(Path table, ReaderOptions options) throws IOException {
    return builder(table).options(options).open();
  }

  public static Builder builder(Path table) {
    return new Builder(table);
  }

  /** Collects settings. Not safe for several threads. */
  public static final class Builder {
    private final Path path;
    private ReaderOptions options = ReaderOptions.defaults();
    private Duration refreshInterval = Duration.ZERO;
    private Listener listener = Listener.NONE;
    private @Nullable String pinned;

    private Builder(Path path) {
      this.path = path;
    }

    public Builder options(ReaderOptions value) {
      options = value;
      return this;
    }

    /**
     * How often to look for a newer version, from a thread of its own; zero for only when {@link
     * #refresh} is called.
     */
    public Builder refreshEvery(Duration value) {
      if (value.isNegative()) {
        throw new IllegalArgumentException("refresh interval: expected>=0 actual=" + value);
      }
      refreshInterval = value;
      return this;
    }

    public Builder listener(Listener value) {
      listener = value;
      return this;
    }

    /** Stays with one version, whatever is published. */
    public Builder pin(String version) {
      pinned = version;
      return this;
    }

    /**
     * Opens.
     *
     * @throws IOException as {@link SnapshotReader#open(Path, ReaderOptions)}
     */
    public LiveSnapshot open() throws IOException {
      return new LiveSnapshot(this);
    }
  }

  /**
   * Looks for a newer version now and changes over to it, in the calling thread.
   *
   * @return whether another version than before is in use; never of a pinned one
   * @throws IOException if it cannot be told or opened; the version in use stays
   */
  public boolean refresh() throws IOException {
    return refresh(null);
  }

  private synchronized boolean refresh(@Nullable String untried) throws IOException {
    requireOpen();
    if (pinned) {
      return false;
    }
    String version = null;
    try {
      version = table.requireCurrentVersion();
      if (version.equals(current.name()) || version.equals(untried)) {
        return false;
      }
      swap(new Version(open(version)));
    } catch (IOException | RuntimeException e) {
      refused = isLasting(e) ? version : null;
      failedRefreshes.incrementAndGet();
      listener.onRefreshFailed(version, e);
      throw e;
    }
    refused = null;
    listener.onRefreshed(manifest());
    return true;
  }

  /** Whether opening the same version again would fail the same way. */
  private static boolean isLasting(Exception e) {
    return e instanceof CorruptSnapshotException || e instanceof UnsupportedVersionException;
  }

  private void swap(Version next) throws IOException {
    Version previous = current;
    current = next;
    previous.release();
  }

  /** What the refresh thread does each time. */
  void refreshInBackground() {
    try {
      if (!closed) {
        refresh(refused);
      }
    } catch (IOException | RuntimeException toldToListener) {
      // The listener has heard of it and it has been counted; the version in use stays.
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new ClosedReaderException("live snapshot of " + path);
    }
  }

  /**
   * The value of a key in the version in use.
   *
   * @return a new array, or null: absent
   */
  public byte @Nullable [] get(byte[] key) throws IOException {
    while (true) {
      Version version = current;
      try {
        return version.reader.get(key);
      } catch (ClosedReaderException e) {
        requireOpen();
        if (version == current) {
          throw e;
        }
      }
    }
  }

  /**
   * Holds the version in use open, for several lookups that must see the same one. To be closed.
   */
  public Lease lease() {
    while (true) {
      requireOpen();
      Version version = current;
      if (version.hold()) {
        return new Lease(version);
      }
    }
  }

  /** One version, held open. Used by one thread at a time. */
  public final class Lease implements Closeable {
    private final Version version;
    private boolean released;

    private Lease(Version version) {
      this.version = version;
    }

    /** Reads the version; not to be closed. */
    public SnapshotReader reader() {
      return version.reader;
    }

    public String version() {
      return version.name();
    }

    /** Whether no other version has come into use; one volatile read. */
    public boolean isCurrent() {
      return version == current;
    }

    /** Lets the version go. Idempotent. */
    @Override
    public void close() throws IOException {
      if (!released) {
        released = true;
        version.release();
      }
    }
  }

  /** The manifest of the version in use. */
  public Manifest manifest() {
    return current.reader.manifest();
  }

  /** The version in use. */
  public String version() {
    return current.name();
  }

  /** How many refreshes failed. */
  public long failedRefreshes() {
    return failedRefreshes.get();
  }

  /** Stops following. The version in use is closed after its last lease. Idempotent. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    if (refresher != null) {
      refresher.shutdown();
    }
    current.release();
  }
}
