package io.bsdb.kstreams;

import io.bsdb.reader.follow.InitialLoad;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.table.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The versions of one table as a lookup sees them: none yet, then whichever is in service. Counts
 * the leases that it hands out. Safe for many threads.
 */
final class SnapshotSource implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotLookup.class);

  private final LookupSettings settings;
  private final TableReader live;
  private final AtomicInteger leases = new AtomicInteger();
  private volatile boolean closed;

  private SnapshotSource(LookupSettings settings, TableReader live) {
    this.settings = settings;
    this.live = live;
  }

  /**
   * Opens the version in service, or does what the settings say when there is none, and begins to
   * follow the table.
   */
  static SnapshotSource open(
      LookupSettings settings, TableFormat<?, ?> format, FirstVersion.Pause pause)
      throws IOException {
    boolean published = new FirstVersion(settings).await(pause);
    TableReader.Builder builder =
        TableReader.builder(settings.table())
            .options(settings.options())
            .refreshEvery(settings.refreshEvery())
            .check(format::accept)
            .listener(new Announcer(settings, format))
            .initialLoad(published ? InitialLoad.REQUIRE : InitialLoad.EMPTY);
    LookupSettings.LocalCopies copies = settings.localCopies();
    if (copies != null) {
      builder.localDirectory(copies.directory()).maxLocalBytes(copies.maxBytes());
    }
    String pinned = settings.pinnedVersion();
    TableReader live = pinned == null ? builder.open() : builder.pin(pinned).open();
    if (live.isEmpty()) {
      LOG.info("{}: nothing published yet, starting empty", settings.describe());
    } else {
      format.serve(live.manifest());
    }
    return new SnapshotSource(settings, live);
  }

  /** Tells those whom it concerns what became of a version; failures are logged by the reader. */
  private record Announcer(LookupSettings settings, TableFormat<?, ?> format)
      implements TableReader.Listener {
    @Override
    public void onRefreshed(Manifest manifest) {
      format.serve(manifest);
      LOG.info("{}: version {} is in service", settings.describe(), manifest.version());
      settings.listener().onRefreshed(manifest);
    }

    @Override
    public void onRefreshFailed(@Nullable String version, Exception cause) {
      settings.listener().onRefreshFailed(version, cause);
    }
  }

  /**
   * Looks for a newer version and puts it in service.
   *
   * @return whether there was one
   */
  boolean refresh() throws IOException {
    requireOpen();
    return live.refresh();
  }

  /**
   * A lease on the version in service, to be given to {@link #release}; null while there is none.
   */
  TableReader.@Nullable Lease lease() {
    requireOpen();
    if (live.isEmpty()) {
      return null;
    }
    TableReader.Lease lease = live.lease();
    leases.incrementAndGet();
    return lease;
  }

  void release(TableReader.Lease lease) {
    leases.decrementAndGet();
    close(lease);
  }

  int openLeases() {
    return leases.get();
  }

  long failedRefreshes() {
    return live.failedRefreshes();
  }

  LookupSettings settings() {
    return settings;
  }

  /** What describes the version in service; null while there is none. */
  @Nullable Manifest manifest() {
    return live.isEmpty() ? null : live.manifest();
  }

  @Nullable String version() {
    return live.isEmpty() ? null : live.version();
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
    close(live);
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
