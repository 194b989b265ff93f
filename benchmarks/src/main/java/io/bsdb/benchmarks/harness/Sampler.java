package io.bsdb.benchmarks.harness;

import io.bsdb.format.io.IOSupplier;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Samples a number every 20 ms in a thread of its own, and keeps the greatest. */
public final class Sampler {
  private static final long MILLIS = 20;

  private final CountDownLatch ended = new CountDownLatch(1);
  private final FutureTask<Long> greatest;

  private Sampler(IOSupplier<Long> source) {
    greatest =
        new FutureTask<>(
            () -> {
              long most = source.get();
              while (!ended.await(MILLIS, TimeUnit.MILLISECONDS)) {
                most = Math.max(most, source.get());
              }
              return Math.max(most, source.get());
            });
  }

  /** Starts to sample. */
  public static Sampler start(IOSupplier<Long> source) {
    Sampler sampler = new Sampler(source);
    Thread thread = new Thread(sampler.greatest, "bench-sampler");
    thread.setDaemon(true);
    thread.start();
    return sampler;
  }

  /** Samples once more, and returns the greatest number. */
  public long end() throws InterruptedException, ExecutionException {
    ended.countDown();
    return greatest.get();
  }
}
