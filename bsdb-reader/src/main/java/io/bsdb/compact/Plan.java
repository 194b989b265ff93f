package io.bsdb.compact;

import io.bsdb.table.Manifest;
import io.bsdb.table.Partitioning;
import io.bsdb.table.SegmentFile;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * What a compaction does to a version.
 *
 * @param manifest of the version
 * @param counts number of changed keys, by partition
 * @param folding which partitions are folded
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Plan(Manifest manifest, long[] counts, boolean[] folding) {
  int foldedPartitions() {
    int folded = 0;
    for (boolean fold : folding) {
      folded += fold ? 1 : 0;
    }
    return folded;
  }

  /** Returns the number of the last segment of the version, through which partitions are folded. */
  long lastSegment() {
    List<SegmentFile> segments = manifest.changes().segments();
    return segments.get(segments.size() - 1).number();
  }

  /** Returns the segments of which some changes are not folded then. */
  List<SegmentFile> left() {
    List<SegmentFile> segments = manifest.changes().segments();
    return segments.isEmpty()
        ? segments
        : segments.stream()
            .filter(
                segment ->
                    !isFolded(
                        segment,
                        manifest.partitioning(),
                        partition ->
                            folding[partition] || counts[partition] == 0
                                ? lastSegment()
                                : manifest.partitions().get(partition).foldedThrough()))
            .toList();
  }

  /**
   * Returns whether all partitions that a segment may have changes of are folded through it.
   *
   * @param through says through which segment a partition is folded
   */
  static boolean isFolded(
      SegmentFile segment, Partitioning partitioning, IntToLongFunction through) {
    return partitioning
        .partitions(segment.firstHash(), segment.lastHash())
        .allMatch(partition -> through.applyAsLong(partition) >= segment.number());
  }

  /**
   * Returns whether a segment may have changes that are in partition files and in no other segment:
   * of the partitions that there were before the fold, as one whose rows were all deleted is in no
   * manifest any more.
   */
  boolean hasFolded(SegmentFile segment) {
    return manifest
        .partitioning()
        .partitions(segment.firstHash(), segment.lastHash())
        .anyMatch(
            partition ->
                folding[partition]
                    || manifest.partitions().get(partition).foldedThrough() >= segment.number());
  }
}
