package io.bsdb.benchmarks.harness;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many lookups of one thread are in flight. It asks for a quarter of them at a time: to
 * be woken for each would cost it more than the read.
 */
public final class InFlight {
  private final int maximum;
  private final int quarter;
  private final Semaphore room;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private int left;

  public InFlight(int maximum) {
    this.maximum = maximum;
    this.quarter = Math.max(1, maximum / 4);
    this.room = new Semaphore(maximum);
  }

  /** Waits until there is room for another lookup. */
  public void begin() throws InterruptedException {
    if (left == 0) {
      room.acquire(quarter);
      left = quarter;
    }
    left--;
  }

  /**
   * Gives the room back when the lookup completes.
   *
   * @param check throws if the answer is wrong
   */
  public <T extends @Nullable Object> void endWith(
      CompletableFuture<T> lookup, Consumer<? super T> check) {
    var unused =
        lookup
            .thenAccept(check)
            .whenComplete(
                (none, problem) -> {
                  if (problem != null) {
                    failure.compareAndSet(null, problem);
                  }
                  room.release();
                });
  }

  /**
   * Waits for all lookups. There may be no more after it.
   *
   * @throws IllegalStateException if one failed
   */
  public void await() throws InterruptedException {
    room.acquire(maximum - left);
    Throwable first = failure.get();
    if (first != null) {
      throw new IllegalStateException("a lookup failed", first);
    }
  }
}
