package io.bsdb.cli;

import io.bsdb.reader.AsyncSnapshotReader;
import io.bsdb.reader.SnapshotReader;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** One thread's way to look keys up. */
interface Lookups {
  /** Creates one for each thread. */
  @FunctionalInterface
  interface Factory {
    Lookups create(LookupKeys keys);
  }

  /**
   * Looks keys up.
   *
   * @param latencies receives the nanoseconds of each call; null: calls are not timed
   */
  void run(int position, int count, @Nullable Histogram latencies) throws IOException;

  /** Waits for what is under way. */
  default void finish() throws IOException {}

  /** One key at a time. */
  static Lookups single(SnapshotReader reader, LookupKeys keys) {
    return (position, count, latencies) -> {
      for (int i = position; i < position + count; i++) {
        if (latencies == null) {
          keys.check(i, reader.get(keys.key(i)));
        } else {
          long start = System.nanoTime();
          byte[] value = reader.get(keys.key(i));
          latencies.recordValue(System.nanoTime() - start);
          keys.check(i, value);
        }
      }
    };
  }

  /** Many keys at a time. */
  static Lookups batches(SnapshotReader reader, LookupKeys keys, int batch) {
    return (position, count, latencies) -> {
      for (int i = position; i < position + count; i += batch) {
        List<byte[]> asked = keys.keys(i, Math.min(batch, position + count - i));
        long start = latencies == null ? 0 : System.nanoTime();
        List<byte[]> values = reader.getAll(asked);
        if (latencies != null) {
          latencies.recordValue(System.nanoTime() - start);
        }
        for (int j = 0; j < values.size(); j++) {
          keys.check(i + j, values.get(j));
        }
      }
    };
  }

  /** Futures, so many of them under way at once. */
  static Lookups futures(AsyncSnapshotReader reader, LookupKeys keys, int underWay) {
    return new Futures(reader, keys, underWay);
  }

  /** See {@link #futures}. */
  final class Futures implements Lookups {
    private final AsyncSnapshotReader reader;
    private final LookupKeys keys;
    private final int underWay;

    /** Lookups that are asked for in one go: to wake for each would cost more than to read it. */
    private final int turn;

    private final Semaphore room;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    private Futures(AsyncSnapshotReader reader, LookupKeys keys, int underWay) {
      this.reader = reader;
      this.keys = keys;
      this.underWay = underWay;
      this.turn = Math.max(1, underWay / 4);
      this.room = new Semaphore(underWay);
    }

    @Override
    public void run(int position, int count, @Nullable Histogram latencies) throws IOException {
      for (int i = position; i < position + count; i++) {
        int asked = i;
        if ((i - position) % turn == 0) {
          room.acquireUninterruptibly(Math.min(turn, position + count - i));
        }
        long start = latencies == null ? 0 : System.nanoTime();
        var unused =
            reader
                .get(keys.key(asked))
                .whenComplete(
                    (value, problem) -> {
                      if (latencies != null) {
                        latencies.recordValue(System.nanoTime() - start);
                      }
                      answered(asked, value, problem);
                    });
      }
      throwFailure();
    }

    private void answered(int asked, byte @Nullable [] value, @Nullable Throwable problem) {
      try {
        if (problem != null) {
          failure.compareAndSet(null, problem);
        } else {
          keys.check(asked, value);
        }
      } catch (IllegalStateException e) {
        failure.compareAndSet(null, e);
      } finally {
        room.release();
      }
    }

    private void throwFailure() throws IOException {
      Throwable first = failure.get();
      if (first instanceof CompletionException wrapped && wrapped.getCause() != null) {
        first = wrapped.getCause();
      }
      if (first instanceof IOException problem) {
        throw problem;
      }
      if (first != null) {
        throw new IllegalStateException(first.getMessage(), first);
      }
    }

    @Override
    public void finish() throws IOException {
      room.acquireUninterruptibly(underWay);
      room.release(underWay);
      throwFailure();
    }
  }
}
