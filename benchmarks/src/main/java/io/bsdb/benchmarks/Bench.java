package io.bsdb.benchmarks;

import io.bsdb.benchmarks.flink.HistoryBench;
import io.bsdb.benchmarks.flink.LookupBench;
import io.bsdb.benchmarks.flink.ReloadJobBench;
import io.bsdb.benchmarks.flink.SinkBench;
import io.bsdb.benchmarks.harness.DataSet;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Measure;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.kstreams.StreamsBench;
import io.bsdb.benchmarks.live.DurableBench;
import io.bsdb.benchmarks.live.RefreshBench;
import io.bsdb.benchmarks.live.ReloadBench;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.WritableStore;
import io.bsdb.live.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.apache.flink.util.function.FunctionWithException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares bsdb with its peers. */
@Command(
    name = "benchmarks/run",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Compares bsdb with other stores, on this machine, in one run.",
    description = {
      "",
      "Every answer is checked, contenders take turns in rounds, and results.json has all rounds."
          + " Stores that do not fit the memory together run one at a time. To measure a table of"
          + " yours: ./bsdb bench --help",
      ""
    })
public final class Bench implements Callable<Integer> {
  @Parameters(
      paramLabel = "PART",
      description = {
        "What is measured, by default lookup, with --full also flink and kafka-streams:",
        "lookup: builds and lookups in the stores",
        "build: builds alone, again in every round",
        "order: floors and ranges in stores in key order",
        "flink: lookup joins; joins: those that read some columns or all",
        "kafka-streams: joins with a table",
        "bits, opening: readers from disk within a memory budget",
        "changes, refresh: lookups in a table with changes, and followers of it",
        "reload, reload-jobs: reloads of all rows or those that differ, also by jobs in Flink",
        "sync, unsynced, killed, writes, ycsb: a durable table beside RocksDB and HaloDB",
        "sink, absent: a stream in Flink into a table, and lookup joins, beside Paimon",
        "history: late orders joined by a history and by Flink's temporal join",
        "readers: those in Java, Rust and Python; a part by itself, see readers --help",
        "jmh: one reader, with options of JMH, see ReaderBenchmark; a part by itself"
      })
  private List<String> parts = List.of();

  @Option(
      names = "--quick",
      description =
          "100,000 and 1,000,000 records, 5 short rounds, the most usual stores: less than 5"
              + " minutes. The default")
  private boolean quick;

  @Option(
      names = "--full",
      description =
          "10^5, 10^6 and 10^7 records, 11 long rounds, Flink and Kafka Streams: about an hour")
  private boolean full;

  @Option(
      names = "--records",
      split = ",",
      paramLabel = "N",
      description = "Record counts, for example 100000,1000000; of most parts the first")
  private List<Long> records = List.of();

  @Option(names = "--events", paramLabel = "N", description = "To join, where records are joined")
  private long events;

