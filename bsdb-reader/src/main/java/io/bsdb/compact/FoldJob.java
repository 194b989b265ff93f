package io.bsdb.compact;

import io.bsdb.format.io.Closing;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.Build;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.SegmentFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Folds the changes of some partitions of an open version into new files, and publishes these by an
 * edit of the version in service, so that deltas published meanwhile are kept. Segments whose
 * changes are all folded then go to the history. Used once.
 */
final class FoldJob {
  private final JobContext context;
  private final SnapshotReader version;
  private final Manifest manifest;
  private final Set<UUID> folding;
  private final Path directory;

  /**
   * @param version open, at least its changes and these partitions
   * @param folding the ids of the partition files
   * @param directory a local one, for what is written until the new files are complete
   */
  FoldJob(JobContext context, SnapshotReader version, Set<UUID> folding, Path directory) {
    this.context = context;
    this.version = version;
    this.manifest = version.manifest();
    this.folding = folding;
    this.directory = directory;
  }

  /** Returns the manifest of the version in service then. */
  Manifest run() throws IOException {
    Table table = context.table();
    Build build = table.begin();
    try {
      Map<Integer, List<PartitionFile>> files =
          new PartitionFolder(version, table, build, directory, context.throttle())
              .fold(partitions(folding));
      Set<UUID> unchanged = unchanged();
      context.throttle().pass(0);
      return context.edit(manifest, inService -> apply(inService, build, files, unchanged));
    } catch (IOException | RuntimeException | Error e) {
      Closing.after(e, () -> table.abort(build));
      throw e;
    }
  }

  private List<Integer> partitions(Set<UUID> files) {
    return manifest.partitions().stream()
        .filter(file -> files.contains(file.fileId()))
        .map(PartitionFile::partition)
        .toList();
  }

  /** Returns the partitions for which no segment has changes. */
  private Set<UUID> unchanged() {
    ChangeCounts counts = ChangeCounts.of(version);
    return manifest.partitions().stream()
        .filter(file -> counts.in(file.partition()) == 0)
        .map(PartitionFile::fileId)
        .collect(Collectors.toSet());
  }

  private Manifest apply(
      Manifest inService, Build build, Map<Integer, List<PartitionFile>> files, Set<UUID> unchanged)
      throws IOException {
    // Segments may have been merged since: one with changes from before and after a fold applies as
    // a whole, which changes no answer.
    if (!fileIds(inService).equals(fileIds(manifest)) || !inService.follows(manifest)) {
      throw context.conflict(manifest, inService);
    }
    long last = manifest.changes().lastSegment();
    List<PartitionFile> partitions = new ArrayList<>();
    for (PartitionFile file : inService.partitions()) {
      List<PartitionFile> folded = files.get(file.partition());
      if (folded != null) {
        folded.forEach(part -> partitions.add(part.folded(build.version(), last)));
      } else if (unchanged.contains(file.fileId())) {
        // It may have been folded through less than other partitions that a segment concerns.
        partitions.add(file.foldedThrough(Math.max(file.foldedThrough(), last)));
      } else {
        partitions.add(file);
      }
    }
    List<PartitionFile> numbered = PartitionFolder.numbered(partitions);
    Partitioning partitioning = inService.with(numbered, Map.of(), Changes.NONE).partitioning();
    List<SegmentFile> kept = new ArrayList<>();
    List<SegmentFile> folded = new ArrayList<>();
    for (SegmentFile segment : inService.changes().segments()) {
      IntStream concerned = partitioning.partitions(segment.firstHash(), segment.lastHash());
      boolean isFolded =
          concerned.allMatch(i -> numbered.get(i).foldedThrough() >= segment.number());
      (isFolded ? folded : kept).add(segment);
    }
    return inService.with(
        numbered,
        inService.sourcePositions(),
        inService
            .changes()
            .in(
                kept,
                KeptHistory.with(
                    inService.changes().history(),
                    folded,
                    context.keptSince(),
                    context.table().storage())));
  }

  static List<UUID> fileIds(Manifest manifest) {
    return manifest.partitions().stream().map(PartitionFile::fileId).toList();
  }
}
