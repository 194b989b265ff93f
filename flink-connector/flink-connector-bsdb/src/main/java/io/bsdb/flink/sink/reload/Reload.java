package io.bsdb.flink.sink.reload;

import io.bsdb.reload.ReloadReport.Difference;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.SegmentFile;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.jspecify.annotations.Nullable;

/**
 * The files that a reload publishes, or one writer's share of them.
 *
 * @param read rows of the input
 * @param difference from a version; null if all rows are published without comparing them
 * @param changes that make the version hold what the input holds
 * @param base files of partitions; empty if only what differs is published
 */
record Reload(
    long read,
    @Nullable Difference difference,
    List<SegmentFile> changes,
    List<PartitionFile> base) {
  Reload {
    changes = List.copyOf(changes);
    base = List.copyOf(base);
  }

  /** Returns what differs of so many rows. */
  static Reload ofChanges(long read, Difference difference, List<SegmentFile> changes) {
    return new Reload(read, difference, changes, List.of());
  }

  /** Returns so many rows as partition files. */
  static Reload ofBase(long read, List<PartitionFile> base) {
    return new Reload(read, null, List.of(), base);
  }

  /** Returns both shares. */
  Reload plus(Reload other) {
    return new Reload(
        read + other.read,
        sum(difference, other.difference),
        concat(changes, other.changes),
        concat(base, other.base));
  }

  private static @Nullable Difference sum(@Nullable Difference a, @Nullable Difference b) {
    if (a == null && b == null) {
      return null;
    }
    if (a == null || b == null) {
      throw new SuppressRestartsException(
          new IllegalStateException(
              "some writers built all rows and others what differs, so nothing is published; the input was probably read again after a failure and gave other rows: run the job again"));
    }
    return a.plus(b);
  }

  private static <T> List<T> concat(List<T> a, List<T> b) {
    return Stream.concat(a.stream(), b.stream()).toList();
  }

  /** Adds up what all writers have. */
  static Reload sum(List<Reload> shares) {
    return shares.stream().reduce(Reload::plus).orElseThrow();
  }
}
