package io.bsdb.reader.overlay;

import io.bsdb.format.ValueReader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Goes through some of the changed keys, in no particular order: as many as possible at a time in
 * the order in which segments hold them, so that those are read from front to back.
 */
public final class ChangeCursor {
  /** Treatment of keys that were deleted. */
  enum Deleted {
    INCLUDED,
    SKIPPED
  }

  private static final int MAX_SORTED = 1 << 20;

  private final ChangeRecords records;
  private final ChangeIndex.Walk walk;
  private final Deleted deleted;
  private final Predicate<ChangeIndex.Walk> wanted;
  private long[] addresses = new long[64];
  private int count;
  private int next;
  private byte[] key = new byte[0];
  private long address;

  /**
   * @param wanted tests the entry that the walk is at
   */
  ChangeCursor(ChangeTable changes, Deleted deleted, Predicate<ChangeIndex.Walk> wanted) {
    this.records = changes.records();
    this.walk = changes.whole().new Walk(records);
    this.deleted = deleted;
    this.wanted = wanted;
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
    while (count < MAX_SORTED && walk.next()) {
      if (wanted.test(walk)) {
        if (count == addresses.length) {
          addresses = Arrays.copyOf(addresses, 2 * count);
        }
        addresses[count++] = walk.address();
      }
    }
    Arrays.sort(addresses, 0, count);
    return count > 0;
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
