package io.bsdb.reader.snapshot;

import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.block.BlockFetch;
import io.bsdb.reader.overlay.SortedChanges;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.partition.RecordWalk;
import io.bsdb.reader.snapshot.OrderedSeek.Target;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Long runs of records that have all been deleted, which lookups by order skip: a floor above
 * millions of deleted rows would otherwise walk past all of them.
 *
 * <p>Found when a version is opened, wherever very many deletes follow each other in the order of
 * keys. Such deletes are taken in pieces. Two searches in the base give the number of records
 * between the ends of a piece. Where there are more records than deletes, some are left, and the
 * halves of the piece are looked at. Else each record is compared with the deletes, unless the
 * version before had found it deleted: so each record is compared about once, however many versions
 * follow. Immutable.
 */
final class DeletedRuns {
  static final DeletedRuns NONE = new DeletedRuns(new int[0][]);

  /** Deletes in a piece, and the fewest that are looked at. */
  private static final int PIECE = 1024;

  /** Deletes in the smallest part of a piece. */
  private static final int LEAST = 64;

  /** By partition: first record and end of each run, ascending. */
  private final int[][] bounds;

  private DeletedRuns(int[][] bounds) {
    this.bounds = bounds;
  }

  /**
   * Finds the runs of a version.
   *
   * @param known of a version whose changes are among this one's, over the same base
   */
  static DeletedRuns of(OpenSnapshot snapshot, DeletedRuns known) {
    SortedChanges sorted = snapshot.sortedChanges();
    int partitions = snapshot.partitioning().count();
    if (sorted == null || snapshot.partitions().size() < partitions) {
      return NONE;
    }
    try (Finder finder = new Finder(snapshot, sorted, known)) {
      int end;
      for (int start = sorted.nextDelete(0);
          start < sorted.size();
          start = sorted.nextDelete(end)) {
        end = sorted.nextPut(start, sorted.size());
        if (end - start >= PIECE) {
          finder.find(start, end);
        }
      }
      return finder.found();
    }
  }

  /**
   * Returns the first record that is in no run, from one on.
   *
   * @param backward downwards; may return -1 then, else the number of records in the partition
   */
  int skip(int partition, int record, boolean backward) {
    int run = run(partition, record);
    if (run < 0) {
      return record;
    }
    return backward ? bounds[partition][2 * run] - 1 : bounds[partition][2 * run + 1];
  }

  /** Returns whether records from one to another are in the same run. */
  private boolean contains(int partition, int start, int end) {
    int run = run(partition, start);
    return run >= 0 && end <= bounds[partition][2 * run + 1];
  }

  /** Returns the number of the run in which a record is; negative if it is in none. */
  private int run(int partition, int record) {
    if (partition >= bounds.length || bounds[partition].length == 0) {
      return -1;
    }
    int[] own = bounds[partition];
    int low = 0;
    int high = own.length / 2 - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (own[2 * middle] <= record) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return own[2 * low] <= record && record < own[2 * low + 1] ? low : -1;
  }

  /** Finds runs, in ascending order. */
  private static final class Finder implements AutoCloseable {
    private final OpenSnapshot snapshot;
    private final SortedChanges sorted;
    private final DeletedRuns known;
    private final BlockFetch source;
    private final List<List<Integer>> bounds = new ArrayList<>();
    private @Nullable RecordWalk walk;

    Finder(OpenSnapshot snapshot, SortedChanges sorted, DeletedRuns known) {
      this.snapshot = snapshot;
      this.sorted = sorted;
      this.known = known;
      this.source = snapshot.sequential();
      for (int i = 0; i < snapshot.partitioning().count(); i++) {
        bounds.add(new ArrayList<>());
      }
    }

    /** Looks at deletes that follow each other, from an index to another. */
    void find(int start, int end) {
      for (int from = start; from < end; from += PIECE) {
        look(from, Math.min(end, from + PIECE));
      }
    }

    /** Looks at a piece; where some records are left, at its halves. */
    private void look(int from, int to) {
      OrderedSeek first;
      OrderedSeek next;
      try {
        first = seek(sorted.key(from), Target.CEILING);
        next = seek(sorted.key(to - 1), Target.HIGHER);
      } catch (IOException | IndexOutOfBoundsException damaged) {
        return; // a lookup that comes here meets the damage, and reports it
      }
      Partition partition = first.partition();
      if (partition == null) {
        return; // no record is above
      }
      boolean divide = to - from > LEAST;
      if (partition.equals(next.partition())) {
        int count = next.record() - first.record();
        if (take(partition, first.record(), next.record(), from, to)) {
          return;
        }
        divide = divide && count < 2 * (to - from); // else hardly two neighbours are deleted
      } else if (!divide) {
        take(partition, first.record(), partition.recordCount(), from, to);
        Partition other = next.partition();
        if (other != null) {
          take(other, 0, next.record(), from, to);
        }
      }
      if (divide) {
        int middle = (from + to) >>> 1;
        look(from, middle);
        look(middle, to);
      }
    }

    private OrderedSeek seek(byte[] key, Target target) throws IOException {
      OrderedSeek seek = OrderedSeek.start(snapshot, key, target);
      seek.settle(snapshot.source());
      return seek;
    }

    /** Adds records of a partition if all of them are among deletes; returns whether they are. */
    private boolean take(Partition partition, int start, int end, int from, int to) {
      int count = end - start;
      if (count <= 0) {
        return true;
      }
      if (count > to - from
          || !(known.contains(partition.number(), start, end)
              || areDeleted(partition, start, end, from, to))) {
        return false;
      }
      List<Integer> own = bounds.get(partition.number());
      if (!own.isEmpty() && own.get(own.size() - 1) == start) {
        own.set(own.size() - 1, end);
      } else {
        own.add(start);
        own.add(end);
      }
      return true;
    }

    private boolean areDeleted(Partition partition, int start, int end, int from, int to) {
      int change = from;
      try {
        for (int record = start; record < end; record++) {
          RecordWalk current = at(partition, record);
          int comparison = 1;
          while (change < to && comparison > 0) {
            comparison = current.compareKey(sorted.key(change));
            change++;
          }
          if (comparison != 0) {
            return false;
          }
        }
        return true;
      } catch (IOException | IndexOutOfBoundsException damaged) {
        close(); // it stands at no record
        return false; // likewise
      }
    }

    private RecordWalk at(Partition partition, int record) throws IOException {
      RecordWalk current = walk;
      if (current == null || !current.partition().equals(partition)) {
        close();
        current = new RecordWalk(partition, source, FieldSelection.ALL);
        walk = current;
        current.moveTo(record);
      } else if (current.recordNumber() == record - 1) {
        current.next();
      } else {
        current.moveTo(record);
      }
      return current;
    }

    DeletedRuns found() {
      int[][] found = new int[bounds.size()][];
      Arrays.setAll(found, i -> bounds.get(i).stream().mapToInt(Integer::intValue).toArray());
      return new DeletedRuns(found);
    }

    @Override
    public void close() {
      if (walk != null) {
        walk.close();
        walk = null;
      }
    }
  }
}
