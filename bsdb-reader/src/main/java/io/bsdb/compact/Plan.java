package io.bsdb.compact;

import io.bsdb.format.Internal;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.SegmentFile;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The next work on a version of a table: partitions are folded, or segments are merged, or neither.
 *
 * @param folding the partitions to fold, those with the most changes for their size first
 * @param perStep how many of them are folded at a time
 * @param merging the segments that become one, neighbors in the version
 * @param now to which the horizon of a history moves first; null if it does not move
 * @hidden
 */
@Internal
public record Plan(
    List<PartitionFile> folding, int perStep, List<SegmentFile> merging, @Nullable Instant now) {
  /** Nothing is to be done. */
  public static final Plan NOTHING = new Plan(List.of(), 1, List.of(), null);

  public Plan {
    folding = List.copyOf(folding);
    merging = List.copyOf(merging);
  }

  static Plan fold(List<PartitionFile> files, int perStep) {
    return new Plan(files, perStep, List.of(), null);
  }

  static Plan merge(List<SegmentFile> segments) {
    return segments.size() < 2 ? NOTHING : new Plan(List.of(), 1, segments, null);
  }

  /** Returns the same plan for a time to which the horizon of a history moves first. */
  Plan at(Instant time) {
    return new Plan(folding, perStep, merging, time);
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
