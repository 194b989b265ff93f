package io.bsdb.compact;

import io.bsdb.format.Internal;
import io.bsdb.format.segment.SegmentWriter;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.LocalCopies;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.overlay.ChangeCursor;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.Build;
import io.bsdb.table.Changes;
import io.bsdb.table.History;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
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
      try (SnapshotReader reader = copies.open(manifest, partition -> plan.folding[partition])) {
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

  /** What is to be done. */
  private static final class Plan {
    final Manifest manifest;

    /** Number of changed keys, by partition. */
    final long[] counts;

    /** Which partitions are to be folded. */
    final boolean[] folding;

    /** Segments of which some changes are not folded then. */
    final List<SegmentFile> left;

    Plan(Manifest manifest, long[] counts, boolean[] folding, List<SegmentFile> left) {
      this.manifest = manifest;
      this.counts = counts;
      this.folding = folding;
      this.left = left;
    }

    int foldedPartitions() {
      int folded = 0;
      for (boolean fold : folding) {
        folded += fold ? 1 : 0;
      }
      return folded;
    }
  }

  private Plan plan(Manifest manifest, @Nullable Overlay changes) {
    if (changes == null) {
      int partitions = manifest.partitions().size();
      return new Plan(manifest, new long[partitions], new boolean[partitions], List.of());
    }
    long[] counts = counts(manifest, changes);
    boolean[] folding = folding(manifest, counts);
    return new Plan(manifest, counts, folding, segmentsLeft(manifest, folding, counts));
  }

  private Result carryOut(Plan plan, SnapshotReader reader) throws IOException {
    int folded = plan.foldedPartitions();
    boolean merges = plan.left.size() > maxSegments;
    if (folded == 0 && !merges) {
      return new Result(plan.manifest, 0, 0);
    }
    Build build = table.begin();
    try {
      Map<Integer, List<PartitionFile>> files =
          new PartitionFolder(reader, table, build, directory, throttle).fold(plan.folding);
      @Nullable List<SegmentFile> merged =
          merges ? merge(plan, Objects.requireNonNull(reader.changes())) : null;
      throttle.pass(0);
      Manifest published = table.edit(inService -> edit(inService, plan, build, files, merged));
      return new Result(published, folded, merges ? plan.left.size() : 0);
    } catch (IOException | RuntimeException | Error e) {
      try {
        table.abort(build);
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  private static long lastSegment(Manifest manifest) {
    List<SegmentFile> segments = manifest.changes().segments();
    return segments.get(segments.size() - 1).number();
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

  /** Returns the segments of which some changes are not folded. */
  private static List<SegmentFile> segmentsLeft(
      Manifest manifest, boolean[] folding, long[] counts) {
    long last = lastSegment(manifest);
    return manifest.changes().segments().stream()
        .filter(
            segment ->
                !isFolded(
                    segment,
                    manifest.partitioning(),
                    partition ->
                        folding[partition] || counts[partition] == 0
                            ? last
                            : manifest.partitions().get(partition).foldedThrough()))
        .toList();
  }

  /** Says through which segment a partition is folded. */
  private interface FoldedThrough {
    long of(int partition);
  }

  /** Returns whether all partitions that a segment may have changes of are folded through it. */
  private static boolean isFolded(
      SegmentFile segment, Partitioning partitioning, FoldedThrough through) {
    return partitioning
        .partitions(segment.firstHash(), segment.lastHash())
        .allMatch(partition -> through.of(partition) >= segment.number());
  }

  /** Writes the newest change of each key that is not folded. */
  private List<SegmentFile> merge(Plan plan, Overlay changes) throws IOException {
    Partitioning partitioning = plan.manifest.partitioning();
    try (SegmentFiles files = new SegmentFiles(table.storage())) {
      ChangeCursor cursor = changes.changes();
      while (cursor.next()) {
        byte[] key = cursor.key();
        if (plan.folding[partitioning.partition(key)]) {
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

  /** Applies a compaction of one version to the version in service. */
  private Manifest edit(
      Manifest inService,
      Plan plan,
      Build build,
      Map<Integer, List<PartitionFile>> files,
      @Nullable List<SegmentFile> merged)
      throws IOException {
    Manifest compacted = plan.manifest;
    if (ofStream) {
      requireSameJobs(inService, compacted);
    } else {
      table.requireSolePublisher(inService);
    }
    long last = lastSegment(compacted);
    List<SegmentFile> segments = inService.changes().segments();
    List<SegmentFile> old = compacted.changes().segments();
    boolean asBefore = segments.size() >= old.size() && segments.subList(0, old.size()).equals(old);
    // Segments may have been merged since: one with changes from before and after a fold applies as
    // a whole, which changes no answer.
    if (!fileIds(inService).equals(fileIds(compacted))
        || (merged == null ? !inService.follows(compacted) : !asBefore)) {
      throw conflict(inService, compacted);
    }
    List<PartitionFile> partitions = new ArrayList<>();
    for (PartitionFile file : inService.partitions()) {
      List<PartitionFile> folded = files.get(file.partition());
      if (folded != null) {
        folded.forEach(part -> partitions.add(part.folded(build.version(), last)));
      } else if (merged == null && plan.counts[file.partition()] == 0) {
        // No segment has changes of it; one that was folded late may be older than those in it.
        partitions.add(file.foldedThrough(Math.max(file.foldedThrough(), last)));
      } else {
        partitions.add(file);
      }
    }
    List<PartitionFile> numbered = PartitionFolder.numbered(partitions);
    Partitioning partitioning = inService.with(numbered, Map.of(), Changes.NONE).partitioning();
    List<SegmentFile> kept = new ArrayList<>();
    List<SegmentFile> folded = new ArrayList<>();
    if (merged != null) {
      merged.forEach(segment -> kept.add(segment.numbered(last)));
      kept.addAll(segments.subList(old.size(), segments.size()));
      folded.addAll(old);
      folded.removeIf(segment -> !hasFolded(segment, plan));
    } else {
      for (SegmentFile segment : segments) {
        boolean isFolded =
            isFolded(segment, partitioning, partition -> numbered.get(partition).foldedThrough());
        (isFolded ? folded : kept).add(segment);
      }
    }
    History history = history(inService.changes().history(), folded);
    return inService.with(
        numbered, inService.sourcePositions(), inService.changes().in(kept, history));
  }

  /**
   * Returns whether a segment may have changes that are in partition files and in no other segment:
   * of the partitions that there were before the fold, as one whose rows were all deleted is in no
   * manifest any more.
   */
  private static boolean hasFolded(SegmentFile segment, Plan plan) {
    Manifest compacted = plan.manifest;
    return compacted
        .partitioning()
        .partitions(segment.firstHash(), segment.lastHash())
        .anyMatch(
            partition ->
                plan.folding[partition]
                    || compacted.partitions().get(partition).foldedThrough() >= segment.number());
  }

  private static List<UUID> fileIds(Manifest manifest) {
    return manifest.partitions().stream().map(PartitionFile::fileId).toList();
  }

  /** Returns the history with further segments, but for those that are old enough to go. */
  private History history(History before, List<SegmentFile> folded) throws IOException {
    List<SegmentFile> all = new ArrayList<>(before.segments());
    // Those up to there are needed by no build that is accepted.
    folded.stream().filter(segment -> segment.number() > before.after()).forEach(all::add);
    all.sort(Comparator.comparingLong(SegmentFile::number));
    Instant limit = Instant.now().minus(keepHistory);
    int gone = Math.max(0, all.size() - History.MAX_SEGMENTS);
    for (int i = Math.max(1, gone); i < all.size(); i++) {
      if (all.get(i).number() == all.get(i - 1).number()) {
        gone = i + 1; // merged under the number of one that is kept: which was first is not known
      }
    }
    while (gone < all.size()
        && !table.storage().lastModified(all.get(gone).path()).isAfter(limit)) {
      gone++;
    }
    return new History(
        before.line(),
        gone == 0 ? before.after() : all.get(gone - 1).number(),
        all.subList(gone, all.size()));
  }

  /** Refuses what was begun for a job that another one has taken the place of since. */
  private void requireSameJobs(Manifest inService, Manifest compacted)
      throws PublishConflictException {
    if (!jobs(inService).equals(jobs(compacted))) {
      throw new PublishConflictException(
          "another job goes on with the stream: table=%s compacted=%s in service=%s; nothing was replaced, that job will fold"
              .formatted(table.storage(), compacted.version(), inService.version()));
    }
  }

  private static Set<UUID> jobs(Manifest manifest) {
    return manifest.changes().streams().values().stream()
        .map(progress -> progress.last().incarnation())
        .collect(Collectors.toSet());
  }

  private PublishConflictException conflict(Manifest inService, Manifest compacted) {
    return new PublishConflictException(
        "the table was rebuilt or compacted meanwhile: table=%s compacted=%s in service=%s; nothing was replaced, run the compaction again"
            .formatted(table.storage(), compacted.version(), inService.version()));
  }
}
