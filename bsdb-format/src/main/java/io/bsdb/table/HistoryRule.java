package io.bsdb.table;

import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.History;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.SegmentFile;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The rule by which changes leave a version. It is what lets a build whose data was read as of a
 * segment take the place of the partition files: all segments after {@link History#after}, those of
 * the version and those of its history together, hold every change that was made after them.
 *
 * <ol>
 *   <li>{@code lastSegment} and {@code history.after} never go back, nor does the {@code
 *       foldedThrough} of a partition.
 *   <li>A segment is applied no more only if all partitions that it may concern are folded through
 *       it, or if a merged segment, which has the number of the last one in it, is applied in its
 *       place.
 *   <li>A segment that is not applied is in the history, unless its number is at or before {@code
 *       history.after}, or unless a merged segment has all its changes. An edit that replaces
 *       partitions merges nothing, as a merged segment might lack what is folded into them.
 * </ol>
 *
 * <p>Checked whenever a version is published that is made from the one in service: a version that
 * breaks the rule would lose changes later, when nobody can notice any more.
 */
final class HistoryRule {
  private final Manifest before;
  private final Manifest next;
  private final Map<UUID, SegmentFile> known = new LinkedHashMap<>();
  private final Set<SegmentFile> applied;
  private final Set<SegmentFile> kept;

  private HistoryRule(Manifest before, Manifest next) {
    this.before = before;
    this.next = next;
    before.changes().history().segments().forEach(this::add);
    before.changes().segments().forEach(this::add);
    applied = new HashSet<>(next.changes().segments());
    kept = new HashSet<>(next.changes().history().segments());
  }

  private void add(SegmentFile segment) {
    known.put(segment.fileId(), segment);
  }

  /**
   * Checks a version that is to take the place of one.
   *
   * @throws IllegalStateException if changes could get lost
   */
  static void check(Manifest before, Manifest next) {
    new HistoryRule(before, next).check();
  }

  private void check() {
    Changes old = before.changes();
    Changes changes = next.changes();
    require(changes.lastSegment() >= old.lastSegment(), "lastSegment goes back");
    require(changes.history().after() >= old.history().after(), "history.after goes back");
    checkPartitions();
    for (SegmentFile segment : old.segments()) {
      if (!applied.contains(segment)) {
        boolean merged = isMerged(segment);
        require(
            merged || isFolded(segment),
            "segment %d is neither folded nor merged".formatted(segment.number()));
        require(
            isInHistory(segment) || (merged && hasSamePartitions()),
            "segment %d is folded into some partitions and not in the history"
                .formatted(segment.number()));
      }
    }
    for (SegmentFile segment : old.history().segments()) {
      require(isInHistory(segment), "segment %d leaves the history".formatted(segment.number()));
    }
  }

  private boolean isInHistory(SegmentFile segment) {
    return kept.contains(segment) || segment.number() <= next.changes().history().after();
  }

  private void checkPartitions() {
    Map<UUID, PartitionFile> old =
        before.partitions().stream().collect(Collectors.toMap(PartitionFile::fileId, file -> file));
    long least = Long.MAX_VALUE;
    for (PartitionFile file : next.partitions()) {
      PartitionFile same = old.remove(file.fileId());
      if (same == null) {
        least = Math.min(least, file.foldedThrough());
      } else {
        require(
            file.foldedThrough() >= same.foldedThrough(),
            "foldedThrough of partition %d goes back".formatted(file.partition()));
      }
    }
    for (PartitionFile gone : old.values()) {
      require(
          gone.foldedThrough() <= least,
          "foldedThrough of partition %d, which is replaced, goes back"
              .formatted(gone.partition()));
    }
  }

  /** Returns whether a new segment is applied in place of one. */
  private boolean isMerged(SegmentFile segment) {
    return next.changes().segments().stream()
        .anyMatch(
            other ->
                !known.containsKey(other.fileId())
                    && other.number() >= segment.number()
                    && other.number() <= before.changes().lastSegment());
  }

  /** Returns whether all partitions that a segment may have changes of are folded through it. */
  private boolean isFolded(SegmentFile segment) {
    return next.partitioning()
        .partitions(segment.firstHash(), segment.lastHash())
        .allMatch(
            partition -> next.partitions().get(partition).foldedThrough() >= segment.number());
  }

  private boolean hasSamePartitions() {
    return ids(next.partitions()).equals(ids(before.partitions()));
  }

  private static Set<UUID> ids(List<PartitionFile> files) {
    return files.stream().map(PartitionFile::fileId).collect(Collectors.toSet());
  }

  private void require(boolean kept, String otherwise) {
    if (!kept) {
      throw new IllegalStateException(
          "changes would get lost, so nothing was published: %s: version in service=%s; report this as a defect of bsdb"
              .formatted(otherwise, before.version()));
    }
  }
}
