package io.bsdb.compact;

import io.bsdb.format.Internal;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Compacts a table that has changes over its partition files: folds them into new files, partition
 * by partition, and merges what is left into one segment. Answers before and after are the same.
 * Publishes an edit of the version that is in service by then, so that deltas published meanwhile
 * are kept. Readers open only the files that are new. Used by one thread.
 *
 * <p>One run, with limits that the caller sets: {@code UpkeepPolicy} decides by them what is due
 * and plans it, {@code PlanRunner} carries the plan out. What folds tables in the background is
 * {@code Upkeep}.
 */
public final class Compactor {
  /** Default number of changes per record from which a partition is folded. */
  public static final double FOLD_FRACTION = 0.25;

  /** Default number of segments above which those that stay are merged. */
  public static final int MAX_SEGMENTS = 64;

  /** Default time for which folded segments are kept. */
  public static final Duration KEEP_HISTORY = Duration.ofDays(1);

  private final Table table;
  private final Workplace workplace;
  private Duration keepHistory = KEEP_HISTORY;
  private double foldFraction = FOLD_FRACTION;
  private int maxSegments = MAX_SEGMENTS;
  private int maxPartitions = Integer.MAX_VALUE;
  private InstantSource clock = InstantSource.system();
  private Throttle throttle = new Throttle(Long.MAX_VALUE);

  /**
   * @param directory of the table, on a local disk
   */
  public Compactor(Path directory) {
    this(directory, Table.at(directory));
  }

  /**
   * Creates a compactor of a table whose files are changed through some storage.
   *
   * @hidden
   */
  @Internal
  public Compactor(Path directory, Table table) {
    this(table, Workplace.in(directory, table));
  }

  private Compactor(Table table, Workplace workplace) {
    this.table = table;
    this.workplace = workplace;
  }

  /**
   * Creates a compactor of a table that lies elsewhere. Segments, and the partition files that are
   * folded, are copied and verified first.
   *
   * @param temporary an empty local directory of this compactor alone; what is in it afterwards is
   *     the caller's to delete. Takes the length of all changes, and twice that of the partitions
   *     that a run folds.
   */
  public static Compactor remote(Table table, Path temporary) {
    return new Compactor(table, Workplace.copies(table, temporary, () -> {}));
  }

  /**
   * Folds a partition if its changes reach this fraction of its records; 0 folds all that have any.
   */
  public Compactor foldFraction(double value) {
    if (!(value >= 0)) {
      throw new IllegalArgumentException("fold fraction: expected>=0 actual=" + value);
    }
    foldFraction = value;
    return this;
  }

  /** Sets the number of segments above which those that stay are merged, at least 1. */
  public Compactor maxSegments(int value) {
    if (value < 1) {
      throw new IllegalArgumentException("maximum number of segments: expected>=1 actual=" + value);
    }
    maxSegments = value;
    return this;
  }

  /**
   * Sets how long folded segments are kept after they were written, so that a build whose data was
   * read before the fold can replace the partition files without losing a change.
   */
  public Compactor keepHistory(Duration value) {
    if (value.isNegative()) {
      throw new IllegalArgumentException(
          "time to keep folded segments: expected>=0 actual=" + value);
    }
    keepHistory = value;
    return this;
  }

  /**
   * Limits the number of partitions that a run folds: those with the most changes for their size.
   */
  public Compactor maxPartitions(int value) {
    if (value < 1) {
      throw new IllegalArgumentException(
          "maximum number of partitions: expected>=1 actual=" + value);
    }
    maxPartitions = value;
    return this;
  }

  /** Limits the rate of keys and values that are rewritten, in bytes per second. */
  public Compactor maxBytesPerSecond(long value) {
    if (value < 1) {
      throw new IllegalArgumentException("bytes per second: expected>=1 actual=" + value);
    }
    throttle = new Throttle(value);
    return this;
  }

  /** Sets the clock by which rows of a history grow old: the system's unless set. */
  Compactor clock(InstantSource value) {
    clock = value;
    return this;
  }

  /** Pauses this run, or the next one, until {@link #resume}. Called by any thread. */
  public void pause() {
    throttle.pause();
  }

  /** Ends a {@link #pause}. By any thread. */
  public void resume() {
    throttle.resume();
  }

  /**
   * Stops this run and all later ones with an {@link java.io.InterruptedIOException}. Called by any
   * thread.
   */
  public void stop() {
    throttle.stop();
  }

  /**
   * Outcome of a compaction.
   *
   * @param manifest of the version in service
   * @param foldedPartitions how many partitions were folded
   * @param mergedSegments how many segments became one; 0 if none did
   */
  public record Result(Manifest manifest, int foldedPartitions, int mergedSegments) {
    /** Returns the outcome of this and a later one together. */
    Result and(Result later) {
      return new Result(
          later.manifest,
          foldedPartitions + later.foldedPartitions,
          mergedSegments + later.mergedSegments);
    }
  }

  /**
   * Compacts the version in service: publishes a version with the folds, and then one with the
   * merge.
   *
   * @throws PublishConflictException if its partition files were replaced meanwhile, or if a stream
   *     is written into the table and its storage has no locks; what this run did not publish was
   *     not changed then
   */
  public Result run() throws IOException {
    UpkeepPolicy policy =
        new UpkeepPolicy(
            new UpkeepSettings(
                Double.POSITIVE_INFINITY,
                foldFraction,
                Long.MAX_VALUE,
                maxSegments,
                keepHistory,
                Long.MAX_VALUE,
                1),
            clock);
    JobContext context = new JobContext(table, Author.ANYONE, keepHistory, throttle);
    try (workplace) {
      Manifest manifest = table.manifest(table.requireCurrentVersion());
      table.requireSolePublisher(manifest);
      List<Result> steps = new ArrayList<>();
      PlanRunner runner = new PlanRunner(context, workplace, steps::add);
      runner.run(
          workplace.open(
              manifest, Set.of(), version -> plan(policy, manifest, ChangeCounts.of(version))));
      runner.run(policy.mergeAll(table.manifest(table.requireCurrentVersion())));
      Result all = new Result(manifest, 0, 0);
      for (Result step : steps) {
        all = all.and(step);
      }
      return all;
    }
  }

  /** Rows of a history are dropped from all partitions at once, or not at all. */
  private Plan plan(UpkeepPolicy policy, Manifest manifest, ChangeCounts counts) {
    Plan retention = policy.retention(manifest, counts);
    return retention.isNothing() || retention.folding().size() > maxPartitions
        ? policy.fold(manifest, counts, foldFraction).atMost(maxPartitions)
        : retention;
  }
}
