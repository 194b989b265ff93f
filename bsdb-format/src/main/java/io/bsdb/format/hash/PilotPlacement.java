package io.bsdb.format.hash;

import java.util.Arrays;

/** Finds the pilots of one part. Holds scratch memory for the next part; for one thread. */
final class PilotPlacement {
  /*
   * Buckets are placed from the largest to the smallest, each with the first pilot that sends its keys
   * to free slots. When a bucket finds none, it takes the pilot for which the buckets in the way cost
   * least (sum of squared sizes, as a bucket of k keys is some k times as hard to place again per key),
   * and those are placed again at once, the largest first. Never evicting the last few placed ones and
   * starting the search at a random pilot keep two buckets from evicting each other for ever; a bound
   * on evictions, then on slot seeds, makes an end in any case. Below 1% of buckets evict any other.
   *
   * Most time goes into tries of small buckets while the part is nearly full. Their loops are unrolled
   * and test all keys of a try with one branch, since a branch per key would be mispredicted often.
   */

  private static final int SLOT_SEEDS = 8;

  /** Number of the last placed buckets that are safe from eviction. */
  private static final int RECENT = 16;

  private final int partCount;
  private final int bucketsPerPart;
  private final int[] start;
  private final int[] order;
  private final int[] placedAt;
  private final byte[] pilots;
  private final BucketHeap queue = new BucketHeap();
  private final long[] pilotHashes = new long[PilotFormat.PILOTS];

  /* Grown to the largest part. */
  private long[] keys = {};
  private int[] bucketOf = {};
  private char[] owner = {};
  private long[] taken = {};
  private long[] seen = {};

  private int slots;
  private int placements;
  private long random;

  PilotPlacement(int partCount, int bucketsPerPart) {
    this.partCount = partCount;
    this.bucketsPerPart = bucketsPerPart;
    start = new int[bucketsPerPart + 2];
    order = new int[bucketsPerPart];
    placedAt = new int[bucketsPerPart];
    pilots = new byte[bucketsPerPart];
  }

  /**
   * Groups the hashes {@code [from, to)} of a part, at least one, by bucket and orders buckets by
   * size.
   */
  void load(long[] hashes, int from, int to, int slotCount) {
    int count = to - from;
    slots = slotCount;
    if (keys.length < count) {
      int capacity = count + (count >>> 6);
      keys = new long[capacity];
      bucketOf = new int[capacity];
    }
    if (owner.length < slotCount) {
      owner = new char[slotCount + (slotCount >>> 6)];
      taken = new long[(owner.length >>> 6) + 1];
      seen = new long[taken.length];
    }
    int[] start = this.start;
    Arrays.fill(start, 0);
    int firstBucket = PilotFormat.part(hashes[from], partCount) * bucketsPerPart;
    for (int i = 0; i < count; i++) {
      int bucket = PilotFormat.bucket(hashes[from + i], partCount, bucketsPerPart) - firstBucket;
      bucketOf[i] = bucket;
      start[bucket + 2]++;
    }
    int largest = 0;
    for (int b = 2; b < start.length; b++) {
      largest = Math.max(largest, start[b]);
      start[b] += start[b - 1];
    }
    for (int i = 0; i < count; i++) {
      keys[start[bucketOf[i] + 1]++] = PilotFormat.slotKey(hashes[from + i]);
    }
    orderBySize(largest);
  }

  private void orderBySize(int largest) {
    int[] position = new int[largest + 2];
    for (int b = 0; b < bucketsPerPart; b++) {
      position[largest - size(b) + 1]++;
    }
    for (int s = 1; s < position.length; s++) {
      position[s] += position[s - 1];
    }
    for (int b = 0; b < bucketsPerPart; b++) {
      order[position[largest - size(b)]++] = b;
    }
  }

  private int size(int bucket) {
    return start[bucket + 1] - start[bucket];
  }

  /** Places every bucket; returns the slot seed with which it could, or -1. */
  int place() {
    for (int slotSeed = 0; slotSeed < SLOT_SEEDS; slotSeed++) {
      if (place(slotSeed)) {
        return slotSeed;
      }
    }
    return -1;
  }

