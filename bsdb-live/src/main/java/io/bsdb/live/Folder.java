package io.bsdb.live;

import io.bsdb.compact.Compactor;
import io.bsdb.format.segment.SegmentWriter;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.Changes;
import io.bsdb.table.Manifest;
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
  /** Of all partitions, how many a step folds. */
  private static final int STEPS = 8;

  private final ReentrantLock lock = new ReentrantLock();
  private final TableReader reader;
  private final Publisher publisher;
  private final Compactor compactor;
  private final long maxChangedKeys;
  private final AtomicLong folds = new AtomicLong();
  private volatile boolean paused;
  private volatile long changedKeys;
  private boolean closed;

  Folder(
      Path directory,
      Table table,
      TableReader reader,
      Publisher publisher,
      WritableOptions options) {
    this.reader = reader;
    this.publisher = publisher;
    this.maxChangedKeys = options.maxChangedKeys();
    this.compactor =
        new Compactor(directory, table)
            .keepHistory(Duration.ZERO)
            .maxBytesPerSecond(options.compactionBytesPerSecond());
  }

  /** Folds what is due. */
  void foldDue() throws IOException {
    count();
    if (paused || reader.isEmpty()) {
      return;
    }
    Manifest manifest = reader.manifest();
    long changed = changedKeys();
    boolean tooMany =
        changed >= maxChangedKeys
            || manifest.changes().segments().size() > Changes.MAX_SEGMENTS / 2;
    if (tooMany) {
      fold(0);
    } else if (changed >= Compactor.FOLD_FRACTION * manifest.recordCount()) {
      fold(Compactor.FOLD_FRACTION / 2);
    } else if (manifest.changes().segments().size() > Compactor.MAX_SEGMENTS) {
      fold(Double.POSITIVE_INFINITY); // merges
    }
  }

  /**
   * Folds partitions whose changes reach a fraction of their records; each once, though changes go
   * on.
   */
  void fold(double fraction) throws IOException {
    lock.lock();
    try {
      if (closed) {
        throw new IOException("the table is closed; nothing was folded");
      }
      if (reader.isEmpty()) {
        return;
      }
      compactor.through(reader.manifest().changes().lastSegment());
      Compactor.Result result;
      do {
        result = step(fraction);
      } while (result.foldedPartitions() > 0);
    } finally {
      lock.unlock();
    }
  }

  private Compactor.Result step(double fraction) throws IOException {
    Compactor.Result result;
    try (TableReader.Lease lease = reader.lease()) {
      SnapshotReader version = lease.reader();
      boolean mergeable = version.manifest().changes().length() <= SegmentWriter.TARGET_LENGTH / 2;
      result =
          compactor
              .foldFraction(fraction)
              .maxPartitions(Math.max(1, version.manifest().partitions().size() / STEPS))
              .maxSegments(mergeable ? Compactor.MAX_SEGMENTS : Changes.MAX_SEGMENTS)
              .run(version);
    }
    folds.addAndGet(result.foldedPartitions());
    if (reader.refresh()) {
      publisher.prune();
    }
    count();
    return result;
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

  /** Has a fold end soon. */
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
