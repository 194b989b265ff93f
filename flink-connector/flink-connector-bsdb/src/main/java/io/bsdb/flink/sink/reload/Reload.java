package io.bsdb.flink.sink.reload;

import io.bsdb.reload.ReloadReport.Difference;
import io.bsdb.table.PartitionFile;
import io.bsdb.table.SegmentFile;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What differs between an input, or a share of it, and a version, to be published.
 *
 * @param read rows of the input
 * @param difference counts of keys
 * @param changes that make the version hold what the input holds
 * @param base files of all partitions that have records, to be published in place of the changes;
 *     null unless too much differs
 */
record Reload(
    long read,
    Difference difference,
    List<SegmentFile> changes,
    @Nullable List<PartitionFile> base) {
  Reload {
    changes = List.copyOf(changes);
    base = base == null ? null : List.copyOf(base);
  }

  /** Returns the part of a base that one of several tasks built. */
  static Reload partOfBase(String version, List<PartitionFile> built) {
    return new Reload(0, new Difference(version, 0, 0, 0, 0, 0), List.of(), built);
  }

  /** Returns the same with files of a base. */
  Reload withBase(List<PartitionFile> built) {
    return new Reload(read, difference, changes, built);
  }

  /** Adds up what several tasks have. */
  static Reload sum(List<Reload> parts) {
    Reload sum = parts.get(0);
    for (Reload part : parts.subList(1, parts.size())) {
      sum =
          new Reload(
              sum.read + part.read,
              sum.difference.plus(part.difference),
              joined(sum.changes, part.changes),
              sum.base == null || part.base == null ? null : joined(sum.base, part.base));
    }
    return sum;
  }

  private static <T> List<T> joined(List<T> first, List<T> second) {
    List<T> joined = new ArrayList<>(first);
    joined.addAll(second);
    return joined;
  }
}
