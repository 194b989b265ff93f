package io.bsdb.reader.memory;

import io.bsdb.format.Internal;
import io.bsdb.reader.memory.MemoryBudget.Use;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory of a budget that can be given back: signatures, and what is left for block caches.
 * Bits of signatures go where absent keys are asked for, block caches get the rest.
 *
 * <p>Adjusted by a separate thread, which ends with the last reader, and by threads that need room.
 * They take turns after each step, so that a thread that needs room waits for one step at most.
 * Safe for many threads; lookups wait for none of this.
 *
 * @hidden
 */
@Internal
public final class ElasticMemory {
  private static final Logger LOG = LoggerFactory.getLogger(ElasticMemory.class);
  private static final Duration HALF_LIFE = Duration.ofMinutes(1);

  /** Least part of the reads that an adjustment must save. */
  private static final double WORTH = 0.05;

  /** Part of the limit that stays free for what is packed again. */
  private static final int SLACK = 64;

  /** Part of the elastic memory that block caches get in any case, so that their hits are known. */
  private static final int LEAST_FOR_CACHES = 8;

  private final MemoryBudget budget;
  private final Duration interval;

  /** Held by the thread that changes bits or limits, for one step. */
  private final ReentrantLock turn = new ReentrantLock(true);

  private final Set<SignatureUnit> units = ConcurrentHashMap.newKeySet();
  private final CacheLimits caches;
  private final RetiredMemory retired;
  private final AtomicLong adjustments = new AtomicLong();
  private final AtomicLong bytesLoaded = new AtomicLong();
  private final AtomicLong failedLoads = new AtomicLong();
  private @Nullable Thread adjuster;
  private boolean woken;

  ElasticMemory(MemoryBudget budget, Duration interval) {
    this.budget = budget;
    this.interval = interval;
    this.caches = new CacheLimits(budget);
    this.retired = new RetiredMemory(budget);
  }

  /** Lookups that may read what has just been replaced. */
  public interface Lookups {
    /** Waits for the lookups that have begun; returns whether all have ended. */
    boolean await(Duration atMost);
  }

  /** A block cache. */
  public interface Cache {
    /** Returns the size that it was given by its user. */
    long maxBytes();

    /** Returns how many blocks it had that were asked for. */
    long hits();

    /** Sets its size, and evicts what is above. */
    void limit(long bytes);
  }

  /** Adds lookups for which memory that is replaced is kept; without a limit, none is replaced. */
  public void add(Lookups of) {
    if (budget.isLimited()) {
      retired.add(of);
    }
  }

  public void remove(Lookups of) {
    retired.remove(of);
  }

  /** Adds a cache, and gives it what is left. */
  public void add(Cache cache) {
    turn.lock();
    try {
      caches.add(cache);
      limitCaches();
    } finally {
      turn.unlock();
    }
    wake();
  }

  /** Removes a cache that is empty and stays so. */
  public void remove(Cache cache) {
    turn.lock();
    try {
      caches.remove(cache);
      limitCaches();
    } finally {
      turn.unlock();
    }
    wake();
  }

  /** Adds units, whose signatures are loaded in the background. */
  public void add(Collection<SignatureUnit> more) {
    synchronized (units) {
      units.addAll(more);
    }
    wake();
  }

  /**
   * Adds the units of a version that is about to go into service, and loads them first. They begin
   * with the bits that they have inherited; if there is no room for these beside those of the
   * version before, both get less until that is closed.
   */
  public void add(Collection<SignatureUnit> more, Collection<SignatureUnit> ofVersionBefore) {
    Set<SignatureUnit> both = ConcurrentHashMap.newKeySet();
    both.addAll(more);
    both.addAll(ofVersionBefore);
    turn.lock();
    try {
      synchronized (units) {
        units.addAll(more);
      }
      List<SignatureUnit> others = new ArrayList<>(units);
      others.removeAll(both);
      long room = Math.max(0, available(0) - leastForCaches(0) - SignatureUnit.bytes(others));
      long wanted = SignatureUnit.bytes(both);
      if (wanted > room) {
        for (SignatureUnit unit : both) {
          unit.bits((int) ((double) unit.bits() * room / wanted));
        }
      }
    } finally {
      turn.unlock();
    }
    apply(both);
    wake();
  }

