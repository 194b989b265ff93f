package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.Enrichment;
import io.bsdb.benchmarks.Enrichment.Join;
import io.bsdb.benchmarks.Machine;
import io.bsdb.benchmarks.Progress;
import io.bsdb.benchmarks.Reports;
import io.bsdb.benchmarks.Results;
import io.bsdb.benchmarks.Results.Series;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs one query with different lookups, in turn, in one slot, and tells the wall time per event.
 * Differences count: the time of the source, the sink and Flink itself is in all.
 */
@Command(
    name = "benchmarks/run flink",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Compares lookup joins of a Flink job, end to end.",
    description = {
      "",
      "Joins the same events with a table of the records of all benchmarks, in one slot. The"
          + " answers are checked. Writes results.json and report.html.",
      ""
    })
public final class LookupBench implements Callable<Integer> {
  private static final String OVER_CONSTANT = "µs over constant";
  private static final String NEW_VERSIONS = "new versions";

  @Option(names = "--rows", description = "Of the table. Default: ${DEFAULT-VALUE}.")
  private long rows = 1_000_000;

  @Option(names = "--events", description = "Of the stream. Default: ${DEFAULT-VALUE}.")
  private long events = 10_000_000;

  @Option(names = "--rounds", description = "Of each variant. Default: ${DEFAULT-VALUE}.")
  private int rounds = 5;

  @Option(
      names = "--disk-events",
      description = "Of the stream whose lookups wait for the disk. Default: ${DEFAULT-VALUE}.")
  private long diskEvents = 2_000_000;

  @Option(
      names = "--under-way",
      description = "Lookups that wait for the disk at a time. Default: ${DEFAULT-VALUE}.")
  private int underWay = 256;

  @Option(
      names = "--version-every",
      paramLabel = "SECONDS",
      description =
          "Puts the next version in service, where versions change. Default: ${DEFAULT-VALUE}.")
  private int versionSeconds = 5;

  @Option(names = "--only", split = ",", description = "Of ${COMPLETION-CANDIDATES}. Default: all.")
  private List<Variant> variants = List.of(Variant.values());

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description =
          "For the table, which is used again, and for reports. Default: ${DEFAULT-VALUE}.")
  private Path directory = Path.of("bench-data", "flink");

  @Option(names = "--quiet", description = "Write the reports, and print none.")
  private boolean quiet;

  private LookupBench() {}

  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  static int run(String... arguments) {
    return new CommandLine(new LookupBench()).execute(arguments);
  }

  @Override
  public Integer call() throws Exception {
    Map<String, String> machine = Machine.facts();
    LookupJob job =
        new LookupJob(
            directory.toAbsolutePath().resolve("table-" + rows), rows, underWay, versionSeconds);
    Progress.step("build the table: %,d rows", rows);
    job.build();
    List<String> leftOut = new ArrayList<>();
    List<Variant> running = variants.stream().filter(each -> fits(each, leftOut)).toList();
    Map<Variant, double[]> micros = new EnumMap<>(Variant.class);
    double[] newVersions = new double[rounds];
    // The first round warms up.
    for (int round = -1; round < rounds; round++) {
      for (Variant variant : running) {
        long count = variant.waitsForDisk() ? diskEvents : events;
        LookupJob.Took took = job.run(variant, count);
        double perEvent = took.nanos() / 1e3 / count;
        Progress.step("round %d of %d: %s, %.3f µs", round + 1, rounds, variant, perEvent);
        if (round >= 0) {
          micros.computeIfAbsent(variant, none -> new double[rounds])[round] = perEvent;
          if (variant == Variant.BSDB_REFRESHED) {
            newVersions[round] = took.newVersions();
          }
        }
      }
    }
    Results results =
        new Results(
            machine,
            parameters(),
            List.of(),
            List.of(),
            enrichment(job, micros, newVersions, leftOut));
    Reports.write(results, directory);
    if (!quiet) {
      Reports.print(results, directory);
    }
    return 0;
  }

  private boolean fits(Variant variant, List<String> leftOut) {
    long most = Runtime.getRuntime().maxMemory();
    if (variant != Variant.HASH_MAP || HeapLookup.heapBytes(rows) <= most) {
      return true;
    }
    leftOut.add(
        "%s: would need %,d MiB of heap, and BENCH_HEAP allows %,d"
            .formatted(variant.label(), HeapLookup.heapBytes(rows) >> 20, most >> 20));
    return false;
  }

  private Map<String, String> parameters() {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("records", Long.toString(rows));
    parameters.put("rounds", rounds + " of each lookup, in turn, after one that warms up");
    parameters.put("lookups under way", underWay + " where they wait for the disk");
    parameters.put("new versions", "every %d s where they change".formatted(versionSeconds));
    return parameters;
  }

  private List<Enrichment> enrichment(
      LookupJob job, Map<Variant, double[]> micros, double[] newVersions, List<String> leftOut) {
    List<Join> inMemory = joins(job, micros, newVersions, variant -> !variant.waitsForDisk());
    List<Join> fromDisk = joins(job, micros, newVersions, Variant::waitsForDisk);
    List<Enrichment> all = new ArrayList<>();
    if (!inMemory.isEmpty()) {
      String title = "Lookup join in Flink";
      all.add(
          new Enrichment(title, rows, events, Variant.BSDB.label(), inMemory, leftOut)
              .compared(Enrichment.MICROS));
    }
    if (!fromDisk.isEmpty()) {
      String title = "Lookup join in Flink, past the page cache";
      all.add(
          new Enrichment(title, rows, diskEvents, Variant.DISK_READER.label(), fromDisk, List.of())
              .compared(Enrichment.MICROS));
    }
    return all;
  }

  private static List<Join> joins(
      LookupJob job,
      Map<Variant, double[]> micros,
      double[] newVersions,
      Predicate<Variant> wanted) {
    List<Join> joins = new ArrayList<>();
    double[] constant = micros.get(Variant.CONSTANT);
    micros.forEach(
        (variant, perEvent) -> {
          if (wanted.test(variant)) {
            Map<String, Series> measures = new LinkedHashMap<>();
            measures.put(Enrichment.MICROS, Series.of(perEvent));
            if (constant != null && !variant.waitsForDisk()) {
              measures.put(OVER_CONSTANT, Series.of(difference(perEvent, constant)));
            }
            if (variant == Variant.BSDB_REFRESHED) {
              measures.put(NEW_VERSIONS, Series.of(newVersions));
            }
            joins.add(new Join(variant.label(), job.options(variant), measures));
          }
        });
    return joins;
  }

  /** Of the same rounds. */
  private static double[] difference(double[] left, double[] right) {
    double[] difference = new double[left.length];
    Arrays.setAll(difference, round -> left[round] - right[round]);
    return difference;
  }
}