  @Option(names = "--rounds", paramLabel = "N", description = "Of each measurement")
  private int rounds;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "NAME",
      description =
          "Stores, lookups, layouts or tables in Flink: a name, or a part that names share")
  private List<String> only = List.of();

  @Option(
      names = "--data",
      paramLabel = "DATA",
      description = "Records: ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}")
  private DataSet data = DataSet.JSON;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description =
          "For data and reports; default: ${DEFAULT-VALUE}. Builds found there are used again")
  private Path directory = Path.of("bench-data");

  @Option(
      names = "--build-heap",
      paramLabel = "SIZE",
      description = "Heap of the processes that build; default: ${DEFAULT-VALUE}")
  private String buildHeap = "2g";

  @Option(
      names = "--discard",
      description =
          "Build, measure and delete one store after the other: for records whose stores do not"
              + " fit the disk together")
  private boolean discard;

  @Option(
      names = "--scale",
      paramLabel = "FACTOR",
      description = "Of the records of durable tables; default: ${DEFAULT-VALUE}")
  private double scale = 1;

  @Option(
      names = "--settle",
      paramLabel = "SECONDS",
      description = "That writes rests after its last change; default: ${DEFAULT-VALUE}")
  private double settle = 60;

  private String commandLine = "";

  public static void main(String[] arguments) {
    Bench bench = new Bench();
    bench.commandLine = "benchmarks/run " + String.join(" ", arguments);
    System.exit(bench.run(arguments));
  }

  int run(String... arguments) {
    return new CommandLine(this)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(
            (wrong, all) -> {
              System.err.println(wrong.getMessage() + "\nOptions: benchmarks/run --help");
              return CommandLine.ExitCode.USAGE;
            })
        .execute(arguments);
  }

  @Override
  public Integer call() throws Exception {
    only.forEach(this::check);
    if (records.stream().anyMatch(count -> count < 100 || count > Integer.MAX_VALUE)) {
      throw wrong("--records: expected 100 to 2^31 - 1, actual " + records);
    }
    Map<String, Callable<List<Section>>> all = all();
    if (!all.keySet().containsAll(parts)) {
      throw wrong("unknown part: expected some of %s, actual %s".formatted(all.keySet(), parts));
    }
    directory = Files.createDirectories(directory.toAbsolutePath());
    Map<String, String> facts = Machine.facts();
    facts.put("command", commandLine);
    Results results = new Results(facts, new ArrayList<>());
    List<String> byDefault = full ? List.of("lookup", "flink", "kafka-streams") : List.of("lookup");
    for (String part : parts.isEmpty() ? byDefault : parts) {
      results.sections().addAll(Objects.requireNonNull(all.get(part)).call());
      results.write(directory); // stays should the rest fail
    }
    results.print(directory);
    return CommandLine.ExitCode.OK;
  }

  private Map<String, Callable<List<Section>>> all() {
    Map<String, Callable<List<Section>>> all = new LinkedHashMap<>();
    all.put("lookup", () -> each(count -> compare(count, Measure.lookups(), peers())));
    all.put("build", () -> each(count -> List.of(builds(count).rounds(peers(), rounds(3)))));
    List<Peer> ordered = Peer.named(only, Peer.ORDERED);
    all.put("order", () -> each(count -> compare(count, Measure.ORDERED, ordered)));
    // In a process of its own: what ran before has compiled the reader's code for others.
    all.put(
        "flink",
        () ->
            JavaProcess.call(
                List.of(),
                lookups(full ? 10_000_000 : count(1_000_000), isLong() ? 10_000_000 : 400_000)));
    all.put("joins", () -> lookups(count(1_000_000), 1_000_000).columns());
    all.put("kafka-streams", () -> each(this::streams));
    MemoryBench memory = new MemoryBench(directory, count(8_000_000));
    all.put("bits", memory::bits);
    all.put("opening", memory::opening);
    long many = count(10_000_000);
    List<Peer> changed = Peer.named(only, Peer.CHANGED);
    all.put("changes", () -> compare(many, Measure.CHANGED, changed));
    all.put("refresh", () -> RefreshBench.run(directory, many, rounds(11)));
    all.put("reload", () -> ReloadBench.run(directory, many, rounds(3)));
    all.put("reload-jobs", () -> ReloadJobBench.run(directory, count(1_000_000), rounds(3)));
    DurableBench durable = new DurableBench(directory, scale, rounds(3), only);
    all.put("sync", () -> durable.puts(Durability.COMMIT, 1, 16, 64));
    all.put("unsynced", () -> durable.puts(Durability.OS, 1, 16));
    all.put("killed", durable::killed);
    all.put("writes", () -> durable.writes(settle));
    all.put("ycsb", durable::ycsb);
    all.put("sink", () -> sink().run());
    all.put("absent", () -> sink().absent());
    all.put(
        "history", () -> HistoryBench.run(directory, count(100_000), events(300_000), rounds(1)));
    return all;
  }

  /** Measures a part for each number of records. */
  private List<Section> each(FunctionWithException<Long, List<Section>, Exception> part)
      throws Exception {
    List<Long> counts =
        full ? List.of(100_000L, 1_000_000L, 10_000_000L) : List.of(100_000L, 1_000_000L);
    List<Section> sections = new ArrayList<>();
    for (long count : records.isEmpty() ? counts : records) {
      Progress.step("%,d records", count);
      sections.addAll(part.apply(count));
    }
    return sections;
  }

  private CommandLine.ParameterException wrong(String message) {
    return new CommandLine.ParameterException(new CommandLine(this), message);
  }

  /** Requires that a word names a store, a lookup or a table, or a part of a name. */
  void check(String word) {
    List<String> names = new ArrayList<>(Peer.names());
    names.addAll(LookupBench.names());
    names.addAll(SinkBench.names());
    names.addAll(WritableStore.all().keySet());
    if (names.stream().noneMatch(name -> name.contains(word))) {
      throw wrong("--only: nothing has a name like %s; names: %s".formatted(word, names));
    }
  }

  private long count(long byDefault) {
    return records.isEmpty() ? byDefault : records.get(0);
  }

  private long events(long byDefault) {
    return events > 0 ? events : byDefault;
  }

  private int rounds(int byDefault) {
    return rounds > 0 ? rounds : byDefault;
  }

  private boolean isLong() {
    return full || (!quick && !records.isEmpty());
  }

  private List<Peer> peers() {
    return Peer.named(only, isLong() ? Peer.hashed() : Peer.QUICK);
  }

  private Builds builds(long count) throws IOException {
    return Builds.of(directory, data, count, buildHeap);
  }

  private List<Section> compare(long count, List<Measure> measures, List<Peer> peers)
      throws Exception {
    long queries = Math.min(isLong() ? 1 << 16 : 1 << 14, count / Measure.BATCH * Measure.BATCH);
    return new Comparison(builds(count), measures, rounds(isLong() ? 11 : 5), (int) queries)
        .run(peers, discard);
  }

  private List<Section> streams(long count) throws Exception {
    return new StreamsBench(new Workload(count), events(isLong() ? 2_000_000 : 200_000), rounds(3))
        .run(directory.resolve("kafka-streams"));
  }

  private LookupBench lookups(long rows, long events) {
    return new LookupBench(directory, rows, events(events), rounds(3), only);
  }

  private SinkBench sink() {
    long rows = count(1_000_000);
    return new SinkBench(
        directory.resolve("sink"),
        rows,
        events(rows),
        rounds(3),
        Peer.choose(SinkBench.names(), only, List.of("bsdb")));
  }
}
