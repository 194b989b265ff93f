package io.bsdb.reader.snapshot;

import io.bsdb.format.LentBytes;
import io.bsdb.reader.block.ReadThread;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Counts lookups, and with the same counters knows whether any is in flight, so that close can wait
 * before memory is unmapped.
 *
 * <p>Counters that all threads share would be the slowest part of a lookup. So there are many sets
 * of them, each on cache lines of its own, and a thread uses the one that its id selects. A call
 * increments "entered" at its start, then looks for the closed mark, and increments one of the
 * others at its end; none is in flight when the sums agree. Closing sets the mark, then waits for
 * that. Both sides are sequentially consistent, so either the call sees the mark or the close sees
 * the call.
 */
public final class Calls {
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);
  private static final int STRIPES = 64;
  private static final int STRIDE = 16;
  private static final int ENTERED = 0;

  /** The end of a lookup that found its key. */
  public static final int HIT = 1;

  /** The end of a lookup whose key is absent. */
  public static final int MISSED = 2;

  /** The end of a call that failed, or that is no lookup. */
  public static final int LEFT = 3;

  private static final int BATCH_HITS = 4;
  private static final int BATCH_MISSES = 5;

  /** Counters of one set: a stripe has a set for each of two epochs of lookups. */
  private static final int EPOCH = 6;

  /** The set of scans, which has no batches. */
  private static final int SCANS = 2 * EPOCH;

  static {
    // What is caught is a class to be looked for, the first time: there is memory for that now.
    ReadThread.complete(
        new CompletableFuture<Void>() {
          private boolean called;

          @Override
          public boolean complete(@Nullable Void answer) {
            if (!called) {
              called = true;
              throw new OutOfMemoryError();
            }
            return true;
          }
        },
        null,
        null);
  }

  private static final VarHandle UNCOUNTED = MethodHandles.arrayElementVarHandle(int[].class);

  private final AtomicLongArray counters = new AtomicLongArray((STRIPES + 1) * STRIDE);

  /** For each call, how many of its stripe have ended as {@link #end} has it. */
  public final int[] uncounted = new int[(STRIPES + 1) * STRIDE];

  private final String what;
  private final Function<String, ? extends RuntimeException> closedException;
  private final ReentrantLock awaited = new ReentrantLock();
  private volatile boolean closed;

  /**
   * The set that lookups begin in: 0 or {@link #EPOCH}. Not volatile: which one a lookup finds does
   * not matter, as both are waited for.
   */
  private int epoch;

  /**
   * @param what is named when a call comes after close
   * @param closedException makes what such a call throws, of the name
   */
  public Calls(String what, Function<String, ? extends RuntimeException> closedException) {
    this.what = what;
    this.closedException = closedException;
  }

  /**
   * Begins a call, to be ended by exactly one of the other methods.
   *
   * @return what to pass to it
   * @throws RuntimeException the one for closed readers, after {@link #close}
   */
  public int enter() {
    return enter(epoch);
  }

  /** Begins a scan, as {@link #enter} does a lookup; {@link #awaitLookups} does not wait for it. */
  public int enterScan() {
    return enter(SCANS);
  }

  private int enter(int set) {
    Thread thread = Thread.currentThread();
    if (thread instanceof ReadThread completing) {
      completing.requireLendsNothing();
    }
    int stripe = (int) ((thread.getId() * 0x9E3779B97F4A7C15L) >>> 58) * STRIDE + STRIDE + set;
    counters.getAndIncrement(stripe + ENTERED);
    if (closed) {
      counters.getAndIncrement(stripe + LEFT);
      throw closed(what);
    }
    return stripe;
  }

  /** Ends a lookup that found its key. */
  public void hit(int stripe) {
    end(stripe, HIT);
  }

  /** Ends a lookup whose key is absent. */
  public void missed(int stripe) {
    end(stripe, MISSED);
  }

  /**
   * Ends a call of a thread that may have no stack left, as a recursion that looks up has at its
   * end. If this throws StackOverflowError, the caller increments the call's element of {@link
   * #uncounted}, which takes no stack: else it would be waited for until the process ends.
   *
   * @param how {@link #HIT}, {@link #MISSED} or {@link #LEFT}
   */
  public void end(int stripe, int how) {
    counters.getAndIncrement(stripe + how);
  }

  /** Counts what a lookup of many keys has found, before its end. */
  public void found(int stripe, HashedKeys<?> keys) {
    int hits = keys.hits();
    counters.getAndAdd(stripe + BATCH_HITS, hits);
    counters.getAndAdd(stripe + BATCH_MISSES, keys.size() - hits);
  }

  /** Ends a call that failed, or that is no lookup. */
  public void left(int stripe) {
    end(stripe, LEFT);
  }

  /** Returns the exception for a call after the close of something. */
  RuntimeException closed(String closed) {
    return closedException.apply(closed);
  }

  public boolean isClosed() {
    return closed;
  }

  /** Returns the number of lookups that found their key. */
  long hits() {
    return sum(HIT) + sum(BATCH_HITS);
  }

  /** Returns the number of lookups of absent keys. */
  long misses() {
    return sum(MISSED) + sum(BATCH_MISSES);
  }

  private long sum(int counter) {
    long sum = 0;
    for (int stripe = STRIDE; stripe < counters.length(); stripe += STRIDE) {
      sum += counters.get(stripe + counter) + counters.get(stripe + EPOCH + counter);
    }
    return sum;
  }

  /** Refuses further calls. Returns whether this was the first time. */
  public boolean close() {
    synchronized (this) {
      boolean first = !closed;
      closed = true;
      return first;
    }
  }

  /**
   * Waits for the calls that are in flight now.
   *
   * @return whether all have ended
   */
  boolean awaitEnd(Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    return awaitQuiet(0, deadline) && awaitQuiet(EPOCH, deadline) && awaitQuiet(SCANS, deadline);
  }

  /**
   * Waits for the lookups that have begun, while others begin. After that, no lookup reads what
   * none can find any more.
   *
   * <p>Lookups begin in the one set of counters while the other one is waited for, and both are in
   * turn: a thread that has read the epoch just before it changed may begin in the former set late,
   * but then it finds what is there now. Called by one thread at a time.
   *
   * @return whether all have ended
   */
  boolean awaitLookups(Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    for (int i = 0; i < 2; i++) {
      int former = epoch;
      epoch = EPOCH - former;
      VarHandle.fullFence(); // lookups that begin after this find what was written before it
      if (!awaitQuiet(former, deadline)) {
        return false;
      }
    }
    return true;
  }

  private boolean awaitQuiet(int set, long deadline) {
    for (int stripe = STRIDE + set; stripe < counters.length(); stripe += STRIDE) {
      while (!isQuiet(stripe)) {
        if (System.nanoTime() - deadline > 0) {
          return false;
        }
        LockSupport.parkNanos(50_000);
      }
    }
    return true;
  }

  /** Waits for the lookups that are in flight now, however long they take, while others begin. */
  public void awaitEnd() {
    LentBytes.requireLendsNothing(what);
    awaited.lock();
    try {
      while (!awaitLookups(CHECK_INTERVAL)) {
        Thread.onSpinWait();
      }
    } finally {
      awaited.unlock();
    }
  }

  /** Ends are read before starts: equal sums then mean that nothing was in flight in between. */
  private boolean isQuiet(int stripe) {
    long ended =
        counters.get(stripe + HIT)
            + counters.get(stripe + MISSED)
            + counters.get(stripe + LEFT)
            + (int) UNCOUNTED.getAcquire(uncounted, stripe);
    return counters.get(stripe + ENTERED) == ended;
  }
}
