package io.bsdb.benchmarks;

import com.fasterxml.jackson.core.type.TypeReference;
import io.bsdb.benchmarks.flink.HistoryBench;
import io.bsdb.benchmarks.flink.JoinBench;
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
import io.bsdb.benchmarks.http.HttpBench;
import io.bsdb.benchmarks.kstreams.StreamsBench;
import io.bsdb.benchmarks.live.DurableBench;
import io.bsdb.benchmarks.live.LiveBench;
import io.bsdb.benchmarks.live.ReloadBench;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Peers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares bsdb with its peers. */
@Command(
    name = "benchmarks/run",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Compares bsdb with other embedded stores, on this machine, in one run.",
    description = {
      "",
      "Builds all stores from the same records, checks every answer, measures in rounds in which"
          + " the stores take turns, and writes results.json. Stores that do not fit the memory"
          + " together run one at a time. To measure a table of yours: ./bsdb bench --help",
      ""
    })
public final class Bench implements Callable<Integer> {
  private static final List<String> DISK_TABLES =
      List.of("bsdb-blocked", "bsdb-compressed", "bsdb-compressed-pages");

  /** Parts that are not measured unless asked for, or by {@code --full}. */
  private static final List<String> ON_DEMAND = List.of("order", "flink", "kafka-streams");

