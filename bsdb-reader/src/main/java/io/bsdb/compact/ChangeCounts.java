package io.bsdb.compact;

import io.bsdb.format.Internal;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.reader.overlay.SortedChanges;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.SegmentFile;
import java.util.Arrays;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/**
 * Numbers of keys that have changes over the partition files of a version.
 *
 * @param total of all partitions
 * @param byPartition of one partition, by its number
 * @hidden
 */
@Internal
public record ChangeCounts(long total, IntToLongFunction byPartition) {
  /** Returns the number of changed keys of a partition. */
  long in(int partition) {
    return byPartition.applyAsLong(partition);
  }

  /** Returns these counts with a total that is not above a limit. */
  ChangeCounts atMost(long limit) {
    return new ChangeCounts(Math.min(total, limit), byPartition);
  }

  /** Counts the changed keys of an open version. Hardly reads the changes themselves. */
  static ChangeCounts of(SnapshotReader version) {
    Overlay changes = version.changes();
    if (changes == null) {
      return new ChangeCounts(0, partition -> 0);
    }
    Partitioning partitioning = version.manifest().partitioning();
    SortedChanges sorted = changes.sorted();
    long[] counts =
        sorted == null
            ? changes.changedKeys(partitioning)
            : IntStream.range(0, partitioning.count())
                .mapToLong(i -> below(sorted, partitioning, i + 1) - below(sorted, partitioning, i))
                .toArray();
    return new ChangeCounts(changes.changedKeys(), partition -> counts[partition]);
  }

  private static long below(SortedChanges sorted, Partitioning partitioning, int partition) {
    return partition == partitioning.count()
        ? sorted.size()
        : sorted.count(partitioning.lowerBound(partition), false);
  }

  /**
   * Estimates the changed keys of a version by its manifest: as if each change were of another key,
   * and those of a segment spread evenly over its partitions.
   */
  static ChangeCounts estimate(Manifest manifest) {
    double[] counts = new double[manifest.partitions().size()];
    for (SegmentFile segment : manifest.changes().segments()) {
      double share =
          (double) (segment.puts() + segment.deletes()) / partitions(manifest, segment).count();
      unfolded(manifest, segment).forEach(i -> counts[i] += share);
    }
    return new ChangeCounts(
        Math.round(Arrays.stream(counts).sum()), partition -> (long) Math.ceil(counts[partition]));
  }

  /**
   * Returns the most changed keys that a version can have by its manifest: as if each change were
   * of another key, and those of a segment all in any one of its partitions that is not folded.
   */
  static ChangeCounts most(Manifest manifest) {
    long[] counts = new long[manifest.partitions().size()];
    long total = 0;
    for (SegmentFile segment : manifest.changes().segments()) {
      long changes = segment.puts() + segment.deletes();
      int[] unfolded = unfolded(manifest, segment).toArray();
      IntStream.of(unfolded).forEach(i -> counts[i] += changes);
      total += unfolded.length == 0 ? 0 : changes;
    }
    return new ChangeCounts(total, partition -> counts[partition]);
  }

  private static IntStream partitions(Manifest manifest, SegmentFile segment) {
    return manifest.partitioning().partitions(segment.firstHash(), segment.lastHash());
  }

  private static IntStream unfolded(Manifest manifest, SegmentFile segment) {
    return partitions(manifest, segment)
        .filter(i -> manifest.partitions().get(i).foldedThrough() < segment.number());
  }
}
