package io.bsdb.benchmarks.harness;

import io.bsdb.format.io.IOSupplier;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Samples a number every 20 ms in a thread of its own, and keeps the greatest. */
public final class Sampler {
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Future<Long> greatest;

  /** Starts to sample. */
  public Sampler(IOSupplier<Long> source) {
    greatest =
        Workers.POOL.submit(
            () -> {
              long most = source.get();
              while (!ended.await(20, TimeUnit.MILLISECONDS)) {
                most = Math.max(most, source.get());
              }
              return Math.max(most, source.get());
            });
  }

  /** Samples once more, and returns the greatest number. */
  public long end() throws InterruptedException, ExecutionException {
    ended.countDown();
    return greatest.get();
  }
}
