package io.bsdb.reader.overlay;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Sorts addresses of changes by their keys, which all differ: four bytes of the keys at a time,
 * after what all of them share, in one number with the place of the address; keys that are equal so
 * far once more by the next four. Used by one thread.
 */
final class AddressSort {
  private static final int HEAD_BYTES = Integer.BYTES;

  /** Stands for keys that go on after the head; less: how many bytes of the head a key has. */
  private static final int LONGER = HEAD_BYTES + 1;

  private static final int LEFT_BITS = 3;
  private static final int PLACE_BITS = 29;
  private static final int PLACE = (1 << PLACE_BITS) - 1;

  private final long[] addresses;
  private final ChangeRecords keys;
  private final long[] packed;
  private final long[] sorted;
  private final Deque<Range> ranges = new ArrayDeque<>();

  /** Addresses whose keys have equal bytes in front of a depth. */
  private record Range(int from, int end, int depth) {}

  private AddressSort(long[] addresses, ChangeRecords keys) {
    this.addresses = addresses;
    this.keys = keys;
    this.packed = new long[addresses.length];
    this.sorted = new long[addresses.length];
  }

  static void sort(long[] addresses, ChangeRecords keys) {
    AddressSort sort = new AddressSort(addresses, keys);
    sort.push(0, addresses.length, 0);
    for (Range next = sort.ranges.poll(); next != null; next = sort.ranges.poll()) {
      sort.sort(next);
    }
  }

  private void push(int from, int end, int depth) {
    if (end - from > 1) {
      ranges.push(new Range(from, end, depth));
    }
  }

  private void sort(Range range) {
    int from = range.from();
    int end = range.end();
    int depth = range.depth() + common(range);
    for (int i = from; i < end; i++) {
      int left = Math.min(LONGER, keys.length(addresses[i]) - depth);
      long head = (keys.head(addresses[i], depth) >>> Integer.SIZE << LEFT_BITS) | left;
      packed[i] = ((head << PLACE_BITS) | (i - from)) ^ Long.MIN_VALUE;
    }
    Arrays.sort(packed, from, end);
    for (int i = from; i < end; i++) {
      sorted[i] = addresses[from + (int) (packed[i] & PLACE)];
    }
    System.arraycopy(sorted, from, addresses, from, end - from);
    for (int i = from; i < end; ) {
      int next = i + 1;
      while (next < end && packed[next] >> PLACE_BITS == packed[i] >> PLACE_BITS) {
        next++;
      }
      push(i, next, depth + HEAD_BYTES);
      i = next;
    }
  }

  /** Returns how many bytes after those that are equal all keys of a range share. */
  private int common(Range range) {
    byte[] first = keys.copyKey(addresses[range.from()]);
    int common = first.length;
    for (int i = range.from() + 1; i < range.end() && common > range.depth(); i++) {
      common = keys.common(addresses[i], range.depth(), first, common);
    }
    return common - range.depth();
  }
}
