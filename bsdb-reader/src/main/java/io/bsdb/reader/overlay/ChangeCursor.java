package io.bsdb.reader.overlay;

import io.bsdb.format.ValueReader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the changed keys in a range of hashes, in no particular order: as many as possible
 * at a time in the order in which segments hold them, so that those are read from front to back.
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

  /** By the number in addresses: whether changes of the segment are skipped. */
  private final boolean[] skipped;

  private final long firstHash;
  private final long lastHash;
  private long[] addresses = new long[64];
  private int count;
  private int next;
  private byte[] key = new byte[0];
  private long address;

  /**
   * @param after number of a segment: changes of it and of earlier ones are skipped
   */
  ChangeCursor(Overlay overlay, long firstHash, long lastHash, Deleted deleted, long after) {
    this.records = overlay.table().records();
    this.walk = overlay.table().whole().new Walk(records);
    this.deleted = deleted;
    this.skipped = overlay.through(after);
    this.firstHash = firstHash;
    this.lastHash = lastHash;
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
      if (!skipped[ChangeRecords.number(walk.address())] && walk.isBetween(firstHash, lastHash)) {
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
