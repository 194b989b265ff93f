package io.bsdb.kstreams;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Manifest;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.reader.LiveSnapshot;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
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
 * <p>A version found damaged or unsuitable is not tried again in the background until the table
 * names another one; any other failure may pass and is retried.
 */
final class SnapshotSource implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotLookup.class);

  /** Says no to versions that cannot be served. */
  interface Check {
    void accept(Manifest manifest) throws IOException;
  }

  private final LookupSettings settings;
  private final Check check;
  private final TargetVersion target;
  private final Object refreshing = new Object();
  private final AtomicInteger leases = new AtomicInteger();
  private final AtomicLong failedRefreshes = new AtomicLong();
  private final ScheduledExecutorService scheduler;
  private volatile @Nullable LiveSnapshot live;
  private volatile boolean closed;
  private @Nullable String refused; // guarded by refreshing

  private SnapshotSource(LookupSettings settings, Check check) {
    this.settings = settings;
    this.check = check;
    this.target = new TargetVersion(settings);
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
  static SnapshotSource open(LookupSettings settings, Check check, TargetVersion.Pause pause)
      throws IOException {
    SnapshotSource source = new SnapshotSource(settings, check);
    try {
      source.openFirst(pause);
      source.follow();
      return source;
    } catch (Throwable e) {
      source.close();
      throw e;
    }
  }

  private void openFirst(TargetVersion.Pause pause) throws IOException {
    if (target.await(settings.onMissing(), settings.refreshEvery(), pause)) {
      live = openLive();
    } else {
      LOG.info("{}: nothing published yet, starting empty", settings.describe());
    }
  }

  private LiveSnapshot openLive() throws IOException {
    LiveSnapshot.Builder builder =
        LiveSnapshot.builder(settings.table()).options(settings.options());
    LookupSettings.LocalCopies copies = settings.localCopies();
    if (copies != null) {
      builder.localDirectory(copies.directory()).maxLocalBytes(copies.maxBytes());
    }
    String pinned = settings.pinnedVersion();
    LiveSnapshot opened = pinned == null ? builder.open() : builder.pin(pinned).open();
    try {
      check.accept(opened.manifest());
      return opened;
    } catch (Throwable e) {
      opened.close();
      throw e;
    }
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
        if (!closed && (refused == null || !refused.equals(target.name()))) {
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
      String version = null;
      try {
        version = target.name();
        if (version == null || !advance(version)) {
          return false;
        }
      } catch (IOException | RuntimeException e) {
        failedRefreshes.incrementAndGet();
        refused = isLasting(e) ? version : null;
        settings.listener().onRefreshFailed(version, e);
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

  private boolean advance(String version) throws IOException {
    LiveSnapshot current = live;
    if (current == null) {
      live = openLive();
      return true;
    }
    if (version.equals(current.version())) {
      return false;
    }
    check.accept(target.manifest(version));
    return current.refresh();
  }

  private static boolean isLasting(Exception e) {
    Throwable cause = e instanceof UncheckedIOException ? e.getCause() : e;
    return cause instanceof CorruptSnapshotException
        || cause instanceof UnsupportedVersionException
        || cause instanceof SchemaMismatchException;
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
    close(lease);
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
        close(current);
      }
    }
  }

  private void close(Closeable last) {
    try {
      last.close();
    } catch (IOException e) {
      throw new UncheckedIOException(
          settings.describe() + ": a version could not be closed: " + e.getMessage(), e);
    }
  }
}
