package io.bsdb.reader.follow;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.LentBytes;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.format.io.Closing;
import io.bsdb.reader.ClosedReaderException;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.overlay.ChangeTable;
import io.bsdb.reader.snapshot.Calls;
import io.bsdb.table.manifest.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The version of a table that is in use, and how another takes its place: opened and warmed up
 * first, then swapped in by one reference. Safe for many threads.
 */
final class VersionInUse implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(VersionInUse.class);

  private final VersionSource versions;
  private final ReaderOptions options;
  private final TableReader.Check check;
  private final TableReader.Listener listener;

  /** Counts lookups that readers of versions do not count themselves; null if there are none. */
  private final @Nullable Calls calls;

  private final Queue<SnapshotReader> unused = new ConcurrentLinkedQueue<>();
  private final AtomicLong failedRefreshes = new AtomicLong();

  /** Null until a first version has been published. */
  private volatile @Nullable HeldVersion held;

  private volatile @Nullable String refused;
  private volatile @Nullable Exception failure;
  private volatile boolean closed;
  private boolean released;

  /**
   * Opens a version.
   *
   * @param first null for none, until one has been published
   */
  VersionInUse(
      VersionSource versions,
      ReaderOptions options,
      TableReader.Check check,
      TableReader.Listener listener,
      @Nullable Calls calls,
      @Nullable String first)
      throws IOException {
    this.versions = versions;
    this.options = options;
    this.check = check;
    this.listener = listener;
    this.calls = calls;
    String version = first;
    while (version != null && held == null) {
      try {
        Manifest manifest = versions.manifest(version);
        check.accept(manifest);
        held = new HeldVersion(versions.open(manifest, options, null));
      } catch (NoSuchFileException e) {
        if (!isReplaced(version)) {
          throw e;
        }
        version = versions.current();
      }
    }
  }

  /** Returns whether another version is in service: then the files of this one may be gone. */
  private boolean isReplaced(@Nullable String version) {
    try {
      String current = versions.current();
      return version != null && current != null && !current.equals(version);
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns whether there is still none. */
  boolean isEmpty() {
    return held == null;
  }

  /** Returns whether there is no newer version to look for any more. */
  boolean isSettled() {
    return versions.isPinned() && !isEmpty();
  }

  @Nullable HeldVersion held() {
    return held;
  }

  /**
   * Returns the version in use.
   *
   * @throws IllegalStateException if there is none yet
   */
  HeldVersion requireHeld() {
    HeldVersion version = held;
    if (version == null) {
      throw new IllegalStateException(this + ": no version has been published yet");
    }
    return version;
  }

  /** A question to a version. */
  interface Question<T> {
    @Nullable T ask(SnapshotReader reader) throws IOException;
  }

  /**
   * Asks the version in use, and the one that took its place if that was closed meanwhile. Takes no
   * lease: the reader counts its calls.
   *
   * @return null also if there is no version yet
   * @throws ClosedReaderException after {@link #close}
   */
  <T> @Nullable T ask(Question<T> question) throws IOException {
    while (true) {
      requireOpen();
      HeldVersion version = held;
      if (version == null) {
        return null;
      }
      try {
        return question.ask(version.reader());
      } catch (ClosedReaderException e) {
        requireOpen();
        if (version == held) {
          throw e;
        }
      }
    }
  }

  /**
   * Returns the version in use, held for the caller, who is to release it.
   *
   * @throws ClosedReaderException after {@link #close}
   * @throws IllegalStateException if there is none yet
   */
  HeldVersion hold() {
    while (true) {
      requireOpen();
      HeldVersion version = requireHeld();
      if (version.hold()) {
        return version;
      }
    }
  }

  @Override
  public String toString() {
    return "table " + versions;
  }

  void requireOpen() {
    if (closed) {
      throw new ClosedReaderException(toString());
    }
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns the version in service, if it could not be used and never will be. */
  @Nullable String refused() {
    return refused;
  }

  /** Returns how many refreshes failed. */
  long failedRefreshes() {
    return failedRefreshes.get();
  }

  /** Returns the failure of the last refresh; null if it did not fail. */
  @Nullable Exception refreshFailure() {
    return failure;
  }

  /**
   * Changes over to the version in service, which may have changes of a log. No other refresh uses
   * these: their owner frees them afterwards.
   */
  boolean refresh(ChangeTable grown) throws IOException {
    try {
      return changeOver(grown);
    } finally {
      tryCloseUnused();
    }
  }

  private synchronized boolean changeOver(ChangeTable grown) throws IOException {
    requireOpen();
    HeldVersion previous = held;
    if (previous == null || isSettled()) {
      return changeOver((String) null);
    }
    previous.reader().snapshot().grown(grown);
    try {
      return changeOver((String) null);
    } finally {
      previous.reader().snapshot().grown(null);
    }
  }

  /**
   * Changes over to the version in service.
   *
   * @param untried a version to leave alone
   * @return whether another version than before is in use
   * @throws IOException if it cannot be found or opened; the version in use stays
   */
  boolean refresh(@Nullable String untried) throws IOException {
    try {
      return changeOver(untried);
    } finally {
      tryCloseUnused();
    }
  }

  private synchronized boolean changeOver(@Nullable String untried) throws IOException {
    requireOpen();
    if (isSettled()) {
      return false;
    }
    String version = null;
    boolean unwanted = false;
    Manifest next;
    try {
      HeldVersion previous = held;
      version = previous == null ? versions.current() : versions.requireCurrent(previous.name());
      if (version != null && version.equals(untried)) {
        return false;
      }
      if (version == null || (previous != null && version.equals(previous.name()))) {
        refused = null;
        failure = null;
        return false;
      }
      next = versions.manifest(version);
      unwanted = true;
      check.accept(next);
      unwanted = false;
      // What comes after nothing is not warmed up: until it serves, every key is absent.
      ReaderOptions how = previous == null ? options : options.forSuccessor();
      held = new HeldVersion(versions.open(next, how, previous == null ? null : previous.reader()));
      if (previous != null) {
        release(previous);
      }
    } catch (IOException | RuntimeException | Error e) {
      if (closed) {
        throw e; // closing has interrupted it
      }
      if (e instanceof NoSuchFileException && isReplaced(version)) {
        return changeOver(untried);
      }
      Exception cause =
          e instanceof Exception exception
              ? exception
              : new IOException("%s: version %s: %s".formatted(this, version, e), e);
      refused = (unwanted && e instanceof Exception) || isLasting(cause) ? version : null;
      failure = cause;
      failedRefreshes.incrementAndGet();
      String failed = version;
      Closing.after(e, () -> listener.onRefreshFailed(failed, cause));
      throw e;
    }
    refused = null;
    failure = null;
    listener.onRefreshed(next);
    return true;
  }

  /** Returns whether opening the same version again would fail the same way. */
  private static boolean isLasting(Exception e) {
    return e instanceof CorruptSnapshotException || e instanceof UnsupportedVersionException;
  }

  /**
   * Lets a version go.
   *
   * @return whether it is now to be closed, by {@link #closeUnused}
   */
  boolean release(HeldVersion version) {
    return version.release() && unused.add(version.reader());
  }

  /**
   * Closes versions that nobody holds any more. To unmap a large one takes long: not for a thread
   * that answers lookups. Does not wait for a refresh, nor has one wait: stages of futures, which a
   * close waits for, may refresh or close the table. In a lookup that it would wait for it leaves
   * them to the next refresh, or to {@link #close}.
   */
  void closeUnused() throws IOException {
    if (calls != null && !unused.isEmpty() && LentBytes.isLending()) {
      return;
    }
    for (SnapshotReader next = unused.poll(); next != null; next = unused.poll()) {
      if (calls != null) {
        calls.awaitEnd();
      }
      next.close();
    }
  }

  /** Closes them; a failure is logged, for it concerns no version in use. */
  void tryCloseUnused() {
    try {
      closeUnused();
    } catch (IOException | RuntimeException e) {
      LOG.error("{}: closing a version that nobody uses failed", this, e);
    }
  }

  /** Closes them, on the refresh thread, for whose end closing may not have waited. */
  void closeUnusedInBackground() {
    tryCloseUnused();
    closeIfRefused();
  }

  /** Refuses further use. If a refresh in flight fails now, that counts for nothing. */
  void refuseUse() {
    closed = true;
  }

  /**
   * Closes if use is refused: the thread that refused it may not have waited for the refresh
   * thread.
   */
  void closeIfRefused() {
    if (closed) {
      try {
        close();
      } catch (IOException | RuntimeException e) {
        LOG.error("{}: closing failed", this, e);
      }
    }
  }

  /**
   * Waits for a refresh in flight and lets the version go, which is closed after its last holder.
   * Idempotent.
   */
  @Override
  public void close() throws IOException {
    closed = true;
    synchronized (this) {
      if (!released) {
        released = true;
        versions.release();
        HeldVersion last = held;
        if (last != null) {
          release(last);
        }
      }
    }
    closeUnused();
  }
}
