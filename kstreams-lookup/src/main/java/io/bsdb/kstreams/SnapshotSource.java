package io.bsdb.kstreams;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Manifest;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.reader.LiveSnapshot;
import io.bsdb.table.Table;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The versions of one table as a lookup sees them: none yet, then whichever is in service. Follows
 * the table from one daemon thread and counts the leases that it hands out. Safe for many threads.
 *
 * <p>A version found damaged is not tried again in the background until the table names another
 * one; any other failure may pass and is retried.
 */
final class SnapshotSource implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotLookup.class);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  /** Lets time pass. */
  interface Pause {
    void of(Duration duration) throws InterruptedException;
  }

  private final LookupSettings settings;
  private final Table table;
  private final Object refreshing = new Object();
  private final AtomicInteger leases = new AtomicInteger();
  private final AtomicLong failedRefreshes = new AtomicLong();
  private final ScheduledExecutorService scheduler;
  private volatile @Nullable LiveSnapshot live;
  private volatile boolean closed;
  private @Nullable String refused; // guarded by refreshing

  private SnapshotSource(LookupSettings settings) {
    this.settings = settings;
    this.table = Table.at(settings.table());
    this.scheduler =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "bsdb-lookup-" + settings.name());
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Opens the version in service, or does what the settings say when there is none, and begins to
   * follow the table.
   */
  static SnapshotSource open(LookupSettings settings, Pause pause) throws IOException {
    SnapshotSource source = new SnapshotSource(settings);
    try {
      source.openFirst(pause);
      source.follow();
      return source;
    } catch (Throwable e) {
      source.close();
      throw e;
    }
  }

  private void openFirst(Pause pause) throws IOException {
    OnMissing onMissing = settings.onMissing();
    Duration left = onMissing.patience();
    while (target() == null) {
      if (onMissing.kind() == OnMissing.Kind.EMPTY) {
        LOG.info("{}: nothing published yet, starting empty", settings.describe());
        return;
      }
      if (left.isZero()) {
        throw missing();
      }
      Duration next = shortest(left, shortest(settings.refreshEvery(), LONGEST_PAUSE));
      try {
        pause.of(next);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        InterruptedIOException interrupted =
            new InterruptedIOException(settings.describe() + ": interrupted while waiting");
        interrupted.initCause(e);
        throw interrupted;
      }
      left = left.minus(next);
    }
    live = openLive();
  }

  private static Duration shortest(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  /** The version to serve: the pinned one, or the one in service. Null while there is none. */
  private @Nullable String target() throws IOException {
    String pinned = settings.pinnedVersion();
    if (pinned == null) {
      return table.currentVersion();
    }
    return table.versions().contains(pinned) ? pinned : null;
  }

  private NoSuchFileException missing() {
    String pinned = settings.pinnedVersion();
    String what =
        pinned == null ? "nothing has been published there" : "there is no version " + pinned;
    return new NoSuchFileException(
        settings.table().toString(),
        null,
        "lookup '%s', onMissing=%s: %s; build a snapshot, or check the path"
            .formatted(settings.name(), settings.onMissing(), what));
  }

  private LiveSnapshot openLive() throws IOException {
    LiveSnapshot.Builder builder =
        LiveSnapshot.builder(settings.table()).options(settings.options());
    String pinned = settings.pinnedVersion();
    return pinned == null ? builder.build() : builder.pin(pinned).build();
  }

  private void follow() {
    if (settings.pinnedVersion() == null || live == null) {
      long nanos = settings.refreshEvery().toNanos();
      var unused =
          scheduler.scheduleWithFixedDelay(
              this::refreshQuietly, nanos, nanos, TimeUnit.NANOSECONDS);
    }
  }

  /** As a refresh of the background thread; what fails is left to the listener and the log. */
  void refreshQuietly() {
    try {
      synchronized (refreshing) {
        if (!closed && (refused == null || !refused.equals(target()))) {
          refresh();
        }
      }
    } catch (Throwable e) { // whatever it is, the next refresh shall run
      if (!closed) {
        LOG.warn(
            "{}: refresh failed, version {} stays in service", settings.describe(), version(), e);
      }
    }
  }

  /**
   * Looks for a newer version and puts it in service.
   *
   * @return whether there was one
   */
  boolean refresh() throws IOException {
    synchronized (refreshing) {
      requireOpen();
      String target = null;
      try {
        target = target();
        if (target == null || !advance()) {
          return false;
        }
      } catch (IOException | RuntimeException e) {
        failedRefreshes.incrementAndGet();
        refused = isDamage(e) ? target : null;
        settings.listener().onRefreshFailed(target == null ? "unknown" : target, e);
        throw e;
      }
      refused = null;
      Manifest manifest = manifest();
      if (manifest != null) {
        LOG.info("{}: version {} is in service", settings.describe(), manifest.version());
        settings.listener().onRefreshed(manifest);
      }
      return true;
    }
  }

  private boolean advance() throws IOException {
    LiveSnapshot current = live;
    if (current != null) {
      return current.refresh();
    }
    live = openLive();
    return true;
  }

  private static boolean isDamage(Exception e) {
    Throwable cause = e instanceof UncheckedIOException ? e.getCause() : e;
    return cause instanceof CorruptSnapshotException
        || cause instanceof UnsupportedVersionException;
  }

  /**
   * A lease on the version in service, to be given to {@link #release}; null while there is none.
   */
  LiveSnapshot.@Nullable Lease lease() {
    requireOpen();
    LiveSnapshot current = live;
    if (current == null) {
      return null;
    }
    LiveSnapshot.Lease lease = current.lease();
    leases.incrementAndGet();
    return lease;
  }

  void release(LiveSnapshot.Lease lease) {
    leases.decrementAndGet();
    lease.close();
  }

  int openLeases() {
    return leases.get();
  }

  long failedRefreshes() {
    return failedRefreshes.get();
  }

  LookupSettings settings() {
    return settings;
  }

  /** What describes the version in service; null while there is none. */
  @Nullable Manifest manifest() {
    LiveSnapshot current = live;
    return current == null ? null : current.manifest();
  }

  @Nullable String version() {
    LiveSnapshot current = live;
    return current == null ? null : current.version();
  }

  boolean isClosed() {
    return closed;
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("lookup '" + settings.name() + "' is closed");
    }
  }

  /** Leases stay good; whoever holds one keeps its version open. */
  @Override
  public void close() {
    closed = true;
    scheduler.shutdownNow();
    synchronized (refreshing) {
      LiveSnapshot current = live;
      if (current != null) {
        current.close();
      }
    }
  }
}
