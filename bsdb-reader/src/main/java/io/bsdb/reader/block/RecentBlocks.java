package io.bsdb.reader.block;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A table in front of the block cache. Safe for many threads.
 *
 * <p>The cache finds a block after some eight references, and moves it in lists that show what to
 * evict: about as many cache misses, where a lookup in memory has two. Here a block is one
 * reference away, in the slot that its id selects: the one that was put there last. To know what is
 * in use a cache need not see every use: one in sixteen is made to look absent here, so that it
 * goes to the cache. A block that the cache evicts leaves its slot too, so memory stays bounded.
 */
final class RecentBlocks {
  private static final int SEEN_BY_CACHE = 16;
  private static final int LEAST_SLOTS = 1 << 6;
  private static final int MOST_SLOTS = 1 << 24;

  private final AtomicReferenceArray<@Nullable CachedBlock> slots;
  private final int shift;

  /**
   * @param capacity how many blocks the cache may hold, about
   */
  RecentBlocks(long capacity) {
    long twice = 2 * Math.max(LEAST_SLOTS / 2, Math.min(capacity, MOST_SLOTS / 2));
    int bits = 64 - Long.numberOfLeadingZeros(twice - 1);
    slots = new AtomicReferenceArray<>(1 << bits);
    shift = 64 - bits;
  }

  private int slot(long id) {
    return (int) ((id * 0x9E3779B97F4A7C15L) >>> shift);
  }

  /**
   * Returns a block that is here; null if it is not, or if the cache should learn that it is in
   * use.
   */
  @Nullable CachedBlock get(long id) {
    CachedBlock block = slots.getAcquire(slot(id));
    return block != null
            && block.id() == id
            && ThreadLocalRandom.current().nextInt() >>> 1 >= Integer.MAX_VALUE / SEEN_BY_CACHE
        ? block
        : null;
  }

  /** Puts a block here, unless it has been evicted meanwhile. */
  void add(CachedBlock block) {
    int slot = slot(block.id());
    if (slots.getAcquire(slot) != block) {
      slots.set(slot, block);
      if (block.isEvicted()) {
        slots.compareAndSet(slot, block, null);
      }
    }
  }

  /** Removes a block that the cache has evicted. */
  void evict(CachedBlock block) {
    block.evict();
    slots.compareAndSet(slot(block.id()), block, null);
  }
}
