package io.bsdb.reader.snapshot;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.ValueReader;
import io.bsdb.format.block.Block;
import io.bsdb.format.block.BlockReader;
import io.bsdb.format.index.KeyIndex;
import io.bsdb.format.index.KeyOrder;
import io.bsdb.format.index.OrderIndex;
import io.bsdb.format.index.TreeIndex;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.block.BlockFetch;
import io.bsdb.reader.block.BlockFile;
import io.bsdb.reader.overlay.ChangeWalk;
import io.bsdb.reader.overlay.ChangeWalk.Next;
import io.bsdb.reader.overlay.SortedChanges;
import io.bsdb.reader.partition.Partition;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A search for one record by the order of keys, in the base and among the changes. It names the
 * block that it needs, and goes on when it is given that block: so it can run in the calling thread
 * or by callbacks. Almost always it needs one block; more where first keys of blocks must be
 * compared, or where the record lies in the block next to the one in which the key would be. Used
 * by one thread at a time.
 */
public final class OrderedSeek {
  /** The record that is wanted, relative to a key. */
  public enum Target {
    FLOOR,
    LOWER,
    CEILING,
    HIGHER,
    /** The one with the longest key that is a prefix. */
    LONGEST_PREFIX;

    /** Returns whether it may be a record that has the key itself. */
    boolean takesEqual() {
      return this == FLOOR || this == CEILING || this == LONGEST_PREFIX;
    }

    boolean isBackward() {
      return this == FLOOR || this == LOWER || this == LONGEST_PREFIX;
    }

    /**
     * Returns whether a record that has the key itself stands before the place that is searched
     * for.
     */
    public boolean isBehindEqual() {
      return this == FLOOR || this == HIGHER || this == LONGEST_PREFIX;
    }
  }

  private final OpenSnapshot snapshot;
  private final Target target;
  private final @Nullable Function<byte[], ValueReader<?>> reader;
  private final Ended ended;
  private byte[] key;

  /** Null once it is known that the base has no such record. */
  private @Nullable Partition partition;

  private OrderIndex.@Nullable Search search;
  private boolean undecided;
  private int block;
  private int record;

  /** From the place that is searched for on; null if nothing has changed. */
  private @Nullable ChangeWalk changes;

  private boolean found;

  /** The reader's answer, once the record is found; null if its row is ended. */
  private @Nullable Object answer;

  /**
   * @param reader returns what reads the value of the record with a key; null if only its place is
   *     wanted
   */
  private OrderedSeek(
      OpenSnapshot snapshot,
      byte[] key,
      Target target,
      @Nullable Function<byte[], ValueReader<?>> reader,
      Ended ended) {
    this.snapshot = snapshot;
    this.key = key;
    this.target = target;
    this.reader = reader;
    this.ended = ended;
  }

  /** Begins to search. */
  public static OrderedSeek of(
      OpenSnapshot snapshot,
      byte[] key,
      Target target,
      Function<byte[], ValueReader<?>> reader,
      Ended ended)
      throws IOException {
    OrderedSeek seek = new OrderedSeek(snapshot, key, target, reader, ended);
    seek.begin();
    return seek;
  }

  /**
   * Locates the block that holds a key if any does, as {@link KeyIndex#locate} does, for a
   * partition that has no perfect hash.
   */
  static long locate(OpenSnapshot snapshot, Partition partition, byte[] key) throws IOException {
    OrderIndex order = partition.order();
    if (order == null || order.side(key) != 0) {
      return KeyIndex.ABSENT;
    }
    OrderIndex.Search search = order.search(key);
    BlockFile file = partition.blocks();
    for (int number = search.undecided(); number >= 0; number = search.undecided()) {
      Block fetched =
          snapshot.source().fetch(file, number).readable(file.decoders(), FieldSelection.ALL);
      try {
        search.decide(order.compare(fetched, fetched.base(number), 0, key) > 0);
      } finally {
        fetched.release();
      }
    }
    return TreeIndex.located(search.block());
  }

  /** Begins to search for the first or, backwards, for the last record. */
  public static OrderedSeek end(
      OpenSnapshot snapshot, boolean backward, Function<byte[], ValueReader<?>> reader, Ended ended)
      throws IOException {
    OrderedSeek seek =
        new OrderedSeek(
            snapshot, new byte[0], backward ? Target.LOWER : Target.HIGHER, reader, ended);
    SortedChanges sorted = snapshot.sortedChanges();
    if (sorted != null) {
      int size = sorted.size();
      seek.changes = sorted.walk(backward ? size : 0, backward ? 0 : size, backward);
    }
    seek.settleAtEnd();
    seek.takeLast();
    return seek;
  }

