package io.bsdb.reader.diff;

import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.diff.ChangedKeys.Owner;
import io.bsdb.reader.diff.KeySource.Filter;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.Validity;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the keys that have to be compared, as few as possible:
 *
 * <ol>
 *   <li>If one version has all changes of the other, only keys in segments that the other does not
 *       have can differ. Folded segments are read from the history; if it lacks them, this rule
 *       covers only partitions that were not folded. It does not hold where folds drop old rows of
 *       a history.
 *   <li>In a partition whose file both versions share, only keys with a change over that file in
 *       either version can differ.
 *   <li>In any other partition, all keys can differ.
 * </ol>
 */
final class DiffPlan {
  private final SnapshotReader from;
  private final SnapshotReader to;
  private final KeySlice slice;
  private final Partitioning partitioning;
  private final List<Step> steps = new ArrayList<>();
  private History history = History.NOT_USED;

  /** Whether keys were taken from segments of a history. */
  enum History {
    USED,
    NOT_USED
  }

  /** Which keys of a step are reported if they differ. */
  enum Wanted {
    ALL,
    /** Those that the second version has. */
    PRESENT,
    /** Those that the second version does not have. */
    REMOVED
  }

  /** A source of keys, and which of them count. */
  record Step(KeySource keys, Wanted wanted) {}

  private DiffPlan(SnapshotReader from, SnapshotReader to, KeySlice slice) {
    this.from = from;
    this.to = to;
    this.slice = slice;
    this.partitioning = to.manifest().partitioning();
  }

  /**
   * Makes a plan.
   *
   * @param resumed whether the comparison that is continued used a history; null if a comparison
   *     begins
   * @throws NoSuchFileException if that needs segments of a history that are not there
   */
  static DiffPlan of(
      SnapshotReader from, SnapshotReader to, KeySlice slice, @Nullable History resumed)
      throws IOException {
    DiffPlan plan = new DiffPlan(from, to, slice);
    BitSet left = plan.overlapping();
    if (differsByChanges(to.manifest(), from.manifest())) {
      plan.addNewChanges(to, from.manifest(), left, resumed);
    } else if (differsByChanges(from.manifest(), to.manifest())
        && isUnfolded(from, to.manifest(), slice)) {
      plan.addNewChanges(from, to.manifest(), left, History.NOT_USED);
    }
    plan.addSameFiles(left);
    plan.addAllKeys(left);
    return plan;
  }

  /**
   * Returns whether the newer version is the older one and further changes. Where old rows of a
   * history are dropped, only if it has the same files too: folds leave such rows out, and a merged
   * segment may bring some back.
   */
  private static boolean differsByChanges(Manifest newer, Manifest older) {
    Validity validity = newer.validity();
    boolean dropsRows = validity != null && validity.horizon() != null;
    return newer.follows(older)
        && (!dropsRows
            || (fileIds(newer).equals(fileIds(older))
                && newer.changes().segments().containsAll(older.changes().segments())));
  }

  private static List<UUID> fileIds(Manifest manifest) {
    return manifest.partitions().stream().map(PartitionFile::fileId).toList();
  }

  private BitSet overlapping() {
    BitSet partitions = new BitSet();
    for (int i = 0; i < partitioning.count(); i++) {
      partitions.set(i, slice.overlaps(partitioning, i));
    }
    return partitions;
  }

  private static boolean isUnfolded(SnapshotReader newer, Manifest older, KeySlice slice) {
    Partitioning partitions = newer.manifest().partitioning();
    return IntStream.range(0, partitions.count())
        .filter(i -> slice.overlaps(partitions, i))
        .allMatch(i -> !isFolded(newer, i, older));
  }

  private static boolean isFolded(SnapshotReader newer, int partition, Manifest older) {
    return newer.manifest().partitions().get(partition).foldedThrough()
        > older.changes().lastSegment();
  }

