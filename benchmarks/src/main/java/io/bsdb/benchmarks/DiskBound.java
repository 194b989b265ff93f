package io.bsdb.benchmarks;

import io.bsdb.benchmarks.Results.DiskResult;
import io.bsdb.benchmarks.Workload.Distribution;
import io.bsdb.benchmarks.Workload.Queries;
import io.bsdb.benchmarks.Workload.Share;
import io.bsdb.reader.Access;
import io.bsdb.reader.AsyncSnapshotReader;
import io.bsdb.reader.ReaderMetrics;
import io.bsdb.reader.ReaderOptions;
import io.bsdb.reader.SnapshotReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Whole lookups past the page cache, beside what fio reads in the same way from the files of the
 * first table, in turns.
 *
 * @param seconds of each measurement in each round
 * @param rounds of which the median is taken
 */
record DiskBound(int seconds, int rounds, int depth) {
  /**
   * What one measurement saw.
   *
   * @param cores processor time of this process per time that passed
   */
  private record Run(double rate, double readsPerHit, double pagesPerRead, double cores) {}

  /** Measures from its construction on. */
  private static final class Stopwatch {
    private final long start = System.nanoTime();
    private final long startCpu = cpuNanos();

    private static long cpuNanos() {
      return ManagementFactory.getOperatingSystemMXBean()
              instanceof com.sun.management.OperatingSystemMXBean system
          ? system.getProcessCpuTime()
          : 0;
    }

    long end(int seconds) {
      return start + TimeUnit.SECONDS.toNanos(seconds);
    }

    /** Present keys alone read; absent ones that pass their signature are too few to matter. */
    Run stop(ReaderMetrics metrics) {
      double cpu = cpuNanos() - startCpu;
      double elapsed = System.nanoTime() - start;
      double passed = metrics.hits() + metrics.misses() - metrics.signatureRejects();
      return new Run(
          metrics.lookups() / elapsed * 1e9,
          metrics.blockReads() / passed,
          metrics.bytesRead() / 4096.0 / metrics.blockReads(),
          cpu / elapsed);
    }
  }

  /** A way to read. */
  private interface Way {
    Run run() throws Exception;
  }

  List<DiskResult> run(Workload workload, Map<String, Path> tables) throws Exception {
    Queries queries = workload.queries(Distribution.UNIFORM, Share.MIXED);
    Queries absent = workload.queries(Distribution.UNIFORM, Share.ABSENT);
    Map<String, Way> ways = new LinkedHashMap<>();
    boolean fio = Fio.isInstalled();
    int[] threads = {1, 16, 32};
    if (fio) {
      List<Path> files = partitions(tables.values().iterator().next());
      ways.put("fio io_uring, depth " + depth, () -> fio(files, "io_uring", depth, 1));
      for (int count : threads) {
        ways.put("fio psync, threads " + count, () -> fio(files, "psync", 1, count));
      }
    }
    for (Map.Entry<String, Path> table : tables.entrySet()) {
      ways.put(
          table.getKey() + " io_uring, depth " + depth, () -> uring(table.getValue(), queries));
      for (int count : threads) {
        ways.put(
            table.getKey() + " direct, threads " + count,
            () -> direct(table.getValue(), queries, count));
      }
    }
    Map<String, List<Run>> runs = new TreeMap<>();
    for (int round = 0; round < rounds; round++) {
      for (Map.Entry<String, Way> way : ways.entrySet()) {
        Progress.step("disk, round %d of %d: %s", round + 1, rounds, way.getKey());
        runs.computeIfAbsent(way.getKey(), name -> new ArrayList<>()).add(way.getValue().run());
      }
    }
    Map<String, Run> medians = new TreeMap<>();
    runs.forEach((name, all) -> medians.put(name, median(all)));
    Map<String, Double> readsPerMiss = new TreeMap<>();
    for (Map.Entry<String, Path> table : tables.entrySet()) {
      readsPerMiss.put(table.getKey(), readsPerMiss(table.getValue(), absent));
    }
    return ways.keySet().stream().map(name -> result(name, medians, readsPerMiss)).toList();
  }

