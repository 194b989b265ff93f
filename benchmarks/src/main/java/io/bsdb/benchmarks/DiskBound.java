package io.bsdb.benchmarks;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.InFlight;
import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.harness.Workers;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.harness.Workload.Queries;
import io.bsdb.reader.AsyncSnapshotReader;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.metrics.ReaderMetrics;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Whole lookups past the page cache, beside what fio reads in the same way from the files of the
 * first table, in turns.
 *
 * @param seconds of each measurement in each round
 * @param rounds whose median is taken
 */
record DiskBound(int seconds, int rounds) {
  private static final String FIO = "fio";
  private static final int DEPTH = 128;
  private static final String RING = "io_uring, depth " + DEPTH;

  /** Numbers of threads that wait for each read; 0 stands for the ring. */
  private static final List<Integer> THREADS = List.of(0, 1, 16, 32);

  private static final int ABSENT_LOOKUPS = 1 << 17;

  Section run(Workload workload, Map<String, Path> tables) throws Exception {
    Queries queries = workload.queries(Keys.UNIFORM);
    List<Path> files =
        Directories.files(tables.values().iterator().next()).stream()
            .filter(file -> file.toString().endsWith(".bsdb"))
            .toList();
    List<String> names = new ArrayList<>(tables.keySet());
    if (Fio.isInstalled()) {
      names.add(0, FIO);
    }
    Turns<String> turns = Turns.of(names);
    for (int threads : THREADS) {
      String way = way(threads);
      Progress.step("disk: %s", way);
      turns.run(
          0,
          rounds,
          (name, round, row) -> {
            Path table = tables.get(name);
            if (table == null) {
              row.add(
                  way,
                  threads == 0
                      ? Fio.readsPerSecond(files, "io_uring", DEPTH, 1, seconds)
                      : Fio.readsPerSecond(files, "psync", 1, threads, seconds));
            } else if (threads == 0) {
              ring(table, queries, row);
            } else {
              row.add(way, direct(table, queries, threads));
            }
          });
    }
    Queries absent = workload.queries(Keys.ABSENT, ABSENT_LOOKUPS);
    for (Row row : turns.rows()) {
      Path table = tables.get(row.name());
      if (table != null) {
        row.add("reads/miss", readsPerMiss(table, absent));
      }
    }
    return new Section(
        "Past the page cache (O_DIRECT), per second, %,d records".formatted(workload.records()),
        List.of(
            "whole lookups, 90 % of them of present keys, beside reads of 4 KiB by fio",
            "cores and reads: of " + RING + "; asking and checking are included"),
        THREADS.stream().map(DiskBound::way).toList(),
        turns.rows());
  }

  private static String way(int threads) {
    return threads == 0 ? RING : threads + (threads == 1 ? " thread" : " threads");
  }

  private static ReaderOptions options(Access access) {
    return ReaderOptions.builder().access(access).queueDepth(DEPTH).build();
  }

  private long end() {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
  }

  /** Returns the reads of an absent key: those that its signature does not spare. */
  private static double readsPerMiss(Path table, Queries absent) throws IOException {
    try (SnapshotReader reader = SnapshotReader.open(table, options(Access.DIRECT))) {
      for (int i = 0; i < ABSENT_LOOKUPS; i++) {
        absent.check(i, reader.get(absent.key(i)));
      }
      return (double) reader.metrics().blockReads() / ABSENT_LOOKUPS;
    }
  }

  /** Returns lookups per second of threads that wait for each. */
  private double direct(Path table, Queries queries, int threads) throws Exception {
    try (SnapshotReader reader = SnapshotReader.open(table, options(Access.DIRECT))) {
      long start = System.nanoTime();
      long end = end();
      Workers.run(
          threads,
          thread -> {
            int first = thread * (queries.size() / threads);
            for (int i = first; System.nanoTime() < end; i = (i + 1) % queries.size()) {
              queries.check(i, reader.get(queries.key(i)));
            }
            return thread;
          });
      return reader.metrics().lookups() * 1e9 / (System.nanoTime() - start);
    }
  }

  /** Measures the ring: one thread asks, the ring's thread answers. */
  private void ring(Path table, Queries queries, Row row) throws Exception {
    try (AsyncSnapshotReader reader = AsyncSnapshotReader.open(table, options(Access.IO_URING))) {
      // Twice the depth: while the ring works on one half, the other waits for it.
      InFlight lookups = new InFlight(2 * DEPTH);
      long cpu = Machine.processorNanos();
      long start = System.nanoTime();
      long end = end();
      for (int i = 0; System.nanoTime() < end; i = (i + 1) % queries.size()) {
        lookups.begin();
        int query = i;
        lookups.endWith(reader.get(queries.key(query)), value -> queries.check(query, value));
      }
      lookups.await();
      double elapsed = System.nanoTime() - start;
      ReaderMetrics metrics = reader.metrics();
      if (!metrics.effectiveAccess().startsWith("IO_URING")) {
        Progress.step("io_uring is not available: %s", metrics.effectiveAccess());
      }
      double passed = metrics.hits() + metrics.misses() - metrics.signatureRejects();
      row.add(RING, metrics.lookups() / elapsed * 1e9);
      row.add("reads/hit", metrics.blockReads() / passed);
      row.add("pages/read", metrics.bytesRead() / 4096.0 / metrics.blockReads());
      row.add("cores", (Machine.processorNanos() - cpu) / elapsed);
    }
  }
}
