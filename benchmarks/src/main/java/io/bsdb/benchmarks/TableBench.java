package io.bsdb.benchmarks;

import io.bsdb.reader.Access;
import io.bsdb.reader.AsyncSnapshotReader;
import io.bsdb.reader.ReaderMetrics;
import io.bsdb.reader.ReaderOptions;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Measures lookups in a table of the user's own.
 *
 * @param keys one per line, as UTF-8; null: a sample of the table's own
 */
record TableBench(
    Path table, @Nullable Path keys, Access access, int threads, boolean async, int rounds) {
  private static final int MOST_KEYS = 1 << 20;
  private static final int UNDER_WAY = 128;

  void run() throws Exception {
    ReaderOptions options = ReaderOptions.builder().access(access).queueDepth(UNDER_WAY).build();
    List<byte[]> queries = queries();
    System.out.printf(
        Locale.ROOT,
        "%s, %s, %,d keys, threads %d%s%n",
        table,
        access,
        queries.size(),
        threads,
        async ? ", futures" : "");
    if (async) {
      try (AsyncSnapshotReader reader = AsyncSnapshotReader.open(table, options)) {
        rounds(queries.size(), reader.metrics(), (from, to) -> futures(reader, queries, from, to));
      }
    } else {
      try (SnapshotReader reader = SnapshotReader.open(table, options)) {
        rounds(
            queries.size(),
            reader.metrics(),
            (from, to) -> {
              for (int i = from; i < to; i++) {
                reader.get(queries.get(i));
              }
            });
      }
    }
  }

  /** Looks a range of the keys up. */
  private interface Body {
    void run(int from, int to) throws Exception;
  }

  private List<byte[]> queries() throws IOException {
    List<byte[]> queries = new ArrayList<>();
    Path file = keys;
    if (file != null) {
      try (var lines = Files.lines(file)) {
        lines.limit(MOST_KEYS).forEach(line -> queries.add(line.getBytes(StandardCharsets.UTF_8)));
      }
    } else {
      sample(queries);
    }
    if (queries.isEmpty()) {
      throw new IllegalArgumentException("there are no keys to look up; name some with --keys");
    }
    Collections.shuffle(queries, new Random(1));
    return queries;
  }

  /** Every so-manieth key, so that all parts of the table are there. */
  private void sample(List<byte[]> queries) throws IOException {
    try (SnapshotReader reader = SnapshotReader.open(table);
        RecordCursor cursor = reader.scan()) {
      long step = Math.max(1, reader.manifest().recordCount() / MOST_KEYS);
      for (long i = 0; cursor.next() && queries.size() < MOST_KEYS; i++) {
        if (i % step == 0) {
          queries.add(cursor.key());
        }
      }
    }
  }

  private static void futures(AsyncSnapshotReader reader, List<byte[]> queries, int from, int to)
      throws Exception {
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Semaphore room = new Semaphore(UNDER_WAY);
    for (int i = from; i < to; i++) {
      room.acquire();
      var unused =
          reader
              .get(queries.get(i))
              .whenComplete(
                  (value, problem) -> {
                    if (problem != null) {
                      failure.compareAndSet(null, problem);
                    }
                    room.release();
                  });
    }
    room.acquire(UNDER_WAY);
    Throwable first = failure.get();
    if (first != null) {
      throw new IOException("a lookup failed", first);
    }
  }

  private void rounds(int count, ReaderMetrics metrics, Body body) throws Exception {
    double[] nanos = new double[rounds];
    for (int round = -1; round < rounds; round++) {
      double elapsed = round(count, body);
      if (round >= 0) {
        nanos[round] = elapsed / count;
      } else {
        System.out.printf(
            Locale.ROOT, "first round (cold, not counted): %,.0f ns per key%n", elapsed / count);
      }
    }
    Results.Series series = Results.Series.of(nanos);
    System.out.printf(
        Locale.ROOT,
        "median %,.0f ns per key, best %,.0f; %,.0f keys/s; effective access %s%n",
        series.median(),
        series.best(),
        1e9 / series.median(),
        metrics.effectiveAccess());
    System.out.printf(
        Locale.ROOT,
        "%,d hits, %,d misses, %,d told by signatures; %,d block reads, %,d bytes read%n",
        metrics.hits(),
        metrics.misses(),
        metrics.signatureRejects(),
        metrics.blockReads(),
        metrics.bytesRead());
  }

  private double round(int count, Body body) throws Exception {
    AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    List<Thread> all = new ArrayList<>();
    long start = System.nanoTime();
    for (int thread = 0; thread < threads; thread++) {
      int from = (int) ((long) count * thread / threads);
      int to = (int) ((long) count * (thread + 1) / threads);
      all.add(
          new Thread(
              () -> {
                try {
                  body.run(from, to);
                } catch (Exception e) {
                  failure.compareAndSet(null, e);
                }
              },
              "bench-table"));
    }
    all.forEach(Thread::start);
    for (Thread thread : all) {
      thread.join();
    }
    double elapsed = System.nanoTime() - start;
    Exception first = failure.get();
    if (first != null) {
      throw first;
    }
    return elapsed;
  }
}