  /** Parts of the benchmark that {@code --only} selects, beside stores. */
  private static final List<String> PARTS =
      List.of("build", "lookup", "order", "disk", "flink", "kafka-streams");

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
      description = "Record counts, for example 100000,1000000")
  private List<Long> records = List.of();

  @Option(names = "--rounds", paramLabel = "N", description = "Of each measurement")
  private int rounds;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "WORD",
      description = {
        "Parts of the benchmark: build, lookup, order, disk, flink or kafka-streams; 'order',"
            + " floors and ranges, only if named, the last two also with --full. 'build' without"
            + " 'lookup' builds again in every round.",
        "Stores, and lookups in Flink: a name, or a part that names have in common"
      })
  private List<String> only = List.of();

  @Option(
      names = "--data",
      paramLabel = "DATA",
      defaultValue = "json",
      description = "Records: " + DataSet.NAMES + "; default: ${DEFAULT-VALUE}")
  private String data = "json";

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

  private String commandLine = "";
  private Results results = new Results(Map.of(), Map.of(), List.of());

  public static void main(String[] arguments) {
    Bench bench = new Bench();
    bench.commandLine = "benchmarks/run " + String.join(" ", arguments);
    System.exit(new CommandLine(bench).execute(arguments));
  }

  @Command(description = "Measures readers from disk within a memory budget.")
  int memory(
      @Parameters(paramLabel = "DIRECTORY") Path data,
      @Parameters(paramLabel = "RECORDS", defaultValue = "8000000") long count,
      @Parameters(
              paramLabel = "PART",
              arity = "0..*",
              split = ",",
              defaultValue = "bits,fits,opening",
              description = "Default: ${DEFAULT-VALUE}")
          List<String> parts)
      throws Exception {
    return finish(data, MemoryBench.run(data, count, parts));
  }

  @Command(description = "Joins in Flink that read some columns or all, in some layouts.")
  int joins(
      @Parameters(paramLabel = "DIRECTORY") Path data,
      @Parameters(paramLabel = "ROWS") long rows,
      @Parameters(paramLabel = "EVENTS") long events)
      throws Exception {
    return finish(
        data,
        new JoinBench(data, rows, events).run(List.of("blocked", "symbols", "compressed"), 3));
  }

  @Command(description = "Measures a table with changes beside the same table without.")
  int live(
      @Parameters(paramLabel = "DIRECTORY") Path data,
      @Parameters(paramLabel = "RECORDS") long count,
      @Parameters(
              paramLabel = "PART",
              arity = "0..*",
              split = ",",
              defaultValue = "lookups,refresh,follow,writes",
              description = "Default: ${DEFAULT-VALUE}")
          List<String> parts)
      throws Exception {
    return finish(data, LiveBench.run(data, count, parts));
  }

  @Command(description = "Measures reloads that publish all rows or those that differ.")
  int reload(
      @Parameters(paramLabel = "DIRECTORY") Path data,
      @Parameters(paramLabel = "RECORDS") long count,
      @Parameters(paramLabel = "ROUNDS", arity = "0..1", defaultValue = "3") int turns)
      throws Exception {
    return finish(data, ReloadBench.run(data, count, turns));
  }

  @Command(
      name = "reload-jobs",
      description = "Measures reloads by jobs in Flink, of which few rows differ or all.")
  int reloadJobs(
      @Parameters(paramLabel = "DIRECTORY") Path data,
      @Parameters(paramLabel = "ROWS") long rows,
      @Parameters(paramLabel = "ROUNDS", arity = "0..1", defaultValue = "3") int turns)
      throws Exception {
    return finish(data, ReloadJobBench.run(data, rows, turns));
  }

  @Command(description = "Compares a durable table with RocksDB, LMDB and, if built, HaloDB.")
  int durable(
      @Parameters(paramLabel = "DIRECTORY") Path data,
      @Parameters(
              paramLabel = "PART",
              arity = "0..*",
              split = ",",
              defaultValue = "sync,unsynced,shapes,killed,fold",
              description = "Also ycsb and writes; default: ${DEFAULT-VALUE}")
          List<String> parts,
      @Option(names = "--scale", defaultValue = "1", description = "Of ycsb and writes")
          double scale,
      @Option(names = "--settle", defaultValue = "60", description = "Seconds, of writes")
          double settle,
      @Option(names = "--rounds", defaultValue = "3", description = "Of each measurement")
          int turns)
      throws Exception {
    return finish(data, new DurableBench(data, scale, settle, turns).run(parts));
  }

  @Command(description = "Measures a Flink stream into a table, and lookups meanwhile.")
  int sink(
      @Parameters(paramLabel = "DIRECTORY") Path data,
      @Parameters(paramLabel = "ROWS") long rows,
      @Parameters(paramLabel = "ROUNDS") int turns,
      @Parameters(
              paramLabel = "CONTENDER",
              arity = "0..*",
              defaultValue = "bsdb",
              description = "bsdb unless given; also paimon, or the options of a table")
          List<String> contenders)
      throws Exception {
    return finish(data, new SinkBench(data.toAbsolutePath(), rows, rows, turns, contenders).run());
  }

  @Command(description = "Measures lookup joins in Flink by the share of absent keys.")
  int absent(
      @Parameters(paramLabel = "DIRECTORY") Path data,
      @Parameters(paramLabel = "ROWS") long rows,
      @Parameters(paramLabel = "EVENTS") long events,
      @Parameters(paramLabel = "ROUNDS") int turns,
      @Parameters(
              paramLabel = "CONTENDER",
              arity = "1..*",
              description = "bsdb, bsdb-disk, paimon, paimon-16m, or the options of a table")
          List<String> contenders)
      throws Exception {
    return finish(
        data, new SinkBench(data.toAbsolutePath(), rows, events, turns, contenders).absent());
  }

  @Command(description = "Joins late orders by a history and by Flink's temporal join.")
  int history(
      @Parameters(paramLabel = "DIRECTORY") Path data,
      @Parameters(
              paramLabel = "ITEMS",
              arity = "0..1",
              defaultValue = "100000",
              description = "With ten prices each")
          long items,
      @Parameters(paramLabel = "ORDERS", arity = "0..1", defaultValue = "300000") long orders,
      @Parameters(paramLabel = "ROUNDS", arity = "0..1", defaultValue = "1") int turns)
      throws Exception {
    return finish(data, HistoryBench.run(data, items, orders, turns));
  }

  @Command(description = "Compares the HTTP service with a constant answer and with Redis.")
  int http(
      @Parameters(paramLabel = "RECORDS", arity = "0..1", defaultValue = "1000000") int count,
      @Parameters(paramLabel = "SECONDS", arity = "0..1", defaultValue = "4") int seconds,
      @Parameters(paramLabel = "ROUNDS", arity = "0..1", defaultValue = "3") int turns)
      throws Exception {
    return finish(directory, HttpBench.run(count, seconds, turns));
  }

  /** Writes and prints the results of a part. */
  private int finish(Path data, List<Section> sections) throws IOException {
    Files.createDirectories(data);
    Results results = new Results(Machine.facts(), Map.of("command", commandLine), sections);
    Reports.write(results, data);
    Reports.print(results, data);
    return CommandLine.ExitCode.OK;
  }

  private boolean wants(String part) {
    boolean byDefault = !ON_DEMAND.contains(part) || (full && !part.equals("order"));
    return only.contains(part) || (PARTS.stream().noneMatch(only::contains) && byDefault);
  }

  @Override
  public Integer call() throws Exception {
    List<String> words = only.stream().filter(word -> !PARTS.contains(word)).toList();
    List<Peer> peers = Peers.named(words.isEmpty() && !isLong() ? Peers.QUICK : words);
    List<Peer> ordered = Peers.named(words.isEmpty() ? Peers.ORDERED : words);
    for (String word : words) {
      check(word);
    }
    List<Long> counts = counts();
    long largest = counts.stream().max(Long::compare).orElseThrow();
    directory = Files.createDirectories(directory.toAbsolutePath());
    results = new Results(Machine.facts(), parameters(counts), new ArrayList<>());
    if (!peers.isEmpty() && (wants("build") || wants("lookup") || wants("disk"))) {
      for (long count : counts) {
        Progress.step("%,d records", count);
        add(stores(builds(count), peers));
      }
    }
    if (!peers.isEmpty() && wants("disk")) {
      add(disk(builds(largest), peers));
    }
    for (long count : wants("order") ? counts : List.<Long>of()) {
      add(compare(builds(count), Measure.ordered(), ordered));
    }
    if (wants("flink")) {
      add(flink(largest, words));
    }
    for (long count : wants("kafka-streams") ? counts : List.<Long>of()) {
      long events = isLong() ? 2_000_000 : 200_000;
      StreamsBench bench = new StreamsBench(new Workload(count), events, fewRounds());
      add(List.of(bench.run(directory.resolve("kafka-streams"))));
    }
    Reports.print(results, directory);
    return CommandLine.ExitCode.OK;
  }

  /**
   * Adds to what has been measured so far, and writes it, so that it stays should the rest fail.
   */
  private void add(List<Section> more) throws IOException {
    results.sections().addAll(more);
    Reports.write(results, directory);
  }

  /** Requires that a word names a store or a lookup, or a part of a name. */
  void check(String word) {
    List<String> stores = Peers.all().stream().map(Peer::name).toList();
    List<String> lookups = LookupBench.names();
    if (Stream.concat(stores.stream(), lookups.stream()).noneMatch(name -> name.contains(word))) {
      throw new CommandLine.ParameterException(
          new CommandLine(this),
          "--only: nothing has a name like %s; parts: %s; stores: %s; lookups in Flink: %s"
              .formatted(word, PARTS, stores, lookups));
    }
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

  /** Returns how often what takes long is measured. */
  private int fewRounds() {
    return rounds > 0 ? rounds : 3;
  }

  private int queries() {
    return isLong() ? 1 << 16 : 1 << 14;
  }

  private Builds builds(long count) throws IOException {
    return Builds.of(directory, data, count, buildHeap);
  }

  private List<Section> compare(Builds builds, List<Measure> measures, List<Peer> peers)
      throws Exception {
    return new Comparison(builds, measures, rounds(), queries()).run(peers, discard);
  }

  private List<Section> stores(Builds builds, List<Peer> peers) throws Exception {
    if (wants("lookup")) {
      return compare(builds, Measure.lookups(), peers);
    }
    return List.of(wants("build") ? builds.rounds(peers, fewRounds()) : builds.missing(peers));
  }

  private List<Section> disk(Builds builds, List<Peer> peers) throws Exception {
    Map<String, Path> tables = new LinkedHashMap<>();
    for (Peer peer : peers) {
      if (DISK_TABLES.contains(peer.name()) && builds.isBuilt(peer)) {
        tables.put(peer.name(), builds.directory(peer));
      }
    }
    DiskBound bound = new DiskBound(isLong() ? 3 : 1, isLong() ? 5 : 3);
    return tables.isEmpty() ? List.of() : List.of(bound.run(builds.records().workload(), tables));
  }

  /**
   * Runs the Flink part in a process of its own: what ran before has compiled the reader's code for
   * other lookups.
   */
  private List<Section> flink(long count, List<String> words) throws Exception {
    return JavaProcess.call(
        new TypeReference<>() {},
        List.of(),
        new LookupBench(
            directory.resolve("flink"),
            count,
            isLong() ? 10_000_000 : 400_000,
            isLong() ? 500_000 : 50_000,
            fewRounds(),
            words));
  }

  private Map<String, String> parameters(List<Long> counts) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("command", commandLine);
    parameters.put("records", counts.toString());
    parameters.put("data", data);
    parameters.put("queries", "made in advance, 90 % present, each answer checked, values copied");
    parameters.put("rounds", "%d, of %,d queries each".formatted(rounds(), queries()));
    parameters.put("heap of builds", buildHeap);
    return parameters;
  }
}
