package io.bsdb.writer.intake;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Sorts records by key, equal keys in the order in which they came. Eight bytes of the keys at a
 * time, after the prefix that all of them share, by radix; keys that are equal so far once more by
 * the next eight. Used by one thread.
 */
public final class KeySorter {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final int FEW = 48;
  private static final int RADIX = 256;

  /**
   * Marks keys that are longer than the bytes compared; less: how many of these bytes a key has.
   */
  private static final int LONGER = Long.BYTES + 1;

  private final byte[] data;
  private final ByteBuffer buffer;
  private final int[] starts;
  private final long[] heads;
  private final int[] otherStarts;
  private final long[] otherHeads;

  /** Ranges of records, of three numbers each: from, end, and how many bytes are equal. */
  private int[] ranges = new int[3 * 64];

  private int rangeCount;

  private KeySorter(byte[] data, int[] starts, int count) {
    this.data = data;
    this.buffer = ByteBuffer.wrap(data);
    this.starts = starts;
    this.heads = new long[count];
    this.otherStarts = new int[count];
    this.otherHeads = new long[count];
  }

  /**
   * Sorts.
   *
   * @param data holds the records, as {@link SpillFiles} has them
   * @param starts where they start, in the order in which they came; sorted
   */
  public static void sort(byte[] data, int[] starts, int count) {
    KeySorter sorter = new KeySorter(data, starts, count);
    sorter.push(0, count, 0);
    while (sorter.rangeCount > 0) {
      sorter.rangeCount--;
      int at = 3 * sorter.rangeCount;
      sorter.sort(sorter.ranges[at], sorter.ranges[at + 1], sorter.ranges[at + 2]);
    }
  }

  private void push(int from, int end, int depth) {
    if (end - from < 2) {
      return;
    }
    int at = 3 * rangeCount++;
    if (at == ranges.length) {
      ranges = Arrays.copyOf(ranges, 2 * at);
    }
    ranges[at] = from;
    ranges[at + 1] = end;
    ranges[at + 2] = depth;
  }

  /** Returns where the key starts and, in the upper 32 bits, how long it is. */
  private long key(int start) {
    long keyNumber = SpillFiles.varint(buffer, start);
    long valueNumber = SpillFiles.varint(buffer, (int) keyNumber);
    return keyNumber >>> 32 << 32 | (int) valueNumber;
  }

  private void sort(int from, int end, int equal) {
    int depth = equal + common(from, end, equal);
    for (int i = from; i < end; i++) {
      heads[i] = head(starts[i], depth) ^ Long.MIN_VALUE;
    }
    if (end - from <= FEW) {
      sortFew(from, end);
    } else {
      sortMany(from, end);
    }
    for (int i = from; i < end; ) {
      int next = i + 1;
      while (next < end && heads[next] == heads[i]) {
        next++;
      }
      if (next - i > 1) {
        divide(i, next, depth);
      }
      i = next;
    }
  }

  /** Returns how many bytes after those that are equal all keys of a range share. */
  private int common(int from, int end, int equal) {
    long first = key(starts[from]);
    int firstAt = (int) first + equal;
    int common = (int) (first >>> 32) - equal;
    for (int i = from + 1; i < end && common > 0; i++) {
      long key = key(starts[i]);
      int at = (int) key + equal;
      int length = Math.min(common, (int) (key >>> 32) - equal);
      int mismatch = Arrays.mismatch(data, firstAt, firstAt + length, data, at, at + length);
      common = mismatch < 0 ? length : mismatch;
    }
    return common;
  }

  private long head(int start, int depth) {
    long key = key(start);
    int at = (int) key + depth;
    int left = (int) (key >>> 32) - depth;
    if (left >= Long.BYTES) {
      return (long) LONGS.get(data, at);
    }
    long head = 0;
    for (int i = 0; i < left; i++) {
      head |= (data[at + i] & 0xFFL) << (Long.SIZE - Byte.SIZE * (i + 1));
    }
    return head;
  }

  private void sortFew(int from, int end) {
    for (int i = from + 1; i < end; i++) {
      long head = heads[i];
      int start = starts[i];
      int to = i;
      for (; to > from && heads[to - 1] > head; to--) {
        heads[to] = heads[to - 1];
        starts[to] = starts[to - 1];
      }
      heads[to] = head;
      starts[to] = start;
    }
  }

  private void sortMany(int from, int end) {
    int[][] counts = new int[Long.BYTES][RADIX];
    for (int i = from; i < end; i++) {
      for (int pass = 0; pass < Long.BYTES; pass++) {
        counts[pass][digit(heads[i], pass)]++;
      }
    }
    for (int pass = 0; pass < Long.BYTES; pass++) {
      int[] places = counts[pass];
      if (places[digit(heads[from], pass)] == end - from) {
        continue; // the same in all
      }
      int place = from;
      for (int digit = 0; digit < RADIX; digit++) {
        int count = places[digit];
        places[digit] = place;
        place += count;
      }
      for (int i = from; i < end; i++) {
        int to = places[digit(heads[i], pass)]++;
        otherHeads[to] = heads[i];
        otherStarts[to] = starts[i];
      }
      System.arraycopy(otherHeads, from, heads, from, end - from);
      System.arraycopy(otherStarts, from, starts, from, end - from);
    }
  }

  private static int digit(long head, int pass) {
    return (int) ((head ^ Long.MIN_VALUE) >>> (Byte.SIZE * pass)) & (RADIX - 1);
  }

  /** Puts keys with equal heads in the order of their ends; those that go on are sorted later. */
  private void divide(int from, int end, int depth) {
    int[] places = new int[LONGER + 2];
    for (int i = from; i < end; i++) {
      places[end(starts[i], depth) + 1]++;
    }
    places[0] = from;
    for (int i = 1; i < places.length; i++) {
      places[i] += places[i - 1];
    }
    int longer = places[LONGER];
    for (int i = from; i < end; i++) {
      otherStarts[places[end(starts[i], depth)]++] = starts[i];
    }
    System.arraycopy(otherStarts, from, starts, from, end - from);
    push(longer, end, depth + Long.BYTES);
  }

  private int end(int start, int depth) {
    return Math.min(LONGER, (int) (key(start) >>> 32) - depth);
  }
}
