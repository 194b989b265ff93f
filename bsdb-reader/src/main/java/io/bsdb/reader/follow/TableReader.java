package io.bsdb.reader.follow;

import io.bsdb.format.Internal;
import io.bsdb.format.LentBytes;
import io.bsdb.format.ValueReader;
import io.bsdb.reader.KeyLookup;
import io.bsdb.reader.OrderedReader;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.WarmUp;
import io.bsdb.reader.overlay.ChangeTable;
import io.bsdb.reader.snapshot.Calls;
import io.bsdb.reader.snapshot.HashedKeys;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows a table: reads the version in service and changes over to the next one, under load, when
 * it is published.
 *
 * <p>A new version is opened, verified and {@linkplain WarmUp warmed up} in the background; one
 * reference is swapped; the old version is closed after its last user. A version that cannot be
 * opened is refused: the old one keeps serving and the listener gets the reason. A damaged one is
 * not tried again until {@code CURRENT} names another. Refreshes that fail in the background are
 * also logged: each kind of failure once in full, then one line a minute. Safe for many threads.
 */
public final class TableReader implements KeyLookup, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(TableReader.class);

  /** Default interval at which to look for a newer version. */
  public static final Duration REFRESH_INTERVAL = Duration.ofSeconds(10);

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

  private final VersionInUse inUse;
  private final RefreshTimer timer;
  private final Duration closeTimeout;
  private final RefreshLog refreshLog = new RefreshLog(LOG, System::nanoTime);

  /** Receives the outcome of refreshes, on the thread that refreshes; must not block. */
  public interface Listener {
    /** Ignores all. */
    Listener NONE = new Listener() {};

    /** Called when a newer version is in use. */
    default void onRefreshed(Manifest manifest) {}

    /**
     * Called when a refresh failed; the version in use stays.
     *
     * @param version that was refused; null if it is not known which is in service
     */
    default void onRefreshFailed(@Nullable String version, Exception cause) {}
  }

  /** Decides whether a version is to be used at all, by its manifest. */
  public interface Check {
    /** Accepts every version. */
    Check NONE = manifest -> {};

    /**
     * Called before a version is opened.
     *
     * @throws IOException to refuse it: then it is not tried again in the background
     */
    void accept(Manifest manifest) throws IOException;
  }

  private TableReader(Builder builder, VersionSource versions) throws IOException {
    closeTimeout = builder.closeTimeout;
    String first = versions.first(builder.onMissing, builder.refreshInterval);
    inUse =
        new VersionInUse(
            versions, builder.options, builder.check, builder.listener, builder.calls, first);
    timer =
        new RefreshTimer(
            versions.toString(),
            inUse.isSettled() ? Duration.ZERO : builder.refreshInterval,
            this::refreshInBackground);
  }

  /** Opens a table's version in service, and looks for a newer one every 10 seconds. */
  public static TableReader follow(Path table, ReaderOptions options) throws IOException {
    return builder(table).options(options).open();
  }

  /** Returns a builder of a reader of a table directory, read in place. */
  public static Builder builder(Path table) {
    return new Builder(Table.at(table), new InPlace(table));
  }

  /**
   * Returns a builder of a reader of a table anywhere; versions are copied to a {@link
   * Builder#localDirectory}.
   */
  public static Builder builder(Table table) {
    return new Builder(table, null);
  }

  /** Collects settings. Not safe for several threads. */
  public static final class Builder {
    private final Table table;
    private final @Nullable VersionSource inPlace;
    private ReaderOptions options = ReaderOptions.defaults();
    private Duration refreshInterval = REFRESH_INTERVAL;
    private Listener listener = Listener.NONE;
    private Check check = Check.NONE;
    private OnMissing onMissing = OnMissing.FAIL;
    private @Nullable Path localDirectory;
    private long maxLocalBytes = Long.MAX_VALUE;
    private @Nullable String pinned;
    private Duration closeTimeout = CLOSE_TIMEOUT;
    private @Nullable Calls calls;

    private Builder(Table table, @Nullable VersionSource inPlace) {
      this.table = table;
      this.inPlace = inPlace;
    }

    public Builder options(ReaderOptions value) {
      options = value;
      return this;
    }

    /**
     * Sets how often to look for a newer version, from a thread of its own; 10 seconds if not set,
     * zero for only when {@link #refresh} is called.
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

    /** Refuses versions before they are opened. */
    public Builder check(Check value) {
      check = value;
      return this;
    }

    /**
     * Sets what to do if nothing has been published yet, or not the pinned version; default: {@link
     * OnMissing#FAIL}.
     */
    public Builder onMissing(OnMissing value) {
      onMissing = value;
      return this;
    }

    /**
     * Copies versions to a directory below this one, verified, and reads them there. For tables
     * that are not on a local disk. Copies are used again after a restart; processes may share the
     * directory.
     */
    public Builder localDirectory(Path value) {
      localDirectory = value;
      return this;
    }

    /**
     * Sets the maximum number of bytes that local copies of this table may take, the versions in
     * use and the successor of one together. A version that does not fit is refused before anything
     * is copied.
     */
    public Builder maxLocalBytes(long value) {
      if (value < 1) {
        throw new IllegalArgumentException(
            "maximum size of local copies in bytes: expected>=1 actual=" + value);
      }
      maxLocalBytes = value;
      return this;
    }

    /** Stays with one version, whatever is published. */
    public Builder pin(String version) {
      pinned = version;
      return this;
    }

    /**
     * Sets calls during which {@link TableReader#unleased} is used: no version is closed before
     * those in flight have ended.
     *
     * @hidden
     */
    @Internal
    @SuppressWarnings("exports") // an internal type, to this project only
    public Builder usedBy(Calls value) {
      calls = value;
      return this;
    }

    /** Sets how long closing waits for a refresh in the background. */
    Builder closeTimeout(Duration value) {
      closeTimeout = value;
      return this;
    }

    /**
     * Opens.
     *
     * @throws IOException as {@link SnapshotReader#open(Path, ReaderOptions)}
     */
    public TableReader open() throws IOException {
      return new TableReader(
          this, pinned == null ? versions() : new PinnedVersion(versions(), pinned));
    }

    private VersionSource versions() {
      if (localDirectory != null) {
        return new LocalCopies(table, localDirectory, maxLocalBytes);
      }
      if (inPlace == null) {
        throw new IllegalStateException(
            "%s is read through copies: give a localDirectory for them".formatted(table.storage()));
      }
      return inPlace;
    }
  }

  /**
   * Looks for a newer version now and changes over to it, in the calling thread.
   *
   * @return whether another version than before is in use; of a pinned one, once at most
   * @throws IOException if it cannot be found or opened; the version in use stays
   */
  public boolean refresh() throws IOException {
    LentBytes.requireLendsNothing(toString());
    return inUse.refresh((String) null);
  }

  /**
   * Does the same; the next version may have changes of a log, whose records need not be read then.
   *
   * @param grown changes to which nothing is added any more; not used afterwards
   * @hidden
   */
  @Internal
  @SuppressWarnings("exports") // an internal type, to this project only
  public boolean refresh(ChangeTable grown) throws IOException {
    return inUse.refresh(grown);
  }

  /** Refreshes, on the refresh thread. */
  void refreshInBackground() {
    try {
      try {
        var unused = inUse.refresh(inUse.refused());
        if (inUse.refreshFailure() == null) {
          refreshLog.succeeded(inUse, versionOrNull());
        }
      } catch (IOException | RuntimeException | Error e) { // any would end the refreshes for good
        if (!inUse.isClosed()) { // else closing has interrupted it
          refreshLog.failed(inUse, versionOrNull(), inUse.refused(), e);
        }
      }
    } catch (RuntimeException | Error e) {
      // No memory to log.
    }
    inUse.closeIfRefused();
  }

  private @Nullable String versionOrNull() {
    return isEmpty() ? null : version();
  }

  @Override
  public <T> @Nullable T get(byte[] key, ValueReader<T> reader) throws IOException {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(reader, "reader");
    return inUse.ask(version -> version.get(key, reader));
  }

  @Override
  public <T> List<@Nullable T> getAll(List<byte[]> keys, ValueReader<T> reader) throws IOException {
    List<@Nullable T> answers = inUse.ask(version -> version.getAll(keys, reader));
    return answers == null ? new HashedKeys<>(keys, reader).answers() : answers; // no version yet
  }

  /**
   * Returns the table, looked up by the order of its keys. Each call uses the version in use; a
   * cursor stays with the version that it began with, and holds it open. While the table has no
   * version there is no record. Calls throw {@link IllegalStateException} if the version in use is
   * in hash order.
   */
  public OrderedReader ordered() {
    return new FollowedOrder(this, inUse);
  }

  /**
   * Holds the version in use open, for several lookups that must see the same one. To be closed.
   *
   * @throws IllegalStateException if there is none yet, see {@link #isEmpty}
   */
  public Lease lease() {
    return new Lease(inUse.hold());
  }

  /**
   * Returns a reader of the version in use for the rest of a call of {@link Builder#usedBy}; null
   * if there is none yet.
   *
   * @hidden
   */
  @Internal
  public @Nullable SnapshotReader unleased() {
    HeldVersion version = inUse.held();
    return version == null ? null : version.reader();
  }

  /**
   * Derives something from the version in use, to be renewed when that changes. To be closed.
   *
   * @param derivation gets a reader of a version, not to be closed, and throws if the version does
   *     not suit
   */
  public <T> VersionView<T> view(Function<? super SnapshotReader, ? extends T> derivation) {
    return new VersionView<>(this, derivation);
  }

  /** One version, held open. Used by one thread at a time. */
  public final class Lease implements Closeable {
    private final HeldVersion version;
    private boolean released;

    private Lease(HeldVersion version) {
      this.version = version;
    }

    /** Reads the version, as its {@link SnapshotReader#async} does; neither is to be closed. */
    public SnapshotReader reader() {
      return version.reader();
    }

    public String version() {
      return version.name();
    }

    /** Returns whether no other version has come into use; one volatile read. */
    public boolean isCurrent() {
      return version == inUse.held();
    }

    /**
     * Lets the version go. Idempotent. If nobody holds it any more it is closed, by the refresh
     * thread if there is one: to unmap a large version takes long.
     */
    @Override
    public void close() throws IOException {
      if (!released) {
        released = true;
        if (inUse.release(version) && !timer.execute(inUse::closeUnusedInBackground)) {
          inUse.closeUnused();
        }
      }
    }

    /** Closes; a failure is logged, for it concerns no version in use. */
    void tryClose() {
      try {
        close();
      } catch (IOException | RuntimeException e) {
        LOG.error("{}: closing a version that nobody uses failed", inUse, e);
      }
    }
  }

  /**
   * Returns whether there is still no version, as {@link OnMissing#EMPTY} allows. One volatile
   * read.
   */
  public boolean isEmpty() {
    return inUse.isEmpty();
  }

  /**
   * Returns the manifest of the version in use.
   *
   * @throws IllegalStateException if there is none yet, see {@link #isEmpty}
   */
  public Manifest manifest() {
    return inUse.requireHeld().reader().manifest();
  }

  /**
   * Returns the version in use.
   *
   * @throws IllegalStateException if there is none yet, see {@link #isEmpty}
   */
  public String version() {
    return inUse.requireHeld().name();
  }

  @Override
  public String toString() {
    return inUse.toString();
  }

  /** Returns how many refreshes failed. */
  public long failedRefreshes() {
    return inUse.failedRefreshes();
  }

  /**
   * Returns the failure of the last refresh, which is why the version in service is not in use;
   * null if it did not fail.
   */
  public @Nullable Exception refreshFailure() {
    return inUse.refreshFailure();
  }

  /**
   * Stops following; interrupts a refresh in the background. The version in use is closed after its
   * last lease. A refresh that does not end within some seconds, as it waits for a storage that
   * does not answer, is left to itself, and closes the version when it ends. Idempotent.
   */
  @Override
  public void close() throws IOException {
    LentBytes.requireLendsNothing(toString());
    inUse.refuseUse();
    if (timer.stop(closeTimeout)) {
      inUse.close();
    } else {
      LOG.warn(
          "{}: a refresh has not ended {} after it was interrupted; what it uses stays open until"
              + " it does",
          inUse,
          closeTimeout);
    }
  }
}