  /** Removes a unit that has no members any more, unless others have just joined it. */
  public void remove(SignatureUnit unit) {
    synchronized (units) {
      if (unit.members().isEmpty()) {
        units.remove(unit);
      }
    }
    wake();
  }

  /** Frees memory once the lookups that may read it have ended; until then it counts. */
  public void retire(Runnable free, long bytes) {
    retired.add(free, bytes);
  }

  /** Counts bytes that were read from disk. */
  public void loaded(long bytes) {
    bytesLoaded.addAndGet(bytes);
  }

  long adjustments() {
    return adjustments.get();
  }

  long bytesLoaded() {
    return bytesLoaded.get();
  }

  long failedLoads() {
    return failedLoads.get();
  }

  /** Returns the bytes for signatures and caches, besides an index of so many bytes more. */
  private long available(long more) {
    long limit = budget.limitBytes();
    return budget.isLimited()
        ? Math.max(0, limit - limit / SLACK - budget.indexBytes() - more)
        : limit;
  }

  private long leastForCaches(long more) {
    return Math.min(caches.maxBytes(), available(more) / LEAST_FOR_CACHES);
  }

  private BitPlan plan(long more) {
    return BitPlan.of(units, available(more) - leastForCaches(more), caches.worth());
  }

  /** Gives the caches what signatures leave. */
  private void limitCaches() {
    caches.share(available(0) - Math.max(budget.signatureBytes(), SignatureUnit.bytes(units)));
  }

  /**
   * Makes room for memory that lookups need, and claims it.
   *
   * @return whether it fits
   */
  boolean makeRoom(long bytes) {
    turn.lock();
    try {
      if (bytes > budget.limitBytes() - budget.indexBytes()) {
        return false;
      }
      BitPlan plan = plan(bytes);
      units.forEach(unit -> unit.bits(Math.min(unit.bits(), plan.bits().getOrDefault(unit, 0))));
      caches.share(available(bytes) - plan.bytes());
      shrink(units);
      if (budget.tryTake(Use.INDEX, bytes)) {
        return true;
      }
      units.forEach(unit -> unit.bits(0));
      caches.share(0);
      shrink(units);
      return budget.tryTake(Use.INDEX, bytes);
    } finally {
      turn.unlock();
      wake();
    }
  }

  /**
   * Moves bits to where they save more reads, if it is worth it, and loads what is missing.
   *
   * @param sinceLast time since this was called last
   */
  public void adjust(Duration sinceLast) {
    turn.lock();
    try {
      double factor = Math.pow(0.5, (double) sinceLast.toNanos() / HALF_LIFE.toNanos());
      units.forEach(unit -> unit.age(factor));
      caches.age(factor);
      moveBits();
    } finally {
      turn.unlock();
    }
    apply(units);
  }

  private void moveBits() {
    BitPlan plan = plan(0);
    double before = units.stream().mapToDouble(unit -> BitPlan.reads(unit, unit.bits())).sum();
    long bytesBefore = SignatureUnit.bytes(units);
    double atCaches = caches.worth() * leftForCaches(bytesBefore);
    double saved = before - plan.reads() + caches.worth() * leftForCaches(plan.bytes()) - atCaches;
    if (saved <= 0 || saved < WORTH * (before + atCaches)) {
      return;
    }
    StringBuilder bits = new StringBuilder();
    int changed = 0;
    for (SignatureUnit unit : units) {
      int wanted = plan.bits().getOrDefault(unit, unit.bits());
      if (wanted != unit.bits()) {
        changed++;
        bits.append(changed == 1 ? "" : ", ").append(unit.bits()).append(" to ").append(wanted);
        unit.bits(wanted);
      }
    }
    if (changed > 0) {
      adjustments.incrementAndGet();
      LOG.info(
          "memory budget: {} of {} units of signatures change their bits ({}), {} to {}; saves {} % of the reads",
          changed,
          units.size(),
          bits.length() > 200 ? bits.substring(0, 200) + " …" : bits,
          MemoryBudget.text(bytesBefore),
          MemoryBudget.text(plan.bytes()),
          Math.round(100 * saved / (before + atCaches)));
    }
  }

