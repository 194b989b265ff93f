package io.bsdb.benchmarks;

import io.bsdb.benchmarks.Results.DiskResult;
import io.bsdb.benchmarks.Results.Size;
import io.bsdb.benchmarks.peers.BuildProcess;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Peers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Compares bsdb with its peers. */
@Command(
    name = "benchmarks/run",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Compares bsdb with other embedded stores, on this machine, in one run.",
    description = {
      "",
      "Builds all stores from the same records, checks every answer, measures in rounds in which"
          + " the stores take turns, and writes results.json and report.html. Stores that do not"
          + " fit the memory together run one at a time. To measure a table of yours: ./bsdb bench"
          + " --help",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  benchmarks/run --quick",
      "  benchmarks/run --records 10000000 --only bsdb-blocked,sparkey,hashmap",
      "  benchmarks/run --records 10000000 --only build,bsdb,rocksdb --rounds 3",
      "  benchmarks/run --records 100000000 --build-heap 4g --discard --only lookup,bsdb-blocked,lmdb",
      "  benchmarks/run --records 10000000 --only enrichment",
    })
public final class Bench implements Callable<Integer> {
  private static final List<String> DISK_FILES =
      List.of("bsdb-blocked", "bsdb-compressed", "bsdb-compressed-pages");
  private static final int DISK_DEPTH = 128;

  /** What {@code --only} can restrict a run to, beside peers. */
  private static final List<String> PARTS =
      List.of("build", "lookup", "disk", "flink", "kafka-streams", "enrichment");

  @Option(
      names = "--quick",
      description =
          "100,000 and 1,000,000 records, 5 short rounds, the most usual stores: less than 5"
              + " minutes. The default")
  private boolean quick;

  @Option(
      names = "--full",
      description = "10^5, 10^6 and 10^7 records, 11 long rounds, and enrichment: about an hour")
  private boolean full;

  @Option(
      names = "--records",
      split = ",",
      paramLabel = "N",
      description = "Record counts, for example 100000,1000000")
  private List<Long> records = List.of();

