package io.bsdb.flink.sink.reload;

import io.bsdb.flink.sink.shuffle.PartitionShuffle;
import io.bsdb.reload.ReloadReport.Difference;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.SegmentFile;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What differs between an input, or a share of it, and a version, to be published.
 *
 * @param read rows of the input
 * @param difference counts of keys
 * @param changes that make the version hold what the input holds, by the number of their writer
 * @param base files of all partitions that have records, to be published in place of the changes;
 *     null unless too much differs
 */
record Reload(
    long read,
    Difference difference,
    Map<Integer, List<SegmentFile>> changes,
    @Nullable List<PartitionFile> base) {
  Reload {
    changes = Collections.unmodifiableSortedMap(new TreeMap<>(changes));
    base = base == null ? null : List.copyOf(base);
  }

  /** Returns the part of a base that one of several tasks built. */
  static Reload partOfBase(String version, List<PartitionFile> built) {
    return new Reload(0, new Difference(version, 0, 0, 0, 0, 0), Map.of(), built);
  }

  /** Returns the same with files of a base. */
  Reload withBase(List<PartitionFile> built) {
    return new Reload(read, difference, changes, built);
  }

  /** Returns the changes of all writers. */
  List<SegmentFile> segments() {
    return changes.values().stream().flatMap(List::stream).toList();
  }

  /** Returns the changes of the writers to which some partitions of a version came. */
  List<SegmentFile> segments(IntPredicate partitions, int count) {
    return IntStream.range(0, count)
        .filter(partitions)
        .map(partition -> PartitionShuffle.task(partition, changes.size(), count))
        .distinct()
        .mapToObj(writer -> changes.getOrDefault(writer, List.of()))
        .flatMap(List::stream)
        .toList();
  }

  /** Adds up what several tasks have. */
  static Reload sum(List<Reload> parts) {
    long read = 0;
    Difference difference = null;
    Map<Integer, List<SegmentFile>> changes = new TreeMap<>();
    List<PartitionFile> base = null;
    for (Reload part : parts) {
      read += part.read;
      difference = difference == null ? part.difference : difference.plus(part.difference);
      changes.putAll(part.changes);
      if (part.base != null) {
        base = base == null ? new ArrayList<>() : base;
        base.addAll(part.base);
      }
    }
    return new Reload(read, Objects.requireNonNull(difference), changes, base);
  }
}