  private long leftForCaches(long signatures) {
    return Math.max(0, Math.min(caches.maxBytes(), available(0) - signatures));
  }

  /** Gives the members of units the bits of their units: shrinks first, then loads. */
  private void apply(Collection<SignatureUnit> changed) {
    inTurn(
        () -> {
          shrink(changed);
          limitCaches();
        });
    List<SignatureUnit> hottestFirst = new ArrayList<>(changed);
    hottestFirst.sort(Comparator.comparingDouble(SignatureUnit::hotness).reversed());
    for (SignatureUnit unit : hottestFirst) {
      for (SignatureUnit.Member member : unit.members()) {
        inTurn(() -> grow(unit, member));
      }
    }
    inTurn(this::limitCaches);
  }

  private void inTurn(Runnable step) {
    turn.lock();
    try {
      step.run();
    } finally {
      turn.unlock();
    }
  }

  /**
   * Takes away bits, and frees their memory as it goes until a lookup takes long, and at the end.
   */
  private void shrink(Collection<SignatureUnit> changed) {
    boolean freed = true;
    for (SignatureUnit unit : changed) {
      for (SignatureUnit.Member member : unit.members()) {
        if (member.bits() > unit.bitsOf(member)) {
          var unused = hold(member, unit.bitsOf(member));
          freed = freed && retired.free();
        }
      }
    }
    var unused = retired.free();
  }

  private void grow(SignatureUnit unit, SignatureUnit.Member member) {
    int bits = unit.bitsOf(member);
    if (member.bits() < bits) {
      if (!hold(member, bits) && member.bits() > 0 && hold(member, 0)) {
        retired.free(); // no room for both
        var unused = hold(member, bits);
      }
      var unused = retired.free();
    }
  }

  private boolean hold(SignatureUnit.Member member, int bits) {
    try {
      return member.hold(bits);
    } catch (IOException | OutOfMemoryError e) { // no buffer to read into, say
      failedLoads.incrementAndGet();
      LOG.error(
          "memory budget: signatures cannot be loaded, {} bits stay; absent keys cost more reads",
          member.bits(),
          e);
      return true;
    }
  }

  /** Asks for an adjustment soon; begins or ends the thread that makes them. */
  private synchronized void wake() {
    woken = true;
    notifyAll();
    if (adjuster == null && !interval.isZero() && hasWork()) {
      Thread started = new Thread(this::run, "bsdb-memory");
      started.setDaemon(true);
      started.start();
      adjuster = started; // only now: else none would ever be begun again
    }
  }

  private boolean hasWork() {
    return !units.isEmpty() || !caches.isEmpty() || !retired.isEmpty();
  }

  private void run() {
    long last = System.nanoTime();
    while (awaitWork()) {
      long now = System.nanoTime();
      try {
        try {
          adjust(Duration.ofNanos(now - last));
        } catch (RuntimeException | Error e) { // one not understood must not end the adjustments
          LOG.error("memory budget: adjustment failed", e);
        }
      } catch (RuntimeException | Error e) {
        // No memory to log.
      }
      last = now;
    }
  }

  private synchronized boolean awaitWork() {
    long deadline = System.nanoTime() + interval.toNanos();
    try {
      for (long left = interval.toNanos();
          !woken && left > 0;
          left = deadline - System.nanoTime()) {
        wait(Math.max(1, left / 1_000_000));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      adjuster = null;
      return false;
    }
    woken = false;
    if (!hasWork()) {
      adjuster = null;
      return false;
    }
    return true;
  }
}