  @Option(names = "--rounds", paramLabel = "N", description = "Of each measurement")
  private int rounds;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "WORD",
      description = {
        "Parts of the benchmark: build, lookup, disk, flink, kafka-streams, or enrichment for the"
            + " last two, which else only --full has. 'build' without 'lookup' builds anew in every"
            + " round.",
        "Stores: a name, or a part that names have in common"
      })
  private List<String> only = List.of();

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      defaultValue = "bench-data",
      description =
          "For data and reports; default: ${DEFAULT-VALUE}. Builds found there are used again")
  private Path directory = Path.of("bench-data");

  @Option(
      names = "--build-heap",
      paramLabel = "SIZE",
      defaultValue = "2g",
      description = "Heap of the processes that build; default: ${DEFAULT-VALUE}")
  private String buildHeap = "2g";

  @Option(
      names = "--discard",
      description =
          "Build, measure and delete one store after the other: for records whose stores do not"
              + " fit the disk together. The disk part needs the files")
  private boolean discard;

  private String commandLine = "benchmarks/run";

  private Bench() {}

  public static void main(String[] arguments) {
    Bench bench = new Bench();
    bench.commandLine += String.join("", List.of(arguments).stream().map(a -> " " + a).toList());
    System.exit(new CommandLine(bench).execute(arguments));
  }

  private boolean wants(String part) {
    return PARTS.stream().noneMatch(only::contains) || only.contains(part);
  }

  private boolean wantsStores() {
    return wants("build") || wants("lookup") || wants("disk");
  }

  private boolean wantsEnrichment(String system) {
    return only.contains(system) || only.contains("enrichment") || (full && only.isEmpty());
  }

  @Override
  public Integer call() throws Exception {
    List<Long> counts = counts();
    List<String> stores = only.stream().filter(word -> !PARTS.contains(word)).toList();
    List<Peer> peers = stores.isEmpty() && !isLong() ? Peers.quick() : Peers.named(stores);
    if (peers.isEmpty()) {
      System.err.printf(Locale.ROOT, "no store has a name like %s; there are: %s%n", only, names());
      return CommandLine.ExitCode.USAGE;
    }
    Files.createDirectories(directory);
    Path data = directory.toAbsolutePath();
    Results results =
        new Results(Machine.facts(), parameters(counts), List.of(), List.of(), List.of());
    if (wantsStores()) {
      results = stores(results, counts, peers, data);
    }
    EnrichmentRuns enrichment =
        new EnrichmentRuns(
            data,
            counts,
            rounds > 0 ? rounds : 3,
            isLong()
                ? new EnrichmentRuns.Events(10_000_000, 500_000, 2_000_000)
                : new EnrichmentRuns.Events(400_000, 50_000, 200_000));
    if (wantsEnrichment("flink")) {
      results = results.with(enrichment.flink());
      Reports.write(results, data);
    }
    if (wantsEnrichment("kafka-streams")) {
      results = results.with(enrichment.kafkaStreams());
      Reports.write(results, data);
    }
    Reports.print(results, data);
    return CommandLine.ExitCode.OK;
  }

  private Results stores(Results none, List<Long> counts, List<Peer> peers, Path data)
      throws Exception {
    Results results = none;
    for (long count : counts) {
      results = results.with(size(Sources.of(data, new Workload(count), buildHeap), peers));
      // What has been measured stays, should the rest fail.
      Reports.write(results, data);
    }
    if (wants("disk")) {
      long largest = counts.stream().max(Long::compare).orElseThrow();
      results = results.withDisk(disk(Sources.of(data, new Workload(largest), buildHeap), peers));
      Reports.write(results, data);
    }
    return results;
  }

  private static List<String> names() {
    return Peers.named(List.of()).stream().map(Peer::name).toList();
  }

  private List<Long> counts() {
    if (!records.isEmpty()) {
      return records;
    }
    return full ? List.of(100_000L, 1_000_000L, 10_000_000L) : List.of(100_000L, 1_000_000L);
  }

  private boolean isLong() {
    return full || (!quick && !records.isEmpty());
  }

  private int rounds() {
    return rounds > 0 ? rounds : isLong() ? 11 : 5;
  }

  private int queries() {
    return isLong() ? 1 << 16 : 1 << 14;
  }

  private Size size(Sources sources, List<Peer> peers) throws Exception {
    Progress.step("%,d records", sources.records().workload().records());
    if (wants("lookup")) {
      Turns turns = new Turns(sources, peers, rounds(), queries());
      return discard ? turns.runAndDiscard() : turns.run();
    }
    Builds builds =
        wants("build")
            ? Builds.rounds(sources, peers, rounds > 0 ? rounds : 3)
            : Builds.missing(sources, peers);
    return new Comparison(sources, peers, builds, rounds(), queries()).builtOnly();
  }

  private List<DiskResult> disk(Sources sources, List<Peer> peers) throws Exception {
    Map<String, Path> tables = new LinkedHashMap<>();
    for (Peer peer : peers) {
      if (DISK_FILES.contains(peer.name())
          && BuildProcess.isBuilt(peer, sources.records(), sources.data())) {
        tables.put(peer.name(), sources.directory(peer));
      }
    }
    return tables.isEmpty()
        ? List.of()
        : new DiskBound(isLong() ? 3 : 1, isLong() ? 5 : 3, DISK_DEPTH)
            .run(sources.records().workload(), tables);
  }

  private Map<String, String> parameters(List<Long> counts) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("command", commandLine);
    parameters.put("records", counts.toString());
    parameters.put("key and value", "16 hexadecimal digits; 100 bytes, semi-compressible");
    parameters.put("queries", "made in advance, 90 % present, each answer checked, values copied");
    parameters.put("rounds", "%d, of %,d queries each".formatted(rounds(), queries()));
    parameters.put("heap of builds", buildHeap);
    return parameters;
  }
}
