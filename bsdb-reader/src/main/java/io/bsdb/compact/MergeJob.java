package io.bsdb.compact;

import io.bsdb.format.io.Closing;
import io.bsdb.format.segment.SegmentWriter;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.overlay.ChangeCursor;
import io.bsdb.table.manifest.History;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.writer.SegmentFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Merges neighboring segments of a version into one with the newest change of each key, and
 * publishes that by an edit of the version in service. Used once.
 *
 * <p>The merged segment has the number of the last one in it. So its changes may apply once more to
 * a partition that was folded through an earlier one. That changes no answer, as it has the newest
 * change of each key up to its number: those of the history in between, which are folded already,
 * are merged, too.
 *
 * <p>A change is left out only if its partition is folded through it and no build that is accepted
 * needs it. So the merged segment has all that the history could want of the others, and these go.
 * In key order nothing is left out where earlier segments stay: a key between the bounds of two
 * partitions may pass from one to the other, and then needs its delete.
 */
final class MergeJob {
  /** Thrown if what is left of the changes does not fit one segment. */
  static final class TooLargeException extends IOException {
    private static final long serialVersionUID = 1L;

    TooLargeException(String message) {
      super(message);
    }
  }

  private final JobContext context;
  private final Manifest manifest;
  private final List<SegmentFile> segments;
  private final Workplace workplace;

  MergeJob(JobContext context, Manifest manifest, List<SegmentFile> segments, Workplace workplace) {
    this.context = context;
    this.manifest = manifest;
    this.segments = segments;
    this.workplace = workplace;
  }

  /** Returns the manifest of the version in service then. */
  Manifest run() throws IOException {
    boolean keepsAll =
        manifest.order() == RecordOrder.KEY
            && manifest.changes().segments().indexOf(segments.get(0)) != 0;
    long after = keepsAll ? 0 : after();
    List<SegmentFile> merged = merge(segments, after);
    if (merged.isEmpty()) {
      // All is folded. But as long as a partition between their keys is not, others cannot know
      // that it needs none of them, unless a segment takes their place: a copy of the newest.
      merged = merge(segments.subList(segments.size() - 1, segments.size()), 0);
    }
    return publish(merged, after);
  }

  /** Writes one segment, or none if no change is left. */
  private List<SegmentFile> merge(List<SegmentFile> merging, long after) throws IOException {
    try (SegmentFiles merged = new SegmentFiles(context.table().storage())) {
      try (SnapshotReader changes = workplace.changes(toMerge(merging, after))) {
        write(Objects.requireNonNull(changes.changes()).changes(), merged);
      }
      return merged.finish();
    }
  }

  private Manifest publish(List<SegmentFile> files, long after) throws IOException {
    try {
      return context.edit(manifest, inService -> apply(inService, files, after));
    } catch (IOException | RuntimeException | Error e) {
      Closing.after(e, () -> SegmentFiles.deleteUnpublished(context.table(), files));
      throw e;
    }
  }

  /** Returns the last segment whose folded changes no build needs. */
  private long after() throws IOException {
    List<SegmentFile> partlyFolded = segments.stream().filter(this::isPartlyFolded).toList();
    return KeptHistory.with(
            manifest.changes().history(),
            partlyFolded,
            context.keptSince(),
            context.table().storage())
        .after();
  }

  private boolean isPartlyFolded(SegmentFile segment) {
    return manifest
        .partitioning()
        .partitions(segment.firstHash(), segment.lastHash())
        .anyMatch(i -> manifest.partitions().get(i).foldedThrough() >= segment.number());
  }

  /**
   * Returns a version of all segments with the numbers of these, in which no changes count as
   * folded but those up to one, and those of partitions that these have no changes of.
   */
  private Manifest toMerge(List<SegmentFile> merging, long after) {
    long first = merging.get(0).number();
    long last = last();
    List<SegmentFile> all =
        Stream.concat(
                manifest.changes().history().segments().stream()
                    .filter(segment -> segment.number() > first && segment.number() <= last),
                merging.stream())
            .sorted(Comparator.comparingLong(SegmentFile::number))
            .toList();
    Set<Integer> concerned =
        merging.stream()
            .flatMapToInt(
                segment ->
                    manifest.partitioning().partitions(segment.firstHash(), segment.lastHash()))
            .boxed()
            .collect(Collectors.toSet());
    return manifest.with(
        manifest.partitions().stream()
            .map(
                file ->
                    file.foldedThrough(
                        concerned.contains(file.partition())
                            ? Math.min(file.foldedThrough(), after)
                            : last))
            .toList(),
        manifest.sourcePositions(),
        manifest.changes().in(all, History.NONE));
  }

  private long last() {
    return segments.get(segments.size() - 1).number();
  }

  private void write(ChangeCursor cursor, SegmentFiles target) throws IOException {
    while (cursor.next()) {
      byte[] key = cursor.key();
      if (cursor.isDeleted()) {
        target.delete(key);
        context.throttle().pass(key.length);
      } else {
        byte[] value = cursor.value();
        target.put(key, value);
        context.throttle().pass(key.length + value.length);
      }
      if (target.length() > SegmentWriter.TARGET_LENGTH) {
        throw new TooLargeException(
            "changes too large to be merged into one segment: table=%s expected<=%d bytes; fold more of them"
                .formatted(context.table().storage(), SegmentWriter.TARGET_LENGTH));
      }
    }
  }

  private Manifest apply(Manifest inService, List<SegmentFile> merged, long after)
      throws IOException {
    List<SegmentFile> all = new ArrayList<>(inService.changes().segments());
    int first = Collections.indexOfSubList(all, segments);
    if (first < 0 || (after > 0 && !FoldJob.fileIds(inService).equals(FoldJob.fileIds(manifest)))) {
      throw context.conflict(manifest, inService);
    }
    List<SegmentFile> replaced = all.subList(first, first + segments.size());
    replaced.clear();
    merged.forEach(segment -> replaced.add(segment.numbered(last())));
    History history = inService.changes().history();
    long kept = Math.max(history.after(), after);
    return inService.with(
        inService.partitions(),
        inService.sourcePositions(),
        inService
            .changes()
            .in(
                all,
                new History(
                    history.line(),
                    kept,
                    history.segments().stream()
                        .filter(segment -> segment.number() > kept)
                        .toList())));
  }
}
