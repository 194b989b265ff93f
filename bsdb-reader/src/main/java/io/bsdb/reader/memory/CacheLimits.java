package io.bsdb.reader.memory;

import io.bsdb.reader.memory.ElasticMemory.Cache;
import io.bsdb.reader.memory.MemoryBudget.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The block caches of a budget, and the part of it that each has. Changed by one thread at a time.
 */
final class CacheLimits {
  /** Hits that one more byte of a block cache brings, beside those of the mean byte. */
  private static final double LAST_BYTE = 0.3;

  private final MemoryBudget budget;
  private final Set<Limited> caches = ConcurrentHashMap.newKeySet();

  CacheLimits(MemoryBudget budget) {
    this.budget = budget;
  }

  private static final class Limited {
    private final Cache cache;
    private long limit;
    private long counted;
    private double hits;

    Limited(Cache cache) {
      this.cache = cache;
    }
  }

  void add(Cache cache) {
    caches.add(new Limited(cache));
  }

  /** Removes a cache that is empty and stays so. */
  void remove(Cache cache) {
    caches.removeIf(
        each -> {
          if (each.cache == cache) {
            cache.limit(0);
            budget.giveBack(Use.CACHE, each.limit);
          }
          return each.cache == cache;
        });
  }

  boolean isEmpty() {
    return caches.isEmpty();
  }

  /** Returns the bytes that the users of all caches gave them. */
  long maxBytes() {
    return caches.stream().mapToLong(each -> each.cache.maxBytes()).sum();
  }

  /** Returns the hits that a byte more would bring. */
  double worth() {
    double hits = caches.stream().mapToDouble(each -> each.hits).sum();
    long bytes = caches.stream().mapToLong(each -> each.limit).sum();
    return bytes == 0 ? 0 : LAST_BYTE * hits / bytes;
  }

  /** Counts the hits since this was called last; those before count less. */
  void age(double factor) {
    for (Limited each : caches) {
      long now = each.cache.hits();
      each.hits = each.hits * factor + now - each.counted;
      each.counted = now;
    }
  }

  /**
   * Shares bytes among the caches, in proportion to the sizes that they were given. Those that lose
   * do so first.
   */
  void share(long bytes) {
    double wanted = caches.stream().mapToDouble(each -> each.cache.maxBytes()).sum();
    double share = Math.max(0, Math.min(1, bytes / wanted));
    List<Limited> growing = new ArrayList<>();
    for (Limited each : caches) {
      long limit = (long) (each.cache.maxBytes() * share);
      if (limit < each.limit) {
        each.cache.limit(limit);
        budget.giveBack(Use.CACHE, each.limit - limit);
        each.limit = limit;
      } else if (limit > each.limit) {
        growing.add(each);
      }
    }
    for (Limited each : growing) {
      long limit = (long) (each.cache.maxBytes() * share);
      if (budget.tryTake(Use.CACHE, limit - each.limit)) {
        each.limit = limit;
        each.cache.limit(limit);
      }
    }
  }
}
