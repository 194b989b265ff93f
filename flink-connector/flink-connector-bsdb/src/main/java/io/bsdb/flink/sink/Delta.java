package io.bsdb.flink.sink;

import io.bsdb.table.SegmentFile;
import io.bsdb.table.StreamProgress.Checkpoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes that are to be published at once.
 *
 * @param origin that makes a repetition known; null for those of a batch job
 * @param files in the order in which they apply
 */
public record Delta(@Nullable Origin origin, List<SegmentFile> files) {
  /**
   * Place of a delta in its stream.
   *
   * @param stream its id
   * @param checkpoint that the delta ends with
   * @param previous that the delta before it ended with, whoever made it; null for the first one
   */
  public record Origin(String stream, Checkpoint checkpoint, @Nullable Checkpoint previous) {}

  public Delta {
    files = List.copyOf(files);
  }
}