  private boolean place(int slotSeed) {
    for (int pilot = 0; pilot < PilotFormat.PILOTS; pilot++) {
      pilotHashes[pilot] = PilotFormat.pilotHash(pilot, slotSeed);
    }
    Arrays.fill(taken, 0);
    Arrays.fill(pilots, (byte) 0);
    Arrays.fill(placedAt, -RECENT);
    queue.clear();
    placements = 0;
    random = slotSeed;
    int evictionsLeft = start[bucketsPerPart] / 4 + 1000;
    for (int bucket : order) {
      if (size(bucket) == 0) {
        break;
      }
      queue.add(bucket, size(bucket));
      while (!queue.isEmpty()) {
        int next = queue.removeLargest();
        int pilot = freePilot(start[next], start[next + 1]);
        if (pilot < 0) {
          pilot = cheapestPilot(next);
          if (pilot < 0) {
            return false;
          }
          evictionsLeft -= evictFor(next, pilot);
          if (evictionsLeft < 0) {
            return false;
          }
        }
        settle(next, pilot);
      }
    }
    return true;
  }

  /** Returns the first pilot whose slots are free and differ, or -1. */
  private int freePilot(int from, int to) {
    return switch (to - from) {
      case 1 -> freePilot(keys[from]);
      case 2 -> freePilot(keys[from], keys[from + 1]);
      case 3 -> freePilot(keys[from], keys[from + 1], keys[from + 2]);
      default -> freePilotOfMany(from, to);
    };
  }

  private int freePilot(long key) {
    long[] pilotHashes = this.pilotHashes;
    int slots = this.slots;
    for (int pilot = 0; pilot < pilotHashes.length; pilot++) {
      int slot = PilotFormat.slot(key, pilotHashes[pilot], slots);
      if (!isTaken(slot)) {
        return pilot;
      }
    }
    return -1;
  }

  private int freePilot(long key1, long key2) {
    long[] taken = this.taken;
    long[] pilotHashes = this.pilotHashes;
    int slots = this.slots;
    for (int pilot = 0; pilot < pilotHashes.length; pilot++) {
      int slot1 = PilotFormat.slot(key1, pilotHashes[pilot], slots);
      int slot2 = PilotFormat.slot(key2, pilotHashes[pilot], slots);
      long used = taken[slot1 >>> 6] >>> slot1 | taken[slot2 >>> 6] >>> slot2;
      if ((used & 1) == 0 && slot1 != slot2) {
        return pilot;
      }
    }
    return -1;
  }

  private int freePilot(long key1, long key2, long key3) {
    long[] taken = this.taken;
    long[] pilotHashes = this.pilotHashes;
    int slots = this.slots;
    for (int pilot = 0; pilot < pilotHashes.length; pilot++) {
      int slot1 = PilotFormat.slot(key1, pilotHashes[pilot], slots);
      int slot2 = PilotFormat.slot(key2, pilotHashes[pilot], slots);
      int slot3 = PilotFormat.slot(key3, pilotHashes[pilot], slots);
      long used =
          taken[slot1 >>> 6] >>> slot1
              | taken[slot2 >>> 6] >>> slot2
              | taken[slot3 >>> 6] >>> slot3;
      if ((used & 1) == 0 && slot1 != slot2 && slot1 != slot3 && slot2 != slot3) {
        return pilot;
      }
    }
    return -1;
  }

  private int freePilotOfMany(int from, int to) {
    long[] keys = this.keys;
    long[] taken = this.taken;
    long[] pilotHashes = this.pilotHashes;
    int slots = this.slots;
    long key1 = keys[from];
    long key2 = keys[from + 1];
    long key3 = keys[from + 2];
    long key4 = keys[from + 3];
    for (int pilot = 0; pilot < pilotHashes.length; pilot++) {
      long pilotHash = pilotHashes[pilot];
      int slot1 = PilotFormat.slot(key1, pilotHash, slots);
      int slot2 = PilotFormat.slot(key2, pilotHash, slots);
      int slot3 = PilotFormat.slot(key3, pilotHash, slots);
      int slot4 = PilotFormat.slot(key4, pilotHash, slots);
      long used =
          taken[slot1 >>> 6] >>> slot1
              | taken[slot2 >>> 6] >>> slot2
              | taken[slot3 >>> 6] >>> slot3
              | taken[slot4 >>> 6] >>> slot4;
      int i = from + 4;
      while ((used & 1) == 0 && i < to) {
        int slot = PilotFormat.slot(keys[i++], pilotHash, slots);
        used = taken[slot >>> 6] >>> slot;
      }
      if ((used & 1) == 0 && slotsDiffer(from, to, pilotHash)) {
        return pilot;
      }
    }
    return -1;
  }

