package io.bsdb.compact;

import io.bsdb.table.Build;
import io.bsdb.table.Changes;
import io.bsdb.table.History;
import io.bsdb.table.Manifest;
import io.bsdb.table.PartitionFile;
import io.bsdb.table.Partitioning;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.SegmentFile;
import io.bsdb.table.Table;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The version that follows from a compaction, whichever is in service by then. */
final class CompactionEdit {
  private final Table table;
  private final Plan plan;
  private final Build build;
  private final Map<Integer, List<PartitionFile>> files;
  private final @Nullable List<SegmentFile> merged;
  private final Duration keepHistory;

  /**
   * @param files that take the place of the folded partitions, by their numbers
   * @param merged that takes the place of all segments; null if they are not merged
   */
  CompactionEdit(
      Table table,
      Plan plan,
      Build build,
      Map<Integer, List<PartitionFile>> files,
      @Nullable List<SegmentFile> merged,
      Duration keepHistory) {
    this.table = table;
    this.plan = plan;
    this.build = build;
    this.files = files;
    this.merged = merged;
    this.keepHistory = keepHistory;
  }

  /** Applies a compaction of one version to the version in service. */
  Manifest apply(Manifest inService) throws IOException {
    Manifest compacted = plan.manifest();
    long last = plan.lastSegment();
    List<SegmentFile> segments = inService.changes().segments();
    List<SegmentFile> old = compacted.changes().segments();
    boolean asBefore = segments.size() >= old.size() && segments.subList(0, old.size()).equals(old);
    // Segments may have been merged since: one with changes from before and after a fold applies as
    // a whole, which changes no answer.
    if (!fileIds(inService).equals(fileIds(compacted))
        || (merged == null ? !inService.follows(compacted) : !asBefore)) {
      throw conflict(inService);
    }
    List<PartitionFile> partitions = new ArrayList<>();
    for (PartitionFile file : inService.partitions()) {
      List<PartitionFile> folded = files.get(file.partition());
      if (folded != null) {
        folded.forEach(part -> partitions.add(part.folded(build.version(), last)));
      } else if (merged == null && plan.counts()[file.partition()] == 0) {
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
      folded.removeIf(segment -> !plan.hasFolded(segment));
    } else {
      for (SegmentFile segment : segments) {
        boolean isFolded =
            Plan.isFolded(
                segment, partitioning, partition -> numbered.get(partition).foldedThrough());
        (isFolded ? folded : kept).add(segment);
      }
    }
    History history = history(inService.changes().history(), folded);
    return inService.with(
        numbered, inService.sourcePositions(), inService.changes().in(kept, history));
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
  void requireSameJobs(Manifest inService) throws PublishConflictException {
    Manifest compacted = plan.manifest();
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

  private PublishConflictException conflict(Manifest inService) {
    return new PublishConflictException(
        "the table was rebuilt or compacted meanwhile: table=%s compacted=%s in service=%s; nothing was replaced, run the compaction again"
            .formatted(table.storage(), plan.manifest().version(), inService.version()));
  }
}
