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
import io.bsdb.live.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares bsdb with its peers. */
@Command(
    name = "benchmarks/run",
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
  private enum Part {
    LOOKUP,
    BUILD,
    ORDER,
    FLINK,
    JOINS,
    KAFKA_STREAMS,
    BITS,
    OPENING,
    CHANGES,
    REFRESH,
    RELOAD,
    RELOAD_JOBS,
    SYNC,
    UNSYNCED,
    KILLED,
    WRITES,
    YCSB,
    SINK,
    ABSENT,
    HISTORY;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  @Parameters(
      paramLabel = "PART",
      arity = "1",
      defaultValue = CommandLine.Option.NULL_VALUE,
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
        "readers: those in Java, Rust and Python; a part by itself, see readers --help"
      })
  private @Nullable List<Part> parts;

  @SuppressWarnings("UnusedVariable") // picocli reads it
  @Option(names = "--help", usageHelp = true, description = "Show this")
  private boolean help;

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
          "Stores, lookups or tables in Flink: a name, or a part that names have in common")
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

  /** Returns the exit status. */
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
    directory = Files.createDirectories(directory.toAbsolutePath());
    List<Part> chosen =
        parts != null
            ? parts
            : full ? List.of(Part.LOOKUP, Part.FLINK, Part.KAFKA_STREAMS) : List.of(Part.LOOKUP);
    Results results = new Results(Machine.facts(), parameters(chosen), new ArrayList<>());
    for (Part part : chosen) {
      results.sections().addAll(measure(part));
      results.write(directory); // stays should the rest fail
    }
    results.print(directory);
    return CommandLine.ExitCode.OK;
  }

  private List<Section> measure(Part part) throws Exception {
    DurableBench durable = new DurableBench(directory, scale, rounds(3));
    MemoryBench memory = new MemoryBench(directory, count(8_000_000));
    return switch (part) {
      case LOOKUP -> each(count -> compare(count, Measure.lookups(), peers()));
      case BUILD -> each(count -> List.of(builds(count).rounds(peers(), rounds(3))));
      case ORDER ->
          each(count -> compare(count, Measure.ordered(), Peer.named(only, Peer.ORDERED)));
      case FLINK ->
          // In a process of its own: what ran before has compiled the reader's code for others.
          JavaProcess.call(
              List.of(),
              lookups(full ? 10_000_000 : count(1_000_000), isLong() ? 10_000_000 : 400_000));
      case JOINS -> lookups(count(1_000_000), 1_000_000).columns();
      case KAFKA_STREAMS ->
          each(
              count ->
                  new StreamsBench(
                          new Workload(count), events(isLong() ? 2_000_000 : 200_000), rounds(3))
                      .run(directory.resolve("kafka-streams")));
      case BITS -> memory.bits();
      case OPENING -> memory.opening();
      case CHANGES -> compare(count(10_000_000), Measure.changed(), Peer.named(only, Peer.CHANGED));
      case REFRESH -> RefreshBench.run(directory, count(10_000_000), rounds(11));
      case RELOAD -> ReloadBench.run(directory, count(10_000_000), rounds(3));
      case RELOAD_JOBS -> ReloadJobBench.run(directory, count(1_000_000), rounds(3));
      case SYNC -> durable.puts(Durability.COMMIT, 1, 16, 64);
      case UNSYNCED -> durable.puts(Durability.OS, 1, 16);
      case KILLED -> durable.killed();
      case WRITES -> durable.writes(settle);
      case YCSB -> durable.ycsb();
      case SINK -> sink().run();
      case ABSENT -> sink().absent();
      case HISTORY -> HistoryBench.run(directory, count(100_000), events(300_000), rounds(1));
    };
  }

  /** A part that is measured for each number of records. */
  private interface OfCount {
    List<Section> measure(long count) throws Exception;
  }

  private List<Section> each(OfCount part) throws Exception {
    List<Long> counts =
        !records.isEmpty()
            ? records
            : full ? List.of(100_000L, 1_000_000L, 10_000_000L) : List.of(100_000L, 1_000_000L);
    List<Section> sections = new ArrayList<>();
    for (long count : counts) {
      Progress.step("%,d records", count);
      sections.addAll(part.measure(count));
    }
    return sections;
  }

  private CommandLine.ParameterException wrong(String message) {
    return new CommandLine.ParameterException(new CommandLine(this), message);
  }

  /** Requires that a word names a store, a lookup or a table, or a part of a name. */
  void check(String word) {
    List<String> stores = Peer.all().stream().map(Peer::name).toList();
    List<String> inFlink =
        Stream.concat(LookupBench.names().stream(), SinkBench.names().stream()).distinct().toList();
    if (Stream.concat(stores.stream(), inFlink.stream()).noneMatch(name -> name.contains(word))) {
      throw wrong(
          "--only: nothing has a name like %s; stores: %s; lookups and tables in Flink: %s"
              .formatted(word, stores, inFlink));
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

  private int queries() {
    return isLong() ? 1 << 16 : 1 << 14;
  }

  private int lookupRounds() {
    return rounds(isLong() ? 11 : 5);
  }

  private List<Peer> peers() {
    return Peer.named(only, isLong() ? Peer.hashed() : Peer.QUICK);
  }

  private Builds builds(long count) throws IOException {
    return Builds.of(directory, data, count, buildHeap);
  }

  private List<Section> compare(long count, List<Measure> measures, List<Peer> peers)
      throws Exception {
    return new Comparison(builds(count), measures, lookupRounds(), queries()).run(peers, discard);
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
        Peer.choose(SinkBench.names(), name -> name, only, List.of("bsdb")));
  }

  private Map<String, String> parameters(List<Part> chosen) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("command", commandLine);
    if (chosen.stream().anyMatch(Set.of(Part.LOOKUP, Part.ORDER, Part.CHANGES)::contains)) {
      parameters.put(
          "queries", "made in advance, 90 % present, each answer checked, values copied");
      parameters.put("rounds", "%d, of %,d queries each".formatted(lookupRounds(), queries()));
      parameters.put("heap of builds", buildHeap);
    }
    return parameters;
  }
}