  private boolean slotsDiffer(int from, int to, long pilotHash) {
    long[] keys = this.keys;
    int slots = this.slots;
    if (to - from <= 6) {
      for (int i = from + 1; i < to; i++) {
        int slot = PilotFormat.slot(keys[i], pilotHash, slots);
        for (int j = from; j < i; j++) {
          if (slot == PilotFormat.slot(keys[j], pilotHash, slots)) {
            return false;
          }
        }
      }
      return true;
    }
    long[] seen = this.seen;
    int i = from;
    while (i < to) {
      int slot = PilotFormat.slot(keys[i], pilotHash, slots);
      if ((seen[slot >>> 6] >>> slot & 1) != 0) {
        break;
      }
      seen[slot >>> 6] |= 1L << slot;
      i++;
    }
    boolean differ = i == to;
    while (--i >= from) {
      seen[PilotFormat.slot(keys[i], pilotHash, slots) >>> 6] = 0;
    }
    return differ;
  }

  private int cheapestPilot(int bucket) {
    int from = start[bucket];
    int to = start[bucket + 1];
    long least = (long) (to - from) * (to - from);
    long best = Long.MAX_VALUE;
    int bestPilot = -1;
    random = random * 0x5851F42D4C957F2DL + 0x14057B7EF767814FL;
    int first = (int) (random >>> 56);
    for (int p = 0; p < PilotFormat.PILOTS; p++) {
      int pilot = (first + p) & (PilotFormat.PILOTS - 1);
      long cost = cost(from, to, pilotHashes[pilot], best);
      if (cost < best && slotsDiffer(from, to, pilotHashes[pilot])) {
        best = cost;
        bestPilot = pilot;
        if (cost <= least) {
          break;
        }
      }
    }
    return bestPilot;
  }

  private long cost(int from, int to, long pilotHash, long limit) {
    long cost = 0;
    for (int i = from; i < to && cost < limit; i++) {
      int slot = PilotFormat.slot(keys[i], pilotHash, slots);
      if (isTaken(slot)) {
        int other = owner[slot];
        if (placements - placedAt[other] < RECENT) {
          return Long.MAX_VALUE;
        }
        long size = size(other);
        cost += size * size;
      }
    }
    return cost;
  }

  private int evictFor(int bucket, int pilot) {
    int evicted = 0;
    for (int i = start[bucket]; i < start[bucket + 1]; i++) {
      int slot = PilotFormat.slot(keys[i], pilotHashes[pilot], slots);
      if (isTaken(slot)) {
        int other = owner[slot];
        long pilotHash = pilotHashes[pilots[other] & 0xFF];
        for (int j = start[other]; j < start[other + 1]; j++) {
          int freed = PilotFormat.slot(keys[j], pilotHash, slots);
          taken[freed >>> 6] &= ~(1L << freed);
        }
        queue.add(other, size(other));
        evicted++;
      }
    }
    return evicted;
  }

  private void settle(int bucket, int pilot) {
    pilots[bucket] = (byte) pilot;
    placedAt[bucket] = placements++;
    for (int i = start[bucket]; i < start[bucket + 1]; i++) {
      int slot = PilotFormat.slot(keys[i], pilotHashes[pilot], slots);
      taken[slot >>> 6] |= 1L << slot;
      owner[slot] = (char) bucket;
    }
  }

  /** Returns the pilots by bucket; valid until the next part. */
  byte[] pilots() {
    return pilots;
  }

  boolean isTaken(int slot) {
    return (taken[slot >>> 6] >>> slot & 1) != 0;
  }

  /**
   * Returns the first slot at or after another that no key has; the number of slots or more if
   * there is none.
   */
  int nextFreeSlot(int from) {
    int word = from >>> 6;
    long free = ~taken[word] & -1L << from;
    while (free == 0) {
      if (++word == taken.length) {
        return slots;
      }
      free = ~taken[word];
    }
    return (word << 6) + Long.numberOfTrailingZeros(free);
  }
}
