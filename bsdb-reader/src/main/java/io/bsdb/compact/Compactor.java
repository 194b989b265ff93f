package io.bsdb.compact;

import io.bsdb.format.Internal;
import io.bsdb.format.segment.SegmentWriter;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.LocalCopies;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.overlay.ChangeCursor;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.Build;
import io.bsdb.table.Manifest;
import io.bsdb.table.PartitionFile;
import io.bsdb.table.Partitioning;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.SegmentFile;
import io.bsdb.table.Table;
import io.bsdb.writer.SegmentFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Compacts a table that has changes over its partition files: folds them into new files, partition
 * by partition, and merges what is left into one segment. Answers before and after are the same.
 * Publishes an edit of the version that is in service by then, so that deltas published meanwhile
 * are kept. Readers open only the files that are new. Used by one thread.
 */
public final class Compactor {
  /** Changes per record of a partition from which it is folded, unless told otherwise. */
  public static final double FOLD_FRACTION = 0.25;

  /** Segments beyond which those that stay are merged, unless told otherwise. */
  public static final int MAX_SEGMENTS = 64;

  /** Time for which folded segments are kept, unless told otherwise. */
  public static final Duration KEEP_HISTORY = Duration.ofDays(1);

  private final Path directory;
  private final Table table;
  private final @Nullable LocalCopies copies;
  private boolean ofStream;
  private Duration keepHistory = KEEP_HISTORY;
  private double foldFraction = FOLD_FRACTION;
  private int maxSegments = MAX_SEGMENTS;
  private int maxPartitions = Integer.MAX_VALUE;
  private long through = Long.MAX_VALUE;
  private Throttle throttle = new Throttle(Long.MAX_VALUE);

  /**
   * @param directory of the table, on a local disk
   */
  public Compactor(Path directory) {
    this(directory, Table.at(directory));
  }

  /**
   * Creates a compactor for whoever owns the table.
   *
   * @hidden
   */
  @Internal
  public Compactor(Path directory, Table table) {
    this(directory, table, null);
  }

  private Compactor(Path directory, Table table, @Nullable LocalCopies copies) {
    this.directory = directory;
    this.table = table;
    this.copies = copies;
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
    return new Compactor(temporary, table, new LocalCopies(table, temporary, Long.MAX_VALUE));
  }