  /**
   * Begins to search for where a range starts in the base; its record is not read.
   *
   * @param start null for the first key or, backwards, the last
   */
  public static OrderedSeek start(OpenSnapshot snapshot, byte @Nullable [] start, Target target) {
    OrderedSeek seek =
        new OrderedSeek(snapshot, start == null ? new byte[0] : start, target, null, Ended.SHOWN);
    if (start == null) {
      seek.settleAtEnd();
    } else {
      seek.seekBase();
    }
    return seek;
  }

  /** Searches among the changes, then, unless one has the key itself, in the base. */
  private void begin() throws IOException {
    do {
      SortedChanges sorted = snapshot.sortedChanges();
      if (sorted != null) {
        int start = sorted.count(key, target.isBehindEqual());
        changes = sorted.walk(start, target.isBackward() ? 0 : sorted.size(), target.isBackward());
        if (target.takesEqual() && changes.isPut(key) && take(changes, key.clone())) {
          partition = null;
          return;
        }
      }
      seekBase();
    } while (!takeLast());
  }

  private void seekBase() {
    Partition own = snapshot.partition(snapshot.partitioning().partition(key));
    partition = own;
    OrderIndex order = own.order();
    int side = order == null ? -1 : order.side(key);
    if (order == null || side != 0) {
      settle(own, side < 0 ? 0 : own.recordCount());
    } else {
      search = order.search(key);
      advance(search);
    }
  }

  private void settleAtEnd() {
    boolean backward = target.isBackward();
    Partition last = snapshot.partition(backward ? snapshot.partitioning().count() - 1 : 0);
    settle(last, backward ? last.recordCount() : 0);
  }

  private void advance(OrderIndex.Search open) {
    int number = open.undecided();
    undecided = number >= 0;
    block = undecided ? number : open.block();
  }

  /**
   * Notes where the record is.
   *
   * @param cut how many records of the partition stand before the place that was searched for
   */
  private void settle(Partition own, int cut) {
    search = null;
    Partition holder = own;
    if (target.isBackward()) {
      record = cut - 1;
      if (record < 0) {
        holder = own.number() == 0 ? null : snapshot.partition(own.number() - 1);
        record = holder == null ? 0 : holder.recordCount() - 1;
      }
    } else {
      record = cut;
      if (record == own.recordCount()) {
        boolean last = own.number() + 1 == snapshot.partitioning().count();
        holder = last ? null : snapshot.partition(own.number() + 1);
        record = 0;
      }
    }
    partition = holder == null || holder.recordCount() == 0 ? null : holder;
    block = partition == null ? 0 : partition.blocks().index().block(record);
  }

  /** Returns whether it is known where the record is, or that there is none. */
  public boolean isSettled() {
    return search == null;
  }

  /** Returns whether another block is needed to find the record. */
  public boolean needsBlock() {
    return partition != null && !found;
  }

  /** Returns the partition of the block that is needed, or of the record; null for none. */
  public @Nullable Partition partition() {
    return partition;
  }

  /** Returns the block that is needed. */
  public int block() {
    return block;
  }

  /** Returns the record's number in its partition, once it is settled. */
  public int record() {
    return record;
  }

  /** Returns what the reader made of the record, once no block is needed; null for none. */
  public @Nullable Object answer() {
    return answer;
  }

  private boolean take(ChangeWalk change, byte[] changedKey) {
    return take(reader == null ? null : change.value(ended.in(reader.apply(changedKey))));
  }

  /**
   * Takes what was made of a record.
   *
   * @return false if the row is ended, and the search goes on past it; a floor ends there, as
   *     nothing is valid
   */
  private boolean take(@Nullable Object lent) {
    boolean isEnded = lent == Ended.ABSENT;
    found = !isEnded || target == Target.FLOOR;
    answer = isEnded ? null : lent;
    return found;
  }

