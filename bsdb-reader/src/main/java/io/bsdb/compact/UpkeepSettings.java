package io.bsdb.compact;

import io.bsdb.format.Internal;
import java.time.Duration;

/**
 * Limits to which the upkeep of a table keeps its changes.
 *
 * @param maxSpace maximum size of all files of the table, as a multiple of its partition files and
 *     at least 256 MB; infinite for no limit
 * @param changedFraction changed keys per record from which on partitions with half as many or more
 *     are folded; infinite for no limit
 * @param maxChangedKeys changed keys from which on all partitions are folded
 * @param maxSegments number of segments beyond which the newest are merged
 * @param keepHistory how long folded segments are kept for builds that began before
 * @param bytesPerSecond maximum rate of keys and values that are rewritten
 * @param steps number of steps in which all partitions are folded; each publishes a version
 * @hidden
 */
@Internal
public record UpkeepSettings(
    double maxSpace,
    double changedFraction,
    long maxChangedKeys,
    int maxSegments,
    Duration keepHistory,
    long bytesPerSecond,
    int steps) {
  /** An eighth of the partitions is folded at a time, so that no second copy is needed. */
  public static final int STEPS = 8;

  /** Returns the settings of a table into which a stream is written. */
  public static UpkeepSettings ofStream(Duration keepHistory) {
    return new UpkeepSettings(
        2.5,
        Compactor.FOLD_FRACTION,
        16_000_000,
        Compactor.MAX_SEGMENTS,
        keepHistory,
        50_000_000,
        STEPS);
  }
}
