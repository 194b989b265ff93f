package io.bsdb.benchmarks.memory;

import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.io.Closing;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.metrics.ReaderMetrics;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.RecordOrder;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads past the page cache within a memory budget: reads for absent keys where bits of signatures
 * follow the load, beside the same memory spread evenly; before and after a new version; with
 * enough memory, beside a reader without a budget; opening; and lookups by share of absent keys.
 */
public final class MemoryBench {
  private static final int LOOKUPS = 100_000;
  private static final int ROUNDS = 7;
  private static final int TABLES = 20;
  private static final double EXPONENT = 0.99;
  private static final long PLENTY = 1L << 40;
  private static final PrintStream OUT = System.out;

  private final Path directory;
  private final Workload workload;
  private long checksum;
  private final SplittableRandom random = new SplittableRandom(17);

  /**
   * Absent keys of one table, or of one range.
   *
   * @param weight how often they are asked for
   */
  private record Asked(
      TableReader table, double weight, Function<SplittableRandom, byte[]> absent) {}

  private MemoryBench(Path directory, long records) {
    this.directory = directory;
    this.workload = new Workload(records);
  }

  /**
   * Runs all.
   *
   * @param records of the largest tables
   */
  public static void run(Path directory, long records) throws Exception {
    new MemoryBench(Files.createDirectories(directory), records).run();
  }

  private void run() throws Exception {
    mixed();
    byRange();
    oneTable();
    enoughMemory();
    opening();
    absentKeys();
    say("(checksum %d)", checksum);
  }

  private static void say(String format, Object... arguments) {
    OUT.printf(Locale.ROOT, format + "%n", arguments);
  }

  private Path table(RecordOrder order, long records, int partitions) throws IOException {
    Path table = directory.resolve("%s-%d-%d".formatted(order, records, partitions));
    if (!Files.exists(table.resolve(SnapshotFormat.CURRENT_FILE))) {
      publish(table, order, records, partitions);
    }
    return table;
  }

  private static void publish(Path table, RecordOrder order, long records, int partitions)
      throws IOException {
    Progress.step("%,d records in %s order, %d partitions", records, order, partitions);
    Workload keys = new Workload(records);
    try (SnapshotWriter writer =
        SnapshotWriter.create(
            table, WriterOptions.builder().order(order).partitions(partitions).build())) {
      byte[] value = new byte[8];
      for (long id = 0; id < records; id++) {
        writer.add(keys.key(id), ByteBuffer.wrap(value).putLong(0, id).array());
      }
      writer.publish();
    }
  }

  private static MemoryBudget budget(long bytes) {
    return MemoryBudget.of(bytes, Duration.ZERO);
  }

  private static ReaderOptions options(@Nullable MemoryBudget memory) {
    ReaderOptions.Builder options = ReaderOptions.builder().access(Access.DIRECT);
    return (memory == null ? options : options.memory(memory)).build();
  }

  private static void adjust(MemoryBudget memory) {
    memory.elastic().adjust(Duration.ofSeconds(10));
  }

  /** Returns a budget in which each signature of some tables has so many bits. */
  private static MemoryBudget budget(List<Path> tables, double bits) throws IOException {
    MemoryBudget measured = budget(PLENTY);
    long signatures = 0;
    for (Path table : tables) {
      try (SnapshotReader reader = SnapshotReader.open(table, options(measured))) {
        signatures += (long) (reader.manifest().recordCount() * bits / 8);
        signatures += 2L * SnapshotFormat.PAGE * reader.partitionCount();
        signatures += measured.indexBytes();
      }
    }
    return budget(signatures + signatures / 60);
  }

  private static TableReader follow(Path table, MemoryBudget memory) throws IOException {
    return TableReader.builder(table).options(options(memory)).refreshEvery(Duration.ZERO).open();
  }

  /** Returns weights by Zipf's law, in random order. */
  private double[] weights(int count) {
    double[] weights = new double[count];
    Arrays.setAll(weights, i -> Math.pow(i + 1.0, -EXPONENT));
    for (int i = count - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      double weight = weights[i];
      weights[i] = weights[other];
      weights[other] = weight;
    }
    return weights;
  }