  /** Says that it works for the stream that is written into the table. */
  Compactor ofStream() {
    ofStream = true;
    return this;
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

  /** Merges the segments that stay if there are more than so many, at least 1. */
  public Compactor maxSegments(int value) {
    if (value < 1) {
      throw new IllegalArgumentException("maximum number of segments: expected>=1 actual=" + value);
    }
    maxSegments = value;
    return this;
  }

  /**
   * Keeps folded segments for so long after they were written, so that a build whose data was read
   * before the fold can take the place of the partition files and lose no change.
   */
  public Compactor keepHistory(Duration value) {
    if (value.isNegative()) {
      throw new IllegalArgumentException(
          "time to keep folded segments: expected>=0 actual=" + value);
    }
    keepHistory = value;
    return this;
  }

  /** Folds at most so many partitions in a run, those with the most changes for their size. */
  public Compactor maxPartitions(int value) {
    if (value < 1) {
      throw new IllegalArgumentException(
          "maximum number of partitions: expected>=1 actual=" + value);
    }
    maxPartitions = value;
    return this;
  }

  /**
   * Leaves partitions alone that are folded through a segment.
   *
   * @hidden
   */
  @Internal
  public Compactor through(long segment) {
    through = segment;
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

  /**
   * Ignores the limit of the rate, or keeps to it again. Called by any thread.
   *
   * @hidden
   */
  @Internal
  public void unlimited(boolean value) {
    throttle.unlimited(value);
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
  public record Result(Manifest manifest, int foldedPartitions, int mergedSegments) {}

  /**
   * Compacts the version in service.
   *
   * @throws PublishConflictException if its partition files were replaced meanwhile, or if a stream
   *     is written into the table and its storage has no locks; nothing was changed then
   */
  public Result run() throws IOException {
    if (copies == null) {
      try (SnapshotReader reader = SnapshotReader.open(directory, ReaderOptions.defaults())) {
        return run(reader);
      }
    }
    Manifest manifest = table.manifest(table.requireCurrentVersion());
    if (!ofStream) {
      table.requireSolePublisher(manifest);
    }
    try (SnapshotReader changes = copies.open(manifest, partition -> false)) {
      Plan plan = plan(manifest, changes.changes());
      try (SnapshotReader reader = copies.open(manifest, partition -> plan.folding()[partition])) {
        return carryOut(plan, reader);
      }
    } finally {
      copies.release();
    }
  }

  /**
   * Compacts the version in service, which the caller has open.
   *
   * @hidden
   */
  @Internal
  public Result run(SnapshotReader reader) throws IOException {
    table.requireSolePublisher(reader.manifest());
    return carryOut(plan(reader.manifest(), reader.changes()), reader);
  }

  private Plan plan(Manifest manifest, @Nullable Overlay changes) {
    if (changes == null) {
      int partitions = manifest.partitions().size();
      return new Plan(manifest, new long[partitions], new boolean[partitions]);
    }
    long[] counts = counts(manifest, changes);
    return new Plan(manifest, counts, folding(manifest, counts));
  }

  private Result carryOut(Plan plan, SnapshotReader reader) throws IOException {
    int folded = plan.foldedPartitions();
    List<SegmentFile> left = plan.left();
    boolean merges = left.size() > maxSegments;
    if (folded == 0 && !merges) {
      return new Result(plan.manifest(), 0, 0);
    }
    Build build = table.begin();
    try {
      Map<Integer, List<PartitionFile>> files =
          new PartitionFolder(reader, table, build, directory, throttle).fold(plan.folding());
      @Nullable List<SegmentFile> merged =
          merges ? merge(plan, Objects.requireNonNull(reader.changes())) : null;
      throttle.pass(0);
      CompactionEdit edit = new CompactionEdit(table, plan, build, files, merged, keepHistory);
      Manifest published =
          table.edit(
              inService -> {
                if (ofStream) {
                  edit.requireSameJobs(inService);
                } else {
                  table.requireSolePublisher(inService);
                }
                return edit.apply(inService);
              });
      return new Result(published, folded, merges ? left.size() : 0);
    } catch (IOException | RuntimeException | Error e) {
      try {
        table.abort(build);
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /** Returns the number of changed keys of each partition. */
  private static long[] counts(Manifest manifest, Overlay changes) {
    Partitioning partitioning = manifest.partitioning();
    long[] counts = new long[partitioning.count()];
    ChangeCursor cursor = changes.changes();
    while (cursor.next()) {
      counts[partitioning.partition(cursor.key())]++;
    }
    return counts;
  }

  /** Chooses the partitions to fold. */
  private boolean[] folding(Manifest manifest, long[] counts) {
    boolean[] folding = new boolean[counts.length];
    manifest.partitions().stream()
        .filter(
            file ->
                counts[file.partition()] > 0
                    && file.foldedThrough() < through
                    && counts[file.partition()] >= foldFraction * file.recordCount())
        .sorted(
            Comparator.comparingDouble(
                file -> -(double) counts[file.partition()] / (1 + file.recordCount())))
        .limit(maxPartitions)
        .forEach(file -> folding[file.partition()] = true);
    return folding;
  }

  /** Writes the newest change of each key that is not folded. */
  private List<SegmentFile> merge(Plan plan, Overlay changes) throws IOException {
    Partitioning partitioning = plan.manifest().partitioning();
    try (SegmentFiles files = new SegmentFiles(table.storage())) {
      ChangeCursor cursor = changes.changes();
      while (cursor.next()) {
        byte[] key = cursor.key();
        if (plan.folding()[partitioning.partition(key)]) {
          continue;
        }
        if (cursor.isDeleted()) {
          files.delete(key);
          throttle.pass(key.length);
        } else {
          byte[] value = cursor.value();
          files.put(key, value);
          throttle.pass(key.length + value.length);
        }
        if (files.length() > SegmentWriter.TARGET_LENGTH) {
          throw new IOException(
              "changes too large to be merged into one segment: table=%s expected<=%d bytes; fold more of them"
                  .formatted(table.storage(), SegmentWriter.TARGET_LENGTH));
        }
      }
      return files.finish();
    }
  }
}