  private static List<Path> partitions(Path table) throws IOException {
    return Directories.files(table).stream()
        .filter(file -> file.toString().endsWith(".bsdb"))
        .toList();
  }

  private static Run median(List<Run> runs) {
    List<Run> sorted = runs.stream().sorted(Comparator.comparingDouble(Run::rate)).toList();
    return sorted.get(sorted.size() / 2);
  }

  private static DiskResult result(
      String name, Map<String, Run> medians, Map<String, Double> readsPerMiss) {
    Run run = Objects.requireNonNull(medians.get(name));
    if (name.startsWith("fio")) {
      return new DiskResult(name, run.rate(), Double.NaN, Double.NaN, Double.NaN, 1, Double.NaN);
    }
    int space = name.indexOf(' ');
    Run fio = medians.get("fio " + name.substring(space + 1).replace("direct", "psync"));
    return new DiskResult(
        name,
        run.rate(),
        fio == null ? Double.NaN : run.rate() / fio.rate(),
        run.readsPerHit(),
        readsPerMiss.getOrDefault(name.substring(0, space), Double.NaN),
        run.pagesPerRead(),
        run.cores());
  }

  private static ReaderOptions options(Access access, int depth) {
    return ReaderOptions.builder().access(access).queueDepth(depth).build();
  }

  private Run fio(List<Path> files, String engine, int queue, int jobs) throws Exception {
    return new Run(
        Fio.readsPerSecond(files, engine, queue, jobs, seconds), Double.NaN, 1, Double.NaN);
  }

  /** Reads that absent keys cost: those that their signatures do not tell. */
  private static double readsPerMiss(Path table, Queries absent) throws IOException {
    int count = 1 << 17;
    try (SnapshotReader reader = SnapshotReader.open(table, options(Access.DIRECT, 1))) {
      for (int i = 0; i < count; i++) {
        absent.check(i, reader.get(absent.key(i)));
      }
      return (double) reader.metrics().blockReads() / count;
    }
  }

  private Run direct(Path table, Queries queries, int threads) throws Exception {
    try (SnapshotReader reader = SnapshotReader.open(table, options(Access.DIRECT, 1))) {
      AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
      Stopwatch stopwatch = new Stopwatch();
      long end = stopwatch.end(seconds);
      List<Thread> all = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        int first = thread * (queries.size() / threads);
        IntConsumer get =
            i -> {
              try {
                queries.check(i, reader.get(queries.key(i)));
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            };
        all.add(new Thread(() -> loop(first, queries.size(), end, get, failure), "bench-direct"));
      }
      all.forEach(Thread::start);
      for (Thread thread : all) {
        thread.join();
      }
      Throwable first = failure.get();
      if (first != null) {
        throw new IllegalStateException("a lookup failed", first);
      }
      return stopwatch.stop(reader.metrics());
    }
  }

  private static void loop(
      int first,
      int size,
      long end,
      IntConsumer get,
      AtomicReference<@Nullable Throwable> failure) {
    try {
      for (int i = first; System.nanoTime() < end; i = (i + 1) % size) {
        get.accept(i);
      }
    } catch (RuntimeException e) {
      failure.compareAndSet(null, e);
    }
  }

  /** One thread asks, the ring's thread answers; {@code depth} reads are under way at once. */
  private Run uring(Path table, Queries queries) throws Exception {
    try (AsyncSnapshotReader reader =
        AsyncSnapshotReader.open(table, options(Access.IO_URING, depth))) {
      // Twice the depth: while the ring works on one half, the other waits in front of it.
      UnderWay lookups = new UnderWay(2 * depth);
      Stopwatch stopwatch = new Stopwatch();
      long end = stopwatch.end(seconds);
      for (int i = 0; System.nanoTime() < end; i = (i + 1) % queries.size()) {
        lookups.begin();
        int query = i;
        lookups.endWith(reader.get(queries.key(query)), value -> queries.check(query, value));
      }
      lookups.await();
      if (!reader.metrics().effectiveAccess().startsWith("IO_URING")) {
        Progress.step("io_uring is not to be had: %s", reader.metrics().effectiveAccess());
      }
      return stopwatch.stop(reader.metrics());
    }
  }
}