  /** Asks for absent keys; returns the reads that each costs. */
  private double readsPerAbsentKey(List<Asked> all) throws IOException {
    double[] upTo = new double[all.size()];
    double sum = 0;
    for (int i = 0; i < upTo.length; i++) {
      sum += all.get(i).weight;
      upTo[i] = sum;
    }
    long before = falsePositives(all);
    for (int i = 0; i < LOOKUPS; i++) {
      int found = Arrays.binarySearch(upTo, random.nextDouble() * sum);
      Asked asked = all.get(Math.min(upTo.length - 1, found < 0 ? ~found : found + 1));
      if (asked.table.get(asked.absent.apply(random)) != null) {
        throw new IllegalStateException("an absent key was found");
      }
    }
    return (falsePositives(all) - before) / (double) LOOKUPS;
  }

  private static long falsePositives(List<Asked> all) throws IOException {
    long sum = 0;
    for (TableReader table : all.stream().map(Asked::table).distinct().toList()) {
      sum += metrics(table).falsePositiveReads();
    }
    return sum;
  }

  private static ReaderMetrics metrics(TableReader table) throws IOException {
    try (TableReader.Lease lease = table.lease()) {
      return lease.reader().metrics();
    }
  }

  /** Compares bits that follow the load with even ones; returns reads with the former. */
  private double compare(String what, double target, MemoryBudget memory, List<Asked> all)
      throws IOException {
    adjust(memory);
    double even = readsPerAbsentKey(all);
    adjust(memory);
    double elastic = readsPerAbsentKey(all);
    say(
        "%s: reads per absent key even %.4f, elastic %.4f, ratio %.2f (target <= %.2f); %,d of %,d bytes",
        what, even, elastic, elastic / even, target, memory.usedBytes(), memory.limitBytes());
    return elastic;
  }

  private void mixed() throws IOException {
    List<Path> tables = new ArrayList<>();
    List<Long> counts = new ArrayList<>();
    for (int i = 0; i < TABLES; i++) {
      counts.add((long) (workload.records() * Math.pow(0.8, i)));
      tables.add(table(RecordOrder.HASH, counts.get(i), 1));
    }
    MemoryBudget memory = budget(tables, 2);
    double[] weights = weights(TABLES);
    List<Asked> all = new ArrayList<>();
    try {
      for (int i = 0; i < TABLES; i++) {
        double absentShare = 0.1 + 0.8 * random.nextDouble();
        all.add(absentKeys(tables.get(i), memory, counts.get(i), weights[i] * absentShare));
      }
      double before = compare("20 tables of mixed size, 2 bits", 0.4, memory, all);
      int hottest = 0;
      for (int i = 1; i < TABLES; i++) {
        hottest = all.get(i).weight > all.get(hottest).weight ? i : hottest;
      }
      publish(tables.get(hottest), RecordOrder.HASH, counts.get(hottest), 1);
      all.get(hottest).table.refresh();
      double after = readsPerAbsentKey(all);
      say("after a new version of the hottest: %.2f of before (target <= 1.2)", after / before);
    } finally {
      Closing.all(all.stream().map(Asked::table).toList());
    }
  }

  private static Asked absentKeys(Path table, MemoryBudget memory, long records, double weight)
      throws IOException {
    Workload keys = new Workload(records);
    return new Asked(
        follow(table, memory), weight, random -> keys.key(records + random.nextLong(records)));
  }

  private void byRange() throws IOException {
    int ranges = 256;
    Path path = table(RecordOrder.KEY, workload.records(), ranges);
    MemoryBudget memory = budget(List.of(path), 2);
    double[] weights = weights(ranges);
    try (TableReader table = follow(path, memory)) {
      List<Asked> all = new ArrayList<>();
      for (int i = 0; i < ranges; i++) {
        long first = (long) i << (Long.SIZE - 8);
        all.add(
            new Asked(
                table,
                weights[i],
                next ->
                    HexFormat.of()
                        .toHexDigits(first | next.nextLong() >>> 8)
                        .getBytes(StandardCharsets.US_ASCII)));
      }
      compare("key order, 256 partitions, 2 bits", 0.6, memory, all);
    }
  }

  private void oneTable() throws IOException {
    Path path = table(RecordOrder.HASH, workload.records(), 64);
    MemoryBudget memory = budget(List.of(path), 2);
    Asked asked = absentKeys(path, memory, workload.records(), 1);
    try (TableReader table = asked.table) {
      compare("one table in hash order, 2 bits", 1.05, memory, List.of(asked));
      say("bits %.2f", metrics(table).signatureBits());
    }
  }

