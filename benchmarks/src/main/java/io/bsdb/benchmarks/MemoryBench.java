package io.bsdb.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Comparator.comparing;

import io.bsdb.benchmarks.harness.DataSet;
import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.io.Closing;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.commons.math3.distribution.EnumeratedDistribution;
import org.apache.commons.math3.random.Well19937c;
import org.apache.commons.math3.util.Pair;

/**
 * Reads past the page cache within a memory budget: reads for absent keys where bits of signatures
 * follow the load, beside the same memory spread evenly, before and after a new version; and
 * opening.
 *
 * @param records of the largest tables
 */
record MemoryBench(Path directory, long records) {
  private static final int LOOKUPS = 100_000;
  private static final int ROUNDS = 7;
  private static final int TABLES = 20;
  private static final double EXPONENT = 0.99;
  private static final long PLENTY = 1L << 40;
  private static final String EVEN = "even";
  private static final String ELASTIC = "elastic";
  private static final SplittableRandom RANDOM = new SplittableRandom(17);

  /** Absent keys of one table, or of one range of it. */
  private record Asked(TableReader table, Supplier<byte[]> absent) {}

  /** Compares reads per absent key with bits that are even, and that follow the load. */
  List<Section> bits() throws IOException {
    List<Long> sizes =
        IntStream.range(0, TABLES).mapToObj(i -> (long) (records * Math.pow(0.8, i))).toList();
    return List.of(
        new Section(
            "Reads per absent key at two bits per key (mixed sizes: elastic <= 0.4 of even; key"
                + " order: 0.6; one table: 1.05; a new version: 1.2 of elastic)",
            List.of(
                compare("20 tables of mixed size", RecordOrder.HASH, sizes, 1, 1),
                compare("key order, 256 partitions", RecordOrder.KEY, List.of(records), 256, 256),
                compare("one table in hash order", RecordOrder.HASH, List.of(records), 64, 1))));
  }

  private Path table(RecordOrder order, long count, int partitions) throws IOException {
    Path table = directory.resolve("%s-%d-%d".formatted(order, count, partitions));
    if (!Files.exists(table.resolve(SnapshotFormat.CURRENT_FILE))) {
      publish(table, order, count, partitions);
    }
    return table;
  }

  private static void publish(Path table, RecordOrder order, long count, int partitions)
      throws IOException {
    new Workload(DataSet.KEYS, count)
        .publish(table, WriterOptions.builder().order(order).partitions(partitions).build());
  }

  private static MemoryBudget budget(long bytes) {
    return MemoryBudget.of(bytes, Duration.ZERO);
  }

  private static ReaderOptions options(MemoryBudget memory) {
    return ReaderOptions.builder().access(Access.DIRECT).memory(memory).build();
  }

  private static void adjust(MemoryBudget memory) {
    memory.elastic().adjust(Duration.ofSeconds(10));
  }

  /** Returns a budget in which each signature of some tables has two bits. */
  private static MemoryBudget twoBits(List<Path> tables) throws IOException {
    MemoryBudget measured = budget(PLENTY);
    long bytes = 0;
    for (Path table : tables) {
      try (SnapshotReader reader = SnapshotReader.open(table, options(measured))) {
        bytes += reader.manifest().recordCount() / 4;
        bytes += 3L * SnapshotFormat.PAGE / 2 * reader.partitionCount();
        bytes += measured.indexBytes();
      }
    }
    return budget(bytes + bytes / 60);
  }

  /** Returns weights by Zipf's law, in random order. */
  private static List<Double> weights(int count) {
    List<Double> weights =
        new ArrayList<>(
            IntStream.rangeClosed(1, count).mapToObj(i -> Math.pow(i, -EXPONENT)).toList());
    Collections.shuffle(weights, new Random(17));
    return weights;
  }

