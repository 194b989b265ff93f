package io.bsdb.live;

import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.locks.StampedLock;

/**
 * Excludes other writes of a key while a conditional write looks at it: writes share the lock of a
 * key, a conditional write has it alone. Keys share locks, by their hashes.
 *
 * <p>A thread that holds a lock waits only for the group commit, which takes none; a thread that
 * takes several takes them in ascending order. So there is no deadlock.
 */
final class KeyLocks {
  private static final int COUNT = 256;

  private final StampedLock[] locks = new StampedLock[COUNT];

  KeyLocks() {
    Arrays.setAll(locks, i -> new StampedLock());
  }

  /** Returns the number of a key's lock. */
  static int number(byte[] key) {
    return (Arrays.hashCode(key) * 0x9E3779B9) >>> 24;
  }

  /** Returns the lock of a key. */
  StampedLock of(byte[] key) {
    return locks[number(key)];
  }

  /** Shares the locks of many keys; returns what {@link #unlockAll} takes. */
  long[] shareAll(BitSet numbers) {
    long[] stamps = new long[numbers.cardinality()];
    int shared = 0;
    try {
      for (int number = numbers.nextSetBit(0);
          number >= 0;
          number = numbers.nextSetBit(number + 1)) {
        stamps[shared] = locks[number].readLock();
        shared++;
      }
      return stamps;
    } catch (RuntimeException | Error e) { // no memory to wait for one
      unlock(numbers, stamps, shared);
      throw e;
    }
  }

  void unlockAll(BitSet numbers, long[] stamps) {
    unlock(numbers, stamps, stamps.length);
  }

  private void unlock(BitSet numbers, long[] stamps, int count) {
    int number = numbers.nextSetBit(0);
    for (int i = 0; i < count; i++) {
      locks[number].unlockRead(stamps[i]);
      number = numbers.nextSetBit(number + 1);
    }
  }
}
