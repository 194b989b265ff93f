package io.bsdb.format.hash;

import java.util.Arrays;

/** A max-heap of buckets by size; equal sizes by bucket number, so that the order is total. */
final class BucketHeap {

  private long[] entries = new long[64];
  private int count;

  boolean isEmpty() {
    return count == 0;
  }

  void clear() {
    count = 0;
  }

  void add(int bucket, int size) {
    if (count == entries.length) {
      entries = Arrays.copyOf(entries, count * 2);
    }
    long entry = (long) size << 32 | bucket;
    int child = count++;
    while (child > 0) {
      int parent = (child - 1) >>> 1;
      if (entries[parent] >= entry) {
        break;
      }
      entries[child] = entries[parent];
      child = parent;
    }
    entries[child] = entry;
  }

  int removeLargest() {
    int largest = (int) entries[0];
    long last = entries[--count];
    int parent = 0;
    while (true) {
      int child = 2 * parent + 1;
      if (child >= count) {
        break;
      }
      if (child + 1 < count && entries[child + 1] > entries[child]) {
        child++;
      }
      if (entries[child] <= last) {
        break;
      }
      entries[parent] = entries[child];
      parent = child;
    }
    entries[parent] = last;
    return largest;
  }
}