  /** Asks for absent keys; returns the reads that each costs. */
  private static double readsPerAbsentKey(
      List<TableReader> tables, EnumeratedDistribution<Asked> load) throws IOException {
    long before = falsePositives(tables);
    for (int i = 0; i < LOOKUPS; i++) {
      Asked asked = load.sample();
      if (asked.table.get(asked.absent.get()) != null) {
        throw new IllegalStateException("an absent key was found");
      }
    }
    return (falsePositives(tables) - before) / (double) LOOKUPS;
  }

  private static long falsePositives(List<TableReader> tables) throws IOException {
    long sum = 0;
    for (TableReader table : tables) {
      try (TableReader.Lease lease = table.lease()) {
        sum += lease.reader().metrics().falsePositiveReads();
      }
    }
    return sum;
  }

  /**
   * Measures reads with even bits, and with bits that follow the load; of several tables also with
   * a new version of the one that is asked for most.
   *
   * @param ranges of a table in key order that are asked for by Zipf's law
   */
  private Row compare(String name, RecordOrder order, List<Long> sizes, int partitions, int ranges)
      throws IOException {
    List<Path> paths = new ArrayList<>();
    for (long size : sizes) {
      paths.add(table(order, size, partitions));
    }
    MemoryBudget memory = twoBits(paths);
    List<Double> weights = weights(sizes.size() * ranges);
    List<TableReader> tables = new ArrayList<>();
    List<Pair<Asked, Double>> weighted = new ArrayList<>();
    try {
      for (Path path : paths) {
        tables.add(
            TableReader.builder(path).options(options(memory)).refreshEvery(Duration.ZERO).open());
      }
      for (int i = 0; i < weights.size(); i++) {
        double weight = weights.get(i) * (ranges > 1 ? 1 : 0.1 + 0.8 * RANDOM.nextDouble());
        long range = (long) i << (Long.SIZE - 8);
        long size = sizes.get(i / ranges);
        Supplier<byte[]> absent =
            ranges > 1
                ? () -> DataSet.hex(range | RANDOM.nextLong() >>> 8).getBytes(US_ASCII)
                : () -> DataSet.KEYS.key(size + RANDOM.nextLong(size));
        weighted.add(Pair.create(new Asked(tables.get(i / ranges), absent), weight));
      }
      var load = new EnumeratedDistribution<>(new Well19937c(17), weighted);
      Row row =
          new Row(name, "%,d of %,d bytes".formatted(memory.usedBytes(), memory.limitBytes()));
      adjust(memory);
      row.add(EVEN, readsPerAbsentKey(tables, load));
      adjust(memory);
      row.add(ELASTIC, readsPerAbsentKey(tables, load));
      row.add("ratio", row.median(ELASTIC) / row.median(EVEN));
      if (tables.size() > 1) {
        int hottest = weighted.indexOf(Collections.max(weighted, comparing(Pair::getSecond)));
        publish(paths.get(hottest), order, sizes.get(hottest), partitions);
        tables.get(hottest).refresh();
        adjust(memory); // as happens when the version before is closed
        row.add("new version", readsPerAbsentKey(tables, load));
      }
      return row;
    } finally {
      Closing.all(tables);
    }
  }

  /** Compares opening with and without a budget, past the page cache. */
  List<Section> opening() throws Exception {
    Path path = table(RecordOrder.HASH, records, 1);
    MemoryBudget without = MemoryBudget.unlimited();
    List<MemoryBudget> budgets = List.of(without, budget(PLENTY));
    return List.of(
        new Turns<>(
                budgets, memory -> new Row(memory == without ? "no budget" : "budget"), 1, ROUNDS)
            .run((memory, round, row) -> row.add("ms", openMillis(path, memory)))
            .section("Opening from disk, ms (budget <= 0.5)"));
  }

  private static double openMillis(Path table, MemoryBudget memory) throws Exception {
    for (Path file : Directories.files(table)) {
      // Out of the page cache.
      Machine.run(
          "dd", "of=" + file, "oflag=nocache", "conv=notrunc,fdatasync", "count=0", "status=none");
    }
    long start = System.nanoTime();
    SnapshotReader reader = SnapshotReader.open(table, options(memory));
    double millis = (System.nanoTime() - start) / 1e6;
    reader.close();
    return millis;
  }
}
