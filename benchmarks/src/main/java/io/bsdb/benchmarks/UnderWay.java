package io.bsdb.benchmarks;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many futures of one asking thread are under way. It asks for a quarter of them at a
 * time: to be woken for each would cost it more than the read.
 */
public final class UnderWay {
  private final int most;
  private final int turn;
  private final Semaphore room;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private int left;

  public UnderWay(int most) {
    this.most = most;
    this.turn = Math.max(1, most / 4);
    this.room = new Semaphore(most);
  }

  /** Waits until another may be asked for. */
  public void begin() throws InterruptedException {
    if (left == 0) {
      room.acquire(turn);
      left = turn;
    }
    left--;
  }

  /**
   * Ends one when it completes.
   *
   * @param check throws if the answer is wrong
   */
  public <T extends @Nullable Object> void endWith(
      CompletableFuture<T> lookup, Consumer<? super T> check) {
    var unused =
        lookup.whenComplete(
            (value, problem) -> {
              try {
                if (problem == null) {
                  check.accept(value);
                } else {
                  failure.compareAndSet(null, problem);
                }
              } catch (RuntimeException e) {
                failure.compareAndSet(null, e);
              } finally {
                room.release();
              }
            });
  }

  /**
   * Waits for all. After it nothing more is asked for.
   *
   * @throws IllegalStateException if one did not go well
   */
  public void await() throws InterruptedException {
    room.acquire(most - left);
    Throwable first = failure.get();
    if (first != null) {
      throw new IllegalStateException("a lookup failed", first);
    }
  }
}
