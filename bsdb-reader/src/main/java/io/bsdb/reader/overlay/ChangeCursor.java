package io.bsdb.reader.overlay;

import io.bsdb.format.ValueReader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Goes through some of the changed keys: as many as possible at a time in the order in which
 * segments hold them, so that those are read from front to back. The order is always the same for
 * the same changes, whether their index was made of another one or not.
 */
public final class ChangeCursor {
  /** Treatment of keys that were deleted. */
  enum Deleted {
    INCLUDED,
    SKIPPED
  }

  private static final int MAX_SORTED = 1 << 20;

  private final ChangeRecords records;
  private final ChangeIndex index;
  private final Deleted deleted;
  private final Predicate<ChangeIndex.Walk> wanted;
  private final int maxSorted;

  /** Ranges of hashes, one after the other, each of which is sorted; more than one if need be. */
  private long ranges = 1;

  private long range;
  private long[] addresses = new long[64];
  private int count;
  private int next;
  private byte[] key = new byte[0];
  private long address;

  /**
   * @param wanted tests the entry that the walk is at
   */
  ChangeCursor(ChangeTable changes, Deleted deleted, Predicate<ChangeIndex.Walk> wanted) {
    this(changes, deleted, wanted, MAX_SORTED);
  }

  /**
   * @param maxSorted about how many keys are sorted at a time
   */
  ChangeCursor(
      ChangeTable changes, Deleted deleted, Predicate<ChangeIndex.Walk> wanted, int maxSorted) {
    this.records = changes.records();
    this.index = changes.whole();
    this.deleted = deleted;
    this.wanted = wanted;
    this.maxSorted = maxSorted;
  }

  /** Moves to the next key; returns false if there is none. */
  public boolean next() {
    while (next < count || fill()) {
      address = addresses[next++];
      if (deleted == Deleted.INCLUDED || !records.isDelete(address)) {
        key = records.copyKey(address);
        return true;
      }
    }
    return false;
  }

  /** Sorts the next addresses; returns false if there are none. */
  private boolean fill() {
    next = 0;
    count = 0;
    while (count == 0 && range < ranges) {
      long found = collect();
      if (ranges == 1 && found > maxSorted) {
        ranges = found / maxSorted + 1;
        found = collect();
      }
      range++;
    }
    Arrays.sort(addresses, 0, count);
    return count > 0;
  }

  /**
   * Collects the addresses of a range of hashes, of all no more than may be sorted; returns how
   * many there are. Hashes are where ranges end, because entries are not in the order of these:
   * which of them come first depends on the size of the index.
   */
  private long collect() {
    count = 0;
    long found = 0;
    ChangeIndex.Walk walk = index.new Walk(records);
    while (walk.next()) {
      if ((ranges == 1 || range(walk.hash()) == range) && wanted.test(walk)) {
        found++;
        if (ranges > 1 || count < maxSorted) {
          add(walk.address());
        }
      }
    }
    return found;
  }

  private long range(long hash) {
    return (hash * ranges) >>> ChangeIndex.HASH_BITS;
  }

  private void add(long added) {
    if (count == addresses.length) {
      addresses = Arrays.copyOf(addresses, 2 * count);
    }
    addresses[count++] = added;
  }

  /** Returns the current key; not to be changed. */
  public byte[] key() {
    return key;
  }

  /**
   * Returns the segment of the current change, in which it stays as long as the segment is open.
   */
  public ByteBuffer segment() {
    return records.segment(address).body();
  }

  /** Returns where its key lies there: offset in the upper 32 bits, length in the lower. */
  public long keyPlace() {
    return records.key(address);
  }

  /** Returns where its value lies there, right after the key; as {@link #keyPlace}. */
  public long valuePlace() {
    return records.segment(address).value(ChangeRecords.offset(address));
  }

  /** Returns whether the current key has been deleted. */
  public boolean isDeleted() {
    return records.isDelete(address);
  }

  /** Returns a copy of the current value. */
  public byte[] value() {
    return records.copyValue(address);
  }

  /** Lends the current value. */
  public <T> @Nullable T value(ValueReader<T> reader) {
    return records.read(address, 0, reader);
  }
}
