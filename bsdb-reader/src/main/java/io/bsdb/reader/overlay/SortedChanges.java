package io.bsdb.reader.overlay;

import io.bsdb.format.ValueReader;
import io.bsdb.format.index.KeyOrder;
import io.bsdb.reader.io.HugeMemory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The changed keys of a version in their order, deleted ones included, each with its newest record:
 * an array of the records' addresses, and beside each the eight bytes of its key after what all
 * keys share, so that a search hardly reads a record. 16 bytes per key, off the heap. The array of
 * the version that follows is made of runs of this one, without the keys of segments that are gone,
 * as they were merged, and with the keys of the new ones between them. Immutable and safe for many
 * threads.
 */
public final class SortedChanges implements Closeable {
  private static final int ENTRY = 2 * Long.BYTES;
  private static final long MAX_LENGTH = Integer.MAX_VALUE - (1 << 20);

  private final ChangeRecords keys;
  private final HugeMemory memory;
  private final ByteBuffer bytes;

  /** Prefix that all keys share. */
  private final byte[] prefix;

  /** The deleted keys, so that a walk skips a run of them. */
  private final BitSet deleted = new BitSet();

  private int size;

  private SortedChanges(ChangeRecords keys, byte[] prefix, long capacity) throws IOException {
    long length = capacity * ENTRY;
    if (length > MAX_LENGTH) {
      throw new IOException(
          "too many changed keys for one table in key order: actual=%d; fold them into the base with 'bsdb compact'"
              .formatted(capacity));
    }
    this.keys = keys;
    this.prefix = prefix;
    this.memory = HugeMemory.allocate(length);
    this.bytes = memory.buffer(0, length);
  }

  /**
   * Sorts changes.
   *
   * @param addresses one for each key; sorted
   * @param keys of these addresses
   */
  static SortedChanges of(long[] addresses, ChangeRecords keys) throws IOException {
    AddressSort.sort(addresses, keys);
    byte[] prefix =
        addresses.length == 0
            ? new byte[0]
            : common(keys.copyKey(addresses[0]), keys.copyKey(addresses[addresses.length - 1]));
    SortedChanges sorted = new SortedChanges(keys, prefix, addresses.length);
    for (long address : addresses) {
      sorted.add(address);
    }
    return sorted;
  }

  /**
   * Returns these changes with further ones, which take the place of those of the same keys.
   *
   * @param addresses one for each key; sorted
   * @param allKeys of all addresses then
   * @param moves gives the records of this their addresses there
   * @param total number of keys then
   */
  SortedChanges with(long[] addresses, ChangeRecords allKeys, Overlay.Moves moves, int total)
      throws IOException {
    if (size == 0) {
      return of(addresses, allKeys);
    }
    AddressSort.sort(addresses, allKeys);
    byte[] shared = prefix;
    if (addresses.length > 0) {
      shared = common(shared, allKeys.copyKey(addresses[0]));
      shared = common(shared, allKeys.copyKey(addresses[addresses.length - 1]));
    }
    SortedChanges merged = new SortedChanges(allKeys, shared, total);
    int from = 0;
    for (long address : addresses) {
      byte[] key = allKeys.copyKey(address);
      int place = below(key, from);
      merged.addRun(this, from, place, moves);
      merged.add(address);
      from = place < size && keys.compare(address(place), key) == 0 ? place + 1 : place;
    }
    merged.addRun(this, from, size, moves);
    return merged;
  }

  private static byte[] common(byte[] a, byte[] b) {
    return Arrays.copyOf(a, KeyOrder.commonBytes(a, b));
  }

  private void add(long address) {
    deleted.set(size, keys.isDelete(address));
    add(keys.head(address, prefix.length), address);
  }

  private void add(long head, long address) {
    bytes.putLong(size * ENTRY, head);
    bytes.putLong(size * ENTRY + Long.BYTES, address);
    size++;
  }