  /** Returns the median nanoseconds per lookup, measured in turns. */
  private double[] nanos(List<SnapshotReader> readers, int percentAbsent, int lookups)
      throws IOException {
    double[][] nanos = new double[readers.size()][ROUNDS];
    byte[][] keys = new byte[lookups][];
    long records = workload.records();
    for (int round = -2; round < ROUNDS; round++) {
      for (int i = 0; i < lookups; i++) {
        long id = random.nextLong(records);
        keys[i] = workload.key(random.nextInt(100) < percentAbsent ? records + id : id);
      }
      for (int i = 0; i < readers.size(); i++) {
        int which = Math.floorMod(i + round, readers.size());
        long start = System.nanoTime();
        for (byte[] key : keys) {
          byte @Nullable [] value = readers.get(which).get(key);
          checksum += value == null ? 1 : value[7];
        }
        if (round >= 0) {
          nanos[which][round] = (System.nanoTime() - start) / (double) lookups;
        }
      }
    }
    return Arrays.stream(nanos).mapToDouble(MemoryBench::median).toArray();
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }

  private void enoughMemory() throws IOException {
    Path path = table(RecordOrder.HASH, workload.records(), 64);
    MemoryBudget memory = budget(PLENTY);
    try (SnapshotReader without = SnapshotReader.open(path, options(null));
        SnapshotReader within = SnapshotReader.open(path, options(memory))) {
      adjust(memory);
      for (int absent : new int[] {100, 50}) {
        double[] nanos = nanos(List.of(without, within), absent, absent == 100 ? 300_000 : 5_000);
        say(
            "all fits, %d %% absent: %.0f ns without a budget, %.0f within; lookups per second %.2f times (target >= 0.97)",
            absent, nanos[0], nanos[1], nanos[0] / nanos[1]);
      }
    }
  }

  private void opening() throws Exception {
    Path path = table(RecordOrder.HASH, workload.records(), 64);
    double[] without = new double[ROUNDS];
    double[] within = new double[ROUNDS];
    for (int round = -1; round < ROUNDS; round++) {
      double first = openMillis(path, null);
      double second = openMillis(path, budget(PLENTY));
      if (round >= 0) {
        without[round] = first;
        within[round] = second;
      }
    }
    say(
        "opening from disk: %.1f ms without a budget, %.1f within, ratio %.2f (target <= 0.5)",
        median(without), median(within), median(within) / median(without));
  }

  private static double openMillis(Path table, @Nullable MemoryBudget memory) throws Exception {
    try (var files = Files.walk(table)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        dropFromPageCache(file);
      }
    }
    long start = System.nanoTime();
    SnapshotReader reader = SnapshotReader.open(table, options(memory));
    double millis = (System.nanoTime() - start) / 1e6;
    reader.close();
    return millis;
  }

  private static void dropFromPageCache(Path file) throws Exception {
    int status =
        new ProcessBuilder("dd", "of=" + file, "oflag=nocache", "conv=notrunc,fdatasync", "count=0")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor();
    if (status != 0) {
      throw new IOException("dd failed with status %d: file=%s".formatted(status, file));
    }
  }

  private void absentKeys() throws IOException {
    Path path = table(RecordOrder.HASH, workload.records(), 64);
    List<SnapshotReader> readers = new ArrayList<>();
    try {
      for (int bits : new int[] {0, 2, 8}) {
        MemoryBudget memory = budget(List.of(path), bits + 0.1);
        readers.add(SnapshotReader.open(path, options(memory)));
        if (bits > 0) {
          adjust(memory);
        }
      }
      for (int absent : new int[] {0, 50, 90}) {
        double[] nanos = nanos(readers, absent, 2_000);
        say(
            "%d %% absent, lookups per second of one thread: 0 bits %,.0f, %.1f bits %,.0f, %.1f bits %,.0f",
            absent,
            1e9 / nanos[0],
            readers.get(1).metrics().signatureBits(),
            1e9 / nanos[1],
            readers.get(2).metrics().signatureBits(),
            1e9 / nanos[2]);
      }
    } finally {
      Closing.all(readers);
    }
  }
}
