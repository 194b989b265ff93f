package io.bsdb.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.bsdb.benchmarks.Results.Size;
import io.bsdb.benchmarks.peers.BuildProcess;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Peers;
import io.bsdb.reader.Access;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Compares bsdb with its peers, or measures a table of the user's own. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Compares bsdb with other embedded stores, or measures a table of yours.")
public final class Bench implements Callable<Integer> {
  private static final List<String> DISK_FILES =
      List.of("bsdb-blocked", "bsdb-compressed", "bsdb-compressed-pages");

  @Option(names = "--quick", description = "1,000,000 records, 7 rounds: a few minutes")
  private boolean quick;

  @Option(names = "--full", description = "10^5, 10^6 and 10^7 records, 15 rounds")
  private boolean full;

  @Option(
      names = "--records",
      split = ",",
      paramLabel = "N",
      description = "record counts, for example 100000,1000000")
  private List<Long> records = List.of();

  @Option(names = "--rounds", paramLabel = "N", description = "of each measurement")
  private int rounds;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "WORD",
      description = "peers of this name, or whose names contain this")
  private List<String> only = List.of();

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      defaultValue = "bench-data",
      description =
          "for data and reports; default: ${DEFAULT-VALUE}. Builds found there are reused")
  private Path directory = Path.of("bench-data");

  @Option(
      names = "--build-heap",
      paramLabel = "SIZE",
      defaultValue = "2g",
      description = "heap of the processes that build; default: ${DEFAULT-VALUE}")
  private String buildHeap = "2g";

  @Option(names = "--no-disk", description = "leave reads past the page cache out")
  private boolean noDisk;

  @Option(names = "--table", paramLabel = "DIR", description = "measure this table instead")
  private @Nullable Path table;

  @Option(
      names = "--keys",
      paramLabel = "FILE",
      description = "with --table: one key per line; default: keys of the table")
  private @Nullable Path keys;

  @Option(names = "--threads", paramLabel = "N", description = "with --table; default: 1")
  private int threads = 1;

  @Option(
      names = "--access",
      paramLabel = "MODE",
      description = "with --table: mapped, resident, direct or io_uring; default: mapped")
  private String access = "mapped";

  @Option(names = "--async", description = "with --table: futures, 128 under way")
  private boolean async;

  private Bench() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Bench()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    if (table != null) {
      Access mode = Access.valueOf(access.toUpperCase(Locale.ROOT).replace('-', '_'));
      new TableBench(table, keys, mode, threads, async, rounds > 0 ? rounds : 5).run();
      return 0;
    }
    List<Long> counts = records;
    if (counts.isEmpty()) {
      counts = full ? List.of(100_000L, 1_000_000L, 10_000_000L) : List.of(1_000_000L);
    }
    int turns = rounds > 0 ? rounds : full && !quick ? 15 : 7;
    Files.createDirectories(directory);
    Path data = directory.toAbsolutePath();
    Map<String, String> machine = Machine.facts();
    List<Peer> peers = Peers.named(only);
    List<Size> sizes = new ArrayList<>();
    for (long count : counts) {
      sizes.add(new Comparison(data, turns, buildHeap).run(new Workload(count), peers));
      // What has been measured stays, should the rest fail.
      write(new Results(machine, parameters(counts, turns), sizes, List.of()), data);
    }
    Workload largest = new Workload(counts.stream().max(Long::compare).orElseThrow());
    List<Results.DiskResult> disk = noDisk ? List.of() : disk(data, largest, peers, turns);
    Results results = new Results(machine, parameters(counts, turns), sizes, disk);
    System.out.print(TextReport.of(results));
    write(results, data);
    System.out.printf(Locale.ROOT, "%nWritten to %s: results.json, report.html%n", data);
    return 0;
  }

  private List<Results.DiskResult> disk(Path data, Workload workload, List<Peer> peers, int turns)
      throws Exception {
    Map<String, Path> tables = new LinkedHashMap<>();
    RecordFile source = RecordFile.of(data, workload);
    for (Peer peer : peers) {
      if (DISK_FILES.contains(peer.name())) {
        tables.put(peer.name(), BuildProcess.directory(peer, source, data));
      }
    }
    return tables.isEmpty()
        ? List.of()
        : new DiskBound(2, turns > 7 ? 3 : 2, 128).run(workload, tables);
  }

  private Map<String, String> parameters(List<Long> counts, int turns) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("records", counts.toString());
    parameters.put("key and value", "16 hexadecimal digits; 100 bytes, semi-compressible");
    parameters.put(
        "queries", "2^20 made in advance, 90 % present, each answer checked, values copied");
    parameters.put("rounds", turns + ", a sixteenth of the queries each, peers in turn");
    parameters.put("heap of builds", buildHeap);
    return parameters;
  }

  private static void write(Results results, Path data) throws Exception {
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(data.resolve("results.json").toFile(), results);
    Files.writeString(data.resolve("report.html"), HtmlReport.of(results));
  }
}
