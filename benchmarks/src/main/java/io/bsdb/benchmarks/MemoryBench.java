package io.bsdb.benchmarks;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.io.Closing;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads past the page cache within a memory budget: reads for absent keys where bits of signatures
 * follow the load, beside the same memory spread evenly; before and after a new version; with
 * enough memory, beside a reader without a budget; and opening.
 */
public final class MemoryBench {
  private static final int LOOKUPS = 100_000;
  private static final int ROUNDS = 7;

  /** Rounds of what waits for nothing: many short ones, and the thread's processor time. */
  private static final int SHORT_ROUNDS = 600;

  private static final int SHORT_ROUND = 20_000;
  private static final String PRESENT = "present";
  private static final String REJECTED = "absent by its signature";
  private static final int TABLES = 20;
  private static final double EXPONENT = 0.99;
  private static final long PLENTY = 1L << 40;
  private static final String EVEN = "even";
  private static final String ELASTIC = "elastic";

  private final Path directory;
  private final Workload workload;
  private final List<Row> loads = new ArrayList<>();
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
   * Runs some parts: {@code bits}, {@code fits} and {@code opening}.
   *
   * @param records of the largest tables
   */
  public static List<Section> run(Path directory, long records, List<String> parts)
      throws Exception {
    MemoryBench bench = new MemoryBench(Files.createDirectories(directory), records);
    List<Section> sections = new ArrayList<>();
    for (String part : parts) {
      switch (part) {
        case "bits" -> sections.add(bench.bits());
        case "fits" -> {
          sections.add(bench.enoughMemory(RecordOrder.HASH));
          sections.add(bench.enoughMemory(RecordOrder.KEY));
        }
        case "opening" -> sections.add(bench.opening());
        default -> throw new IllegalArgumentException("no such part: " + part);
      }
    }
    Progress.step("checksum %d", bench.checksum);
    return sections;
  }

