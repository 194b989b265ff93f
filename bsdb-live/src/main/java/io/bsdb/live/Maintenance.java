package io.bsdb.live;

import io.bsdb.compact.Author;
import io.bsdb.compact.Background;
import io.bsdb.compact.Compactor;
import io.bsdb.compact.Upkeep;
import io.bsdb.compact.UpkeepSettings;
import io.bsdb.compact.Workplace;
import io.bsdb.format.io.Closing;
import io.bsdb.format.io.IOFunction;
import io.bsdb.format.segment.LogSegment.Place;
import io.bsdb.live.log.Log;
import io.bsdb.live.log.LogIndex;
import io.bsdb.live.log.SegmentSupply;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Publishes and folds changes in the background when there are many, and makes writers wait if they
 * are faster than that.
 */
final class Maintenance implements Upkeep.Listener, Log.Continuation, Closeable {
  private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);
  private static final long MIN_PUBLISHED_LENGTH = 16 << 20;

  /** The log is published when its full segments have reached this part of the table. */
  private static final int PUBLISHED_PART = 20;

  /** How many times that length may be written during a publication before writers wait. */
  private static final int MEANWHILE = 2;

  /**
   * Number of steps in which all partitions are folded: a step needs space for a second copy of
   * what it folds.
   */
  private static final int STEPS = 16;

  /** Load from which folds ignore the limit of their rate. */
  private static final double HURRY = 1.1;

  private final TableReader base;
  private final Log log;
  private final SegmentSupply segments;
  private final Publisher publisher;
  private final long maxPublishedLength;
  private final Backpressure backpressure = new Backpressure(this::obstacle);
  private final Background publishing;
  private final Background pruning;
  private final Upkeep upkeep;
  private final AtomicLong folds = new AtomicLong();
  private volatile ChangedKeys changedKeys = ChangedKeys.NONE;

  /** Guards the load; nobody who holds it waits for other threads' work. */
  private final Object adjusting = new Object();

  /**
   * @param base the version under the log
   * @param segments of the log
   * @param maxPublishedLength maximum length of the log at which it is published
   */
  Maintenance(
      Path directory,
      Table table,
      TableReader base,
      Log log,
      SegmentSupply segments,
      Publisher publisher,
      long maxPublishedLength,
      WritableOptions options) {
    this.base = base;
    this.log = log;
    this.segments = segments;
    this.publisher = publisher;
    this.maxPublishedLength = maxPublishedLength;
    this.publishing = new Background("bsdb-publish", this::publishDue, FOREVER, this::adjustLoad);
    this.pruning = new Background("bsdb-prune", publisher::prune, Publisher.KEPT, () -> {});
    UpkeepSettings settings =
        new UpkeepSettings(
            options.maxSpace(),
            options.maxChangedFraction(),
            options.maxChangedKeys(),
            Compactor.MAX_SEGMENTS,
            Duration.ZERO,
            options.compactionBytesPerSecond(),
            STEPS);
    BaseWorkplace workplace = new BaseWorkplace(directory, base);
    this.upkeep =
        new Upkeep(
            "bsdb-fold", table, Author.ANYONE, settings, () -> workplace, this, Publisher.KEPT);
  }

  /**
   * Begins with what is due; before the first write. Starts all threads, so that no write fails
   * because one cannot be started.
   */
  void start() {
    log.continuesBy(this);
    adjustLoad();
    publishing.wake();
    upkeep.wake();
    pruning.wake();
  }

  /** Waits until changes may be written. */
  void admit(long bytes) throws IOException {
    backpressure.admit(bytes);
  }

  /** Publishes the log if it has become long. */
  private void publishDue() throws IOException {
    if (log.completeLength() >= publishedLength()) {
      publisher.publishCut();
      published();
    }
  }

  @Override
  public @Nullable LogIndex nextIndex() throws IOException {
    return log.length() >= publishedLength() ? publisher.nextIndex() : null;
  }

  @Override
  public void continued(Place end, @Nullable LogIndex next) {
    if (next != null) {
      publisher.cutAt(end, next);
    }
    adjustLoad();
  }

  /**
   * Starts work in the background, and slows writers down, as necessary. One thread at a time: else
   * a load from before a fold could be set after that from after it, and writers wait for nothing.
   */
  void adjustLoad() {
    synchronized (adjusting) {
      double unpublished = unpublished();
      double unfolded = unfolded();
      backpressure.set(Math.max(unpublished, unfolded));
      upkeep.hurry(unfolded >= HURRY);
      if (unpublished >= 1 && publishing.failure() == null) {
        publishing.wake();
      }
    }
  }

  /** Returns the bytes of the partition files. */
  long baseBytes() {
    return base.isEmpty() ? 0 : base.manifest().length();
  }

  /** Returns the bytes of published changes that are not folded. */
  long changeBytes() {
    return base.isEmpty() ? 0 : base.manifest().changes().length();
  }

  /**
   * Returns how near the log is to its limits: 1 where it is published, 2 where writers wait for
   * that.
   */
  private double unpublished() {
    double due = (double) log.completeLength() / publishedLength();
    return due < 1 ? due : 1 + (due - 1) / MEANWHILE;
  }

  private double unfolded() {
    ChangedKeys keys = changedKeys;
    return base.isEmpty() ? 0 : upkeep.load(base.manifest(), keys.count(), keys.newKeys());
  }

  /** Returns the length of the log at which it is published. */
  private long publishedLength() {
    long bytes = Math.max(baseBytes(), changeBytes()) / PUBLISHED_PART;
    return Math.min(maxPublishedLength, Math.max(MIN_PUBLISHED_LENGTH, bytes));
  }

  /** Returns changes that wait, as a fraction of those at which work in the background begins. */
  double load() {
    return backpressure.load();
  }

  /** Returns why work in the background failed last; null if it did not. */
  @Nullable Throwable failure() {
    Throwable failure = failureOfFolds();
    return failure == null ? pruning.failure() : failure;
  }

  private @Nullable Throwable failureOfFolds() {
    Throwable failure = publishing.failure();
    return failure == null ? upkeep.failure() : failure;
  }

  private @Nullable String obstacle() {
    Throwable failure = failureOfFolds();
    if (failure != null) {
      return "that fails: " + failure;
    }
    return upkeep.isPaused() && unfolded() >= Backpressure.FULL
        ? "compaction is paused: resume it"
        : null;
  }

  void publish() throws IOException {
    publisher.publish();
    published();
  }

  LogPosition copyTo(Path target) throws IOException {
    LogPosition position = publisher.copyTo(target);
    published();
    return position;
  }

  private void published() throws IOException {
    count();
    // A segment is begun before the table grows; one alone is to be long enough then.
    segments.limit(publishedLength() * 5 / 4);
    adjustLoad();
    upkeep.wake();
    // Not pruned: the version has all files of the one before. Once a minute is enough for the age.
  }

  void compact() throws IOException {
    publish();
    upkeep.foldAll();
    adjustLoad();
  }

  @Override
  public void begins() throws IOException {
    count();
  }

  /** After a rollback the first publication begins a line of versions of its own. */
  @Override
  public boolean overtaken(Manifest planned) throws IOException {
    base.refresh();
    return !base.version().equals(planned.version());
  }

  @Override
  public void published(Compactor.Result step) throws IOException {
    folds.addAndGet(step.foldedPartitions());
    base.refresh();
    count();
    adjustLoad(); // writers may wait, and many steps may follow
    pruneSoon();
  }

  /** Deletes old versions in a separate thread, so that folds need not wait for it. */
  private void pruneSoon() {
    if (pruning.failure() == null) {
      pruning.wake();
    }
  }

  @Override
  public void ended() {
    adjustLoad();
  }

  /** Counts the changed keys of the version that is now in use. */
  private synchronized void count() throws IOException {
    if (!base.isEmpty()) {
      try (TableReader.Lease lease = base.lease()) {
        Overlay changes = lease.reader().changes();
        Manifest manifest = lease.reader().manifest();
        changedKeys =
            changedKeys.next(
                manifest.changes().lastSegment(),
                manifest.recordCount(),
                changes == null ? 0 : changes.changedKeys());
      }
    }
  }

  /** Returns the number of changed keys that are published and not folded. */
  long changedKeys() {
    return changedKeys.count();
  }

  /** Returns the number of partitions that were folded. */
  long folds() {
    return folds.get();
  }

  void pause() {
    upkeep.pause();
    adjustLoad();
  }

  void resume() {
    upkeep.resume();
  }

  /** Releases all that wait, then waits for the work in the background. */
  @Override
  public void close() throws IOException {
    backpressure.close();
    upkeep.stop();
    Closing.all(List.of(publishing, publisher, upkeep, pruning));
  }

  /** Folds and merges the version under a log where lookups have it open. */
  private record BaseWorkplace(Path directory, TableReader reader) implements Workplace {
    @Override
    public @Nullable Manifest inService() {
      return reader.isEmpty() ? null : reader.manifest();
    }

    @Override
    public <T> T open(Manifest manifest, Set<UUID> partitions, IOFunction<SnapshotReader, T> work)
        throws IOException {
      try (TableReader.Lease lease = reader.lease()) {
        return work.apply(lease.reader());
      }
    }

    @Override
    public SnapshotReader open(Manifest manifest, IntPredicate partitions) throws IOException {
      return SnapshotReader.openVersion(directory, manifest, ReaderOptions.defaults(), partitions);
    }
  }
}
