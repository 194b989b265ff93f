package io.bsdb.benchmarks.harness;

import io.bsdb.format.io.IOSupplier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Samples a number every 20 ms in a thread of its own, and keeps the greatest. */
public final class Sampler {
  private static final long MILLIS = 20;

  private final IOSupplier<Long> source;
  private final AtomicLong greatest = new AtomicLong(Long.MIN_VALUE);
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "bench-sampler");
            thread.setDaemon(true);
            return thread;
          });

  private Sampler(IOSupplier<Long> source) {
    this.source = source;
  }

  /** Starts to sample. */
  public static Sampler start(IOSupplier<Long> source) {
    Sampler sampler = new Sampler(source);
    var unused =
        sampler.executor.scheduleWithFixedDelay(sampler::sample, 0, MILLIS, TimeUnit.MILLISECONDS);
    return sampler;
  }

  private void sample() {
    try {
      greatest.accumulateAndGet(source.get(), Math::max);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Samples once more, and returns the greatest number. */
  public long end() throws InterruptedException, ExecutionException {
    try {
      executor.submit(this::sample).get();
      return greatest.get();
    } finally {
      executor.shutdownNow();
    }
  }
}
