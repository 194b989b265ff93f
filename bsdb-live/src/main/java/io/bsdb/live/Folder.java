package io.bsdb.live;

import io.bsdb.compact.Compactor;
import io.bsdb.format.segment.SegmentWriter;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.Changes;
import io.bsdb.table.Manifest;
import io.bsdb.table.SegmentFile;
import io.bsdb.table.Table;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Folds published changes into new partition files, a few partitions at a time, so that no second
 * copy of the table is needed.
 */
final class Folder implements Closeable {
  /** A step folds one eighth of the partitions. */
  private static final int STEPS = 8;

  /** Segments from which on all partitions are folded. */
  private static final int MAX_SEGMENTS = Changes.MAX_SEGMENTS / 2;

  /** Space besides the segments, as a multiple of the base: itself, a step, old files, the log. */
  private static final double OTHER_SPACE = 1.6;

  /** The space that small tables may take. */
  private static final double MIN_SPACE = 256e6;

  /** Changed keys per change below which segments are merged, since most changes are superseded. */
  private static final double SUPERSEDED = 0.5;

  private final ReentrantLock lock = new ReentrantLock();
  private final TableReader reader;
  private final Publisher publisher;
  private final Compactor compactor;
  private final long maxChangedKeys;
  private final double maxSpace;
  private final double maxChangedFraction;
  private final AtomicLong folds = new AtomicLong();
  private volatile boolean paused;
  private volatile long changedKeys;
  private boolean closed;

  /** The last segment when partitions were folded last. */
  private long lastFold;

  Folder(
      Path directory,
      Table table,
      TableReader reader,
      Publisher publisher,
      WritableOptions options) {
    this.reader = reader;
    this.publisher = publisher;
    this.maxChangedKeys = options.maxChangedKeys();
    this.maxSpace = options.maxSpace();
    this.maxChangedFraction = options.maxChangedFraction();
    this.compactor =
        new Compactor(directory, table)
            .keepHistory(Duration.ZERO)
            .maxBytesPerSecond(options.compactionBytesPerSecond());
  }

  /** Folds or merges what is due, a step after the other. */
  void foldDue() throws IOException {
    publisher.prune();
    count();
    while (!paused && !reader.isEmpty() && due()) {}
  }

  /**
   * Takes one step if one is due; returns whether another one may be.
   *
   * <p>A fold of all partitions writes the base once and takes the changes off that there were when
   * it began. So it pays to fold late; and it pays to fold a few partitions at a time, those with
   * the most changes, whenever a part of the limit has been written: then the bytes of all segments
   * stay about as they are, where folding all at once would need room for what comes meanwhile.
   */
  private boolean due() throws IOException {
    Manifest manifest = reader.manifest();
    Changes changes = manifest.changes();
    long bytes = changes.length();
    long limit = maxChangeBytes();
    boolean full = changedKeys >= maxChangedKeys || changes.segments().size() > MAX_SEGMENTS;
    if (full) {
      fold(0);
      return false;
    }
    boolean isNext = bytes >= limit / 2 && lastBytes(changes) >= limit / STEPS;
    if (bytes >= limit || isNext) {
      if (changedKeys < (long) (SUPERSEDED * changes.count()) && isMergeable(changes)) {
        return step(Double.POSITIVE_INFINITY, 1).mergedSegments() > 0;
      }
      lastFold = changes.lastSegment();
      return step(0, Changes.MAX_SEGMENTS).foldedPartitions() > 0;
    }
    if (changedKeys >= maxChangedFraction * manifest.recordCount()) {
      fold(maxChangedFraction / 2);
      return false;
    }
    return changes.segments().size() > Compactor.MAX_SEGMENTS
        && isMergeable(changes)
        && step(Double.POSITIVE_INFINITY, Compactor.MAX_SEGMENTS).mergedSegments() > 0;
  }

  /** Returns the bytes that were published after the last fold. */
  private long lastBytes(Changes changes) {
    return changes.segments().stream()
        .filter(segment -> segment.number() > lastFold)
        .mapToLong(SegmentFile::length)
        .sum();
  }

  /** Returns whether what merging leaves fits one segment. */
  private boolean isMergeable(Changes changes) {
    double left = changes.length() * Math.min(1, changedKeys / (double) (1 + changes.count()));
    return changes.segments().size() > 1 && left <= SegmentWriter.TARGET_LENGTH / 2;
  }

  /**
   * Returns the bytes of segments that leave room for a step's new files, the old ones that are
   * still open, and the log.
   */
  long maxChangeBytes() {
    return (long) ((maxSpace - OTHER_SPACE) * Math.max((double) baseBytes(), MIN_SPACE / maxSpace));
  }

  /** Returns the bytes of the partition files. */
  long baseBytes() {
    return reader.isEmpty() ? 0 : reader.manifest().length();
  }

  /** Returns the bytes of published changes that are not folded. */
  long changeBytes() {
    return reader.isEmpty() ? 0 : reader.manifest().changes().length();
  }

  /** Lets folds go on without a limit of their rate while writers would have to wait. */
  void hurry(boolean value) {
    compactor.unlimited(value);
  }

  /**
   * Folds partitions whose changes reach a fraction of their records; each once, though changes go
   * on.
   */
  void fold(double fraction) throws IOException {
    lock.lock();
    try {
      if (reader.isEmpty()) {
        requireOpen();
        return;
      }
      long last = reader.manifest().changes().lastSegment();
      compactor.through(last);
      try {
        Compactor.Result result;
        do {
          result = step(fraction, Changes.MAX_SEGMENTS);
        } while (result.foldedPartitions() > 0);
        lastFold = last;
      } finally {
        compactor.through(Long.MAX_VALUE);
      }
    } finally {
      lock.unlock();
    }
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("the table is closed; nothing was folded");
    }
  }

  private Compactor.Result step(double fraction, int maxSegments) throws IOException {
    lock.lock();
    try {
      requireOpen();
      Compactor.Result result;
      try (TableReader.Lease lease = reader.lease()) {
        SnapshotReader version = lease.reader();
        result =
            compactor
                .foldFraction(fraction)
                .maxPartitions(Math.max(1, version.manifest().partitions().size() / STEPS))
                .maxSegments(maxSegments)
                .run(version);
      }
      folds.addAndGet(result.foldedPartitions());
      if (reader.refresh()) {
        publisher.prune();
      }
      count();
      return result;
    } finally {
      lock.unlock();
    }
  }

  /** Counts the changed keys of the version that is now in use. */
  synchronized void count() throws IOException {
    if (!reader.isEmpty()) {
      try (TableReader.Lease lease = reader.lease()) {
        Overlay changes = lease.reader().changes();
        changedKeys = changes == null ? 0 : changes.changedKeys();
      }
    }
  }

  /** Returns the number of changed keys that are published and not folded. */
  long changedKeys() {
    return changedKeys;
  }

  long folds() {
    return folds.get();
  }

  boolean isPaused() {
    return paused;
  }

  void pause() {
    paused = true;
    compactor.pause();
  }

  void resume() {
    paused = false;
    compactor.resume();
  }

  /** Asks a running fold to stop. */
  void stop() {
    compactor.stop();
  }

  /** Waits for a fold to end; there is none any more. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
  }
}
