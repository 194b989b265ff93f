package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Workers;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.harness.Workload.Queries;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.storage.DirectoryTree;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures how long a follower takes to serve a delta, and how much lookups slow down. A tenth of
 * the keys is changed before, a hundredth per refresh.
 *
 * @param random makes numbers that do not repeat from one use to the next
 * @param done lookups so far; below 0 at the end
 */
public record RefreshBench(Path table, Workload workload, Random random, AtomicLong done) {
  /** Lookups that are timed while nothing else is done, at most. */
  private static final int QUIET_LOOKUPS = 400_000;

  /** Runs the rounds, after some that do not count, beside a thread that looks keys up. */
  public static List<Section> run(Path data, long records, int rounds) throws Exception {
    Path directory = data.resolve("live-" + records);
    DirectoryTree.delete(directory);
    Workload workload = new Workload(records);
    workload.publish(directory, WriterOptions.defaults());
    RefreshBench bench = new RefreshBench(directory, workload, new Random(42), new AtomicLong());
    bench.change(records / 10);
    Row figures = new Row("table");
    try (TableReader reader = TableReader.builder(directory).refreshEvery(Duration.ZERO).open()) {
      try (TableReader.Lease lease = reader.lease()) {
        Overlay changes = Objects.requireNonNull(lease.reader().changes());
        double bytes = changes.indexBytes();
        figures.add("index bytes per changed key", bytes / changes.changedKeys());
      }
      Workers.run(
          2,
          thread -> {
            try {
              if (thread == 0) {
                bench.refresh(reader, rounds, figures);
              } else {
                bench.lookUp(reader);
              }
              return 0L;
            } finally {
              bench.done.set(Long.MIN_VALUE); // ends the other thread as well
            }
          });
    }
    DirectoryTree.delete(directory);
    return List.of(new Section("Refreshes", List.of(figures)));
  }

  /** Changes random records. */
  private void change(long count) throws IOException {
    workload.change(table, random.longs(count, 0, workload.records()));
  }

  private void lookUp(TableReader reader) throws IOException {
    Queries queries = workload.queries(Keys.UNIFORM);
    for (int i = 0; done.get() >= 0; i = (i + 1) & (queries.size() - 1)) {
      queries.check(i, reader.get(queries.key(i)));
      done.getAndIncrement();
    }
  }

  /** Waits for a number of lookups, unless these have ended. */
  private void await(long count) throws InterruptedException {
    while (done.get() >= 0 && done.get() < count) {
      Thread.sleep(1);
    }
  }

  private void refresh(TableReader reader, int rounds, Row figures) throws Exception {
    await(Math.min(Workload.QUERIES, 10 * workload.records()));
    for (int round = -5; round < rounds; round++) {
      change(workload.records() / 100);
      long before = done.get();
      long start = System.nanoTime();
      await(before + Math.min(QUIET_LOOKUPS, workload.records()));
      double quiet = (done.get() - before) / (double) (System.nanoTime() - start);
      before = done.get();
      start = System.nanoTime();
      reader.refresh();
      double nanos = System.nanoTime() - start;
      await(before + 1); // a short refresh may leave the other thread no processor
      double meanwhile = (done.get() - before) / (double) (System.nanoTime() - start);
      if (round >= 0) {
        figures.add("refresh after a delta, ms", nanos / 1e6);
        figures.add("a lookup meanwhile, times as long", quiet / meanwhile);
      }
    }
  }
}