  private Section bits() throws IOException {
    mixed();
    byRange();
    oneTable();
    return Section.of(
        "Reads per absent key at two bits per key (mixed sizes: elastic <= 0.4 of even; key"
            + " order: 0.6; one table: 1.05; a new version: 1.2 of elastic)",
        List.of(EVEN, ELASTIC),
        loads);
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

  private static ReaderOptions options(MemoryBudget memory) {
    return ReaderOptions.builder().access(Access.DIRECT).memory(memory).build();
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
        signatures += 3L * SnapshotFormat.PAGE / 2 * reader.partitionCount();
        signatures += measured.indexBytes();
      }
    }
    return budget(signatures + signatures / 60);
  }

  private static TableReader follow(Path table, MemoryBudget memory) throws IOException {
    return TableReader.builder(table).options(options(memory)).refreshEvery(Duration.ZERO).open();
  }

  /** Returns weights by Zipf's law, in random order. */
  private static List<Double> weights(int count) {
    List<Double> weights = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      weights.add(Math.pow((double) i, -EXPONENT));
    }
    Collections.shuffle(weights, new Random(17));
    return weights;
  }

  /** Asks for absent keys; returns the reads that each costs. */
  private double readsPerAbsentKey(List<Asked> all) throws IOException {
    NavigableMap<Double, Asked> byWeight = new TreeMap<>();
    double sum = 0;
    for (Asked asked : all) {
      byWeight.put(sum, asked);
      sum += asked.weight;
    }
    long before = falsePositives(all);
    for (int i = 0; i < LOOKUPS; i++) {
      Asked asked =
          Objects.requireNonNull(byWeight.floorEntry(random.nextDouble() * sum)).getValue();
      if (asked.table.get(asked.absent.apply(random)) != null) {
        throw new IllegalStateException("an absent key was found");
      }
    }
    return (falsePositives(all) - before) / (double) LOOKUPS;
  }

  private static long falsePositives(List<Asked> all) throws IOException {
    long sum = 0;
    for (TableReader table : all.stream().map(Asked::table).distinct().toList()) {
      try (TableReader.Lease lease = table.lease()) {
        sum += lease.reader().metrics().falsePositiveReads();
      }
    }
    return sum;
  }

  /** Adds reads with even bits, and with bits that follow the load. */
  private Row compare(String load, MemoryBudget memory, List<Asked> all) throws IOException {
    Row row = new Row(load, "%,d of %,d bytes".formatted(memory.usedBytes(), memory.limitBytes()));
    adjust(memory);
    row.add(EVEN, readsPerAbsentKey(all));
    adjust(memory);
    row.add(ELASTIC, readsPerAbsentKey(all));
    row.add("ratio", row.median(ELASTIC) / row.median(EVEN));
    loads.add(row);
    return row;
  }

  private void mixed() throws IOException {
    List<Path> tables = new ArrayList<>();
    List<Long> counts = new ArrayList<>();
    for (int i = 0; i < TABLES; i++) {
      counts.add((long) (workload.records() * Math.pow(0.8, i)));
      tables.add(table(RecordOrder.HASH, counts.get(i), 1));
    }
    MemoryBudget memory = budget(tables, 2);
    List<Double> weights = weights(TABLES);
    List<Asked> all = new ArrayList<>();
    try {
      for (int i = 0; i < TABLES; i++) {
        double absentShare = 0.1 + 0.8 * random.nextDouble();
        all.add(absentKeys(tables.get(i), memory, counts.get(i), weights.get(i) * absentShare));
      }
      Row row = compare("20 tables of mixed size", memory, all);
      int hottest = all.indexOf(Collections.max(all, Comparator.comparing(Asked::weight)));
      publish(tables.get(hottest), RecordOrder.HASH, counts.get(hottest), 1);
      all.get(hottest).table.refresh();
      adjust(memory); // as happens when the version before is closed
      row.add("new version", readsPerAbsentKey(all));
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
    List<Double> weights = weights(ranges);
    try (TableReader table = follow(path, memory)) {
      List<Asked> all = new ArrayList<>();
      for (int i = 0; i < ranges; i++) {
        long first = (long) i << (Long.SIZE - 8);
        all.add(
            new Asked(
                table,
                weights.get(i),
                next ->
                    HexFormat.of()
                        .toHexDigits(first | next.nextLong() >>> 8)
                        .getBytes(StandardCharsets.US_ASCII)));
      }
      compare("key order, 256 partitions", memory, all);
    }
  }

  private void oneTable() throws IOException {
    Path path = table(RecordOrder.HASH, workload.records(), 64);
    MemoryBudget memory = budget(List.of(path), 2);
    Asked asked = absentKeys(path, memory, workload.records(), 1);
    try {
      compare("one table in hash order", memory, List.of(asked));
    } finally {
      asked.table.close();
    }
  }

  private List<byte[]> keys(int count, int absent) {
    long records = workload.records();
    return Stream.generate(() -> random.nextLong(records))
        .limit(count)
        .map(id -> workload.key(random.nextInt(100) < absent ? records + id : id))
        .toList();
  }

  private void lookUp(SnapshotReader reader, List<byte[]> keys) throws IOException {
    for (byte[] key : keys) {
      byte @Nullable [] value = reader.get(key);
      checksum += value == null ? 1 : value[7];
    }
  }

  /** Looks up present keys, which the disk answers, and absent ones, which it does not. */
  private Section enoughMemory(RecordOrder order) throws IOException {
    Path path = table(order, workload.records(), 64);
    MemoryBudget memory = budget(PLENTY);
    try (SnapshotReader without = SnapshotReader.open(path, options(MemoryBudget.unlimited()));
        SnapshotReader within = SnapshotReader.open(path, options(memory))) {
      adjust(memory);
      Map<String, SnapshotReader> readers = new LinkedHashMap<>();
      readers.put("no budget", without);
      readers.put("budget", within);
      Turns<SnapshotReader> turns = Turns.of(readers);
      List<byte[]> rejected = new ArrayList<>();
      for (byte[] key : keys(200_000, 100)) {
        long before = without.metrics().signatureRejects();
        if (without.get(key) == null && without.metrics().signatureRejects() > before) {
          rejected.add(key);
        }
      }
      List<byte[]> present = keys(5_000, 0);
      turns.run(
          1,
          ROUNDS,
          (reader, round, row) -> {
            long start = System.nanoTime();
            lookUp(reader, present);
            row.add(PRESENT, (System.nanoTime() - start) / (double) present.size());
          });
      ThreadMXBean threads = ManagementFactory.getThreadMXBean();
      turns.run(
          SHORT_ROUNDS / 10,
          SHORT_ROUNDS,
          (reader, round, row) -> {
            int first = Math.floorMod(round * SHORT_ROUND, rejected.size() - SHORT_ROUND);
            List<byte[]> some = rejected.subList(first, first + SHORT_ROUND);
            long start = threads.getCurrentThreadCpuTime();
            lookUp(reader, some);
            row.add(REJECTED, (threads.getCurrentThreadCpuTime() - start) / (double) SHORT_ROUND);
          });
      return turns.section("All fits, %s order, ns per lookup (budget <= 1.03)".formatted(order));
    }
  }

  private Section opening() throws Exception {
    Path path = table(RecordOrder.HASH, workload.records(), 1);
    Map<String, MemoryBudget> budgets = new LinkedHashMap<>();
    budgets.put("no budget", MemoryBudget.unlimited());
    budgets.put("budget", budget(PLENTY));
    Turns<MemoryBudget> turns = Turns.of(budgets);
    turns.run(1, ROUNDS, (memory, round, row) -> row.add("ms", openMillis(path, memory)));
    return turns.section("Opening from disk, ms (budget <= 0.5)");
  }

  private static double openMillis(Path table, MemoryBudget memory) throws Exception {
    for (Path file : Directories.files(table)) {
      dropFromPageCache(file);
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
}
