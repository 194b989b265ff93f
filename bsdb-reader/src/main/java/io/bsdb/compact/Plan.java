package io.bsdb.compact;

import io.bsdb.format.Internal;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.SegmentFile;
import java.util.List;

/**
 * The next work on a version of a table: partitions are folded, or segments are merged, or neither.
 *
 * @param folding the partitions to fold, those with the most changes for their size first
 * @param perStep how many of them are folded at a time
 * @param merging the segments that become one, neighbors in the version
 * @hidden
 */
@Internal
public record Plan(List<PartitionFile> folding, int perStep, List<SegmentFile> merging) {
  /** Nothing is to be done. */
  public static final Plan NOTHING = new Plan(List.of(), 1, List.of());

  public Plan {
    folding = List.copyOf(folding);
    merging = List.copyOf(merging);
  }

  static Plan fold(List<PartitionFile> files, int perStep) {
    return new Plan(files, perStep, List.of());
  }

  static Plan merge(List<SegmentFile> segments) {
    return segments.size() < 2 ? NOTHING : new Plan(List.of(), 1, segments);
  }

  /** Returns the same plan with its first step only. */
  Plan firstStep() {
    return atMost(perStep);
  }

  /** Returns the same plan with its first partitions only, in one step. */
  Plan atMost(int partitions) {
    return fold(folding.subList(0, Math.min(partitions, folding.size())), partitions);
  }

  /** Returns whether there is nothing to do. */
  public boolean isNothing() {
    return folding.isEmpty() && merging.isEmpty();
  }
}