  private void addRun(SortedChanges source, int from, int end, Overlay.Moves moves) {
    boolean sameHeads = prefix.length == source.prefix.length;
    if (sameHeads && moves.isNone()) {
      bytes.put(size * ENTRY, source.bytes, from * ENTRY, (end - from) * ENTRY);
      for (int run = source.nextDelete(from); run < end; ) {
        int next = source.nextPut(run, end);
        deleted.set(size + run - from, size + next - from);
        run = source.nextDelete(next);
      }
      size += end - from;
      return;
    }
    for (int i = from; i < end; i++) {
      long address = moves.applyAsLong(source.address(i));
      if (address != 0) {
        deleted.set(size, source.isDeleted(i));
        add(
            sameHeads ? source.bytes.getLong(i * ENTRY) : keys.head(address, prefix.length),
            address);
      }
    }
  }

  /** Returns how many keys are below one, at least as many as are known to be. */
  private int below(byte[] key, int known) {
    if (side(key) != 0) {
      return search(key, false, known, size);
    }
    long head = KeyOrder.head(key, prefix.length);
    int low = known;
    int high = known;
    for (int step = 1; high < size && compare(high, head, key) < 0; step *= 2) {
      low = high + 1;
      high += step;
    }
    return search(key, false, low, Math.min(high, size));
  }

  /** Returns the number of changed keys, deleted ones included. */
  public int size() {
    return size;
  }

  /**
   * Returns how many changed keys are below a key.
   *
   * @param through whether the key itself is counted, too
   */
  public int count(byte[] key, boolean through) {
    return search(key, through, 0, size);
  }

  private int search(byte[] key, boolean through, int from, int end) {
    int side = side(key);
    if (side != 0) {
      return side < 0 ? from : end;
    }
    long head = KeyOrder.head(key, prefix.length);
    int low = from;
    int high = end;
    while (low < high) {
      int middle = (low + high) >>> 1;
      int comparison = compare(middle, head, key);
      if (comparison < 0 || (through && comparison == 0)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns where a key stands that does not have the prefix: negative below all that have. */
  private int side(byte[] key) {
    int length = Math.min(key.length, prefix.length);
    return Arrays.compareUnsigned(key, 0, length, prefix, 0, prefix.length);
  }

  /**
   * Compares a changed key with one that has the prefix, too.
   *
   * @param head the bytes of that one after the prefix
   */
  private int compare(int index, long head, byte[] key) {
    int comparison = Long.compareUnsigned(bytes.getLong(index * ENTRY), head);
    return comparison == 0 ? keys.compare(address(index), key) : comparison;
  }

  /**
   * Returns a walk through changes, from one place between keys to another.
   *
   * @param start how many keys are below the place where it starts
   * @param end how many keys are below the place where it ends
   */
  public ChangeWalk walk(int start, int end, boolean reversed) {
    return reversed
        ? new ChangeWalk(this, start - 1, Math.min(start, end) - 1)
        : new ChangeWalk(this, start, Math.max(start, end));
  }

  private long address(int index) {
    return bytes.getLong(index * ENTRY + Long.BYTES);
  }

  /** Returns a copy of the key at an index. */
  public byte[] key(int index) {
    return keys.copyKey(address(index));
  }

  boolean isDeleted(int index) {
    return deleted.get(index);
  }

  /** Returns the first deleted key from an index on; {@link #size} if there is none. */
  public int nextDelete(int from) {
    int next = deleted.nextSetBit(from);
    return next < 0 ? size : next;
  }

  /** Returns the first key from an index on that is not deleted; the end if there is none. */
  public int nextPut(int from, int end) {
    return Math.min(end, deleted.nextClearBit(from));
  }

  /**
   * Returns the first key from an index downwards that is not deleted; the end if there is none.
   */
  int previousPut(int from, int end) {
    return Math.max(end, deleted.previousClearBit(from));
  }

  <T> @Nullable T value(int index, ValueReader<T> reader) {
    return keys.read(address(index), 0, reader);
  }

  /** Returns the bytes off the heap. */
  long length() {
    return bytes.capacity();
  }

  @Override
  public void close() {
    memory.free();
  }
}