  /** Goes on with the block that is needed. */
  public void take(Block given, int base) throws IOException {
    Partition own = partition;
    OrderIndex order = own == null ? null : own.order();
    if (own == null || order == null) {
      throw new IllegalStateException("no block is needed");
    }
    OrderIndex.Search open = search;
    int number = block;
    if (open != null) {
      if (undecided) {
        open.decide(order.compare(given, base, 0, key) > 0);
        advance(open);
      }
      if (undecided || block != number) {
        return;
      }
      int count =
          target.isBehindEqual()
              ? order.countThrough(given, base, number, key)
              : order.countBelow(given, base, number, key);
      settle(own, given.firstRank(base) + count);
    }
    if (reader != null && (partition == null || (own.equals(partition) && block == number))) {
      finish(own, order, given, base, reader);
    }
  }

  /**
   * Reads the record, and those next to it in the block as long as they have been deleted, or are
   * ended.
   */
  private void finish(
      Partition own,
      OrderIndex order,
      Block given,
      int base,
      Function<byte[], ValueReader<?>> readers)
      throws IOException {
    BlockReader blocks = own.blocks().reader();
    int number = block;
    ChangeWalk walk = changes;
    while (own.equals(partition) && block == number) {
      long place = order.record(given, base, record - given.firstRank(base));
      long recordKey = blocks.key(given.body(), place);
      Next next = Next.RECORD;
      if (walk != null) {
        next =
            walk.next(
                other ->
                    KeyOrder.compare(
                        given.body(), (int) (recordKey >>> 32), (int) recordKey, other));
        if (next == Next.DELETED_RECORD) {
          walk.advance();
          DeletedRuns runs = snapshot.deletedRuns();
          settle(
              own,
              target.isBackward()
                  ? runs.skip(own.number(), record - 1, true) + 1
                  : runs.skip(own.number(), record + 1, false));
          continue;
        }
      }
      ChangeWalk changed = next == Next.RECORD ? null : walk;
      byte[] foundKey = changed == null ? given.copy(recordKey) : changed.key();
      if (!accepts(foundKey)) {
        begin();
        return;
      }
      if (changed == null
          ? take(
              given.lend(blocks.value(given.body(), place), 0, ended.in(readers.apply(foundKey))))
          : take(changed, foundKey)) {
        return;
      }
      if (changed != null) {
        changed.advance();
      }
      if (next != Next.CHANGE) {
        settle(own, target.isBackward() ? record : record + 1);
      }
    }
    if (!takeLast()) {
      begin();
    }
  }

  /**
   * Takes the nearest change if it is known that the base has no record.
   *
   * @return false if the search is to begin again
   */
  private boolean takeLast() throws IOException {
    ChangeWalk walk = changes;
    while (partition == null && walk != null && walk.next(null) != Next.NONE) {
      if (!accepts(walk.key())) {
        return false;
      }
      if (take(walk, walk.key())) {
        return true;
      }
      walk.advance();
    }
    return true;
  }

  /**
   * Returns whether a record is what is wanted; if not, cuts the key that is searched for.
   *
   * @throws CorruptSnapshotException if the record is above the key: then the search might not end
   */
  private boolean accepts(byte[] candidate) throws CorruptSnapshotException {
    if (target != Target.LONGEST_PREFIX) {
      return true;
    }
    int common = KeyOrder.commonBytes(candidate, key);
    if (common == candidate.length) {
      return true;
    }
    if (common == key.length || (candidate[common] & 0xFF) > (key[common] & 0xFF)) {
      Partition own = partition;
      throw new CorruptSnapshotException(
          "order index leads to a key above the one searched for: file=%s block=%d record=%d"
              .formatted(own == null ? "none" : own.blocks().path(), block, record));
    }
    key = Arrays.copyOf(key, common); // any prefix that there is, is a prefix of what both share
    return false;
  }

  /** Runs in the calling thread until the record is found. */
  public OrderedSeek find(BlockFetch source) throws IOException {
    while (needsBlock()) {
      step(source);
    }
    return this;
  }

  /** Runs in the calling thread until it is known where the record is. */
  public void settle(BlockFetch source) throws IOException {
    while (!isSettled()) {
      step(source);
    }
  }

  private void step(BlockFetch source) throws IOException {
    Partition own = partition;
    if (own == null) {
      throw new IllegalStateException("no block is needed");
    }
    BlockFile file = own.blocks();
    int number = block;
    Block fetched = source.fetch(file, number).readable(file.decoders(), FieldSelection.ALL);
    try {
      take(fetched, fetched.base(number));
    } finally {
      fetched.release();
    }
  }
}
