package io.bsdb.reader.snapshot;

/** A set of hashes of 128 bits, at most half full: 16 to 32 bytes each. Used by one thread. */
final class HashSet128 {
  private static final int MAX_SLOTS = 1 << 29;

  /** Pairs of words; two zeros are an empty slot. */
  private long[] words = new long[2 << 10];

  private int size;
  private boolean hasZero;

  /** Adds a hash; returns false if it was there. */
  boolean add(long high, long low) {
    if ((high | low) == 0) {
      boolean added = !hasZero;
      hasZero = true;
      return added;
    }
    int slot = slot(words, high, low);
    if (words[slot] == high && words[slot + 1] == low) {
      return false;
    }
    words[slot] = high;
    words[slot + 1] = low;
    size++;
    if (size > words.length / 4) {
      grow();
    }
    return true;
  }

  boolean contains(long high, long low) {
    if ((high | low) == 0) {
      return hasZero;
    }
    int slot = slot(words, high, low);
    return words[slot] == high && words[slot + 1] == low;
  }

  /** Returns where a hash is, or the empty slot where it would be. */
  private static int slot(long[] words, long high, long low) {
    int mask = words.length / 2 - 1;
    int slot = (int) low & mask;
    while (true) {
      long first = words[2 * slot];
      long second = words[2 * slot + 1];
      if ((first == high && second == low) || (first | second) == 0) {
        return 2 * slot;
      }
      slot = (slot + 1) & mask;
    }
  }

  private void grow() {
    if (words.length / 2 == MAX_SLOTS) {
      throw new IllegalStateException(
          "more than %,d keys are new or changed; publish the whole table".formatted(size));
    }
    long[] before = words;
    long[] grown = new long[2 * before.length];
    for (int i = 0; i < before.length; i += 2) {
      if ((before[i] | before[i + 1]) != 0) {
        int slot = slot(grown, before[i], before[i + 1]);
        grown[slot] = before[i];
        grown[slot + 1] = before[i + 1];
      }
    }
    words = grown;
  }
}