  /**
   * Adds the keys of segments that only one version has, except in partitions whose segments are
   * gone.
   */
  private void addNewChanges(
      SnapshotReader newer, Manifest older, BitSet left, @Nullable History resumed)
      throws IOException {
    long known = older.changes().lastSegment();
    if (!isUnfolded(newer, older, slice) && resumed != History.NOT_USED) {
      Overlay folded = openHistory(newer, known, resumed);
      if (folded != null) {
        history = History.USED;
        add(folded, known, slice::contains, Owner.THIS, Wanted.ALL);
        left.clear();
        return;
      }
    }
    BitSet followed = (BitSet) left.clone();
    left.stream().filter(i -> newer == to && isFolded(newer, i, older)).forEach(followed::clear);
    if (followed.isEmpty()) {
      return;
    }
    add(newer.changes(), known, in(followed), Owner.READER, Wanted.ALL);
    left.andNot(followed);
  }

  private @Nullable Overlay openHistory(SnapshotReader newer, long known, @Nullable History resumed)
      throws IOException {
    Changes changes = newer.manifest().changes();
    if (changes.history().after() > known) {
      return null;
    }
    try {
      return slice.isOneOfSeveral()
          ? newer.snapshot().history(known)
          : newer.snapshot().changesOf(changes.after(known));
    } catch (NoSuchFileException e) {
      if (resumed == History.USED) {
        throw e;
      }
      return null; // local copies do not have them
    }
  }

  private void addSameFiles(BitSet left) {
    BitSet same = new BitSet();
    left.stream().filter(i -> sameFile(i) >= 0).forEach(same::set);
    if (same.isEmpty()) {
      return;
    }
    Overlay before = from.changes();
    Overlay after = to.changes();
    add(after, 0, in(same), Owner.READER, Wanted.ALL);
    Filter filter = in(same);
    add(
        before,
        0,
        after == null
            ? filter
            : (key, hash) ->
                filter.test(key, hash)
                    && after.table().find(key, hash.getMostSignificantBits()) == Overlay.UNCHANGED,
        Owner.READER,
        Wanted.ALL);
    left.andNot(same);
  }

  /** Returns the partition that the first version has with the same file and keys; -1 for none. */
  private int sameFile(int partition) {
    List<PartitionFile> others = from.manifest().partitions();
    List<PartitionFile> files = to.manifest().partitions();
    PartitionFile file = files.get(partition);
    for (int i = 0; i < others.size(); i++) {
      if (others.get(i).fileId().equals(file.fileId())) {
        return others.get(i).lowerBound().equals(file.lowerBound())
                && end(others, i).equals(end(files, partition))
            ? i
            : -1;
      }
    }
    return -1;
  }

  /** Returns what shows where the keys of a partition end. */
  private static Object end(List<PartitionFile> files, int partition) {
    return partition + 1 < files.size() ? files.get(partition + 1).lowerBound() : List.of();
  }

  private void addAllKeys(BitSet partitions) {
    if (partitions.isEmpty()) {
      return;
    }
    Filter filter = in(partitions);
    partitions.stream().forEach(i -> add(new RecordKeys(to, i, filter), Wanted.PRESENT));
    add(to.changes(), 0, filter, Owner.READER, Wanted.PRESENT);
    BitSet shared = new BitSet();
    for (int i = 0; i < partitioning.count(); i++) {
      int other = partitions.get(i) ? -1 : sameFile(i);
      if (other >= 0) {
        shared.set(other);
      }
    }
    Partitioning others = from.manifest().partitioning();
    boolean hasSameRanges =
        others.order() == RecordOrder.HASH
            && partitioning.order() == RecordOrder.HASH
            && others.count() == partitioning.count();
    for (int i = 0; i < others.count(); i++) {
      boolean isLeft = !hasSameRanges || partitions.get(i);
      if (isLeft && !shared.get(i) && slice.overlaps(others, i)) {
        add(new RecordKeys(from, i, filter), Wanted.REMOVED);
      }
    }
    add(from.changes(), 0, filter, Owner.READER, Wanted.REMOVED);
  }

  private Filter in(BitSet partitions) {
    return (key, hash) ->
        slice.contains(key, hash)
            && partitions.get(partitioning.partition(key, hash.getMostSignificantBits()));
  }

  private void add(
      @Nullable Overlay changes, long after, Filter filter, Owner owner, Wanted wanted) {
    if (changes != null) {
      add(new ChangedKeys(changes, after, slice, filter, owner), wanted);
    }
  }

  private void add(KeySource keys, Wanted wanted) {
    steps.add(new Step(keys, wanted));
  }

  List<Step> steps() {
    return steps;
  }

  History history() {
    return history;
  }
}
