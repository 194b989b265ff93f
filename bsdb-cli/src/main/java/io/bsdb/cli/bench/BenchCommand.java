package io.bsdb.cli.bench;

import io.bsdb.cli.output.ByteSize;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.RecordText;
import io.bsdb.cli.output.Report;
import io.bsdb.cli.table.MemoryArgument;
import io.bsdb.cli.table.SnapshotDirectory;
import io.bsdb.cli.table.TableCommand;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.metrics.ReaderMetrics;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.VersionFacts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures lookups in a table. */
@Command(
    name = "bench",
    header = "Measures lookups in the snapshot in service: throughput, latency, reads.",
    description = {
      "",
      "Tells how many lookups per second, and which latencies, this table gives on this machine"
          + " with this access mode, number of threads, share of absent keys, and number of keys"
          + " per call.",
      "",
      "Keys are those of records drawn at random from the whole table (of one of more than four"
          + " million rows, from its partition files), or the lines of a file. All are looked up"
          + " once before: that compares the values with those of a scan, and fills the page cache"
          + " where it is used (for at most --seconds with direct reads). One in 16 of the calls"
          + " that are measured is timed. Answers for the keys of a file are not checked.",
      "",
      "To compare bsdb with other stores on this machine: benchmarks/run --help",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb bench --table places",
      "  bsdb bench --table places --threads 4 --batch 64 --absent 10",
      "  bsdb bench --table places --access io_uring --async --keys ids.txt --json"
    })
public final class BenchCommand extends TableCommand {
  private static final List<String> PERCENTILES = List.of("50", "90", "99", "99.9");

  @Option(
      names = "--keys",
      paramLabel = "FILE",
      description =
          "Keys to look up, one per line, written as for 'get'; the first 1,048,576 of them, in the"
              + " order of FILE, again and again. Default: as many of the table's own, in random"
              + " order.")
  private @Nullable Path keysFile;

  @Option(
      names = "--absent",
      paramLabel = "PERCENT",
      description = "Share of keys that the table does not have, without --keys. Default: 0.")
  private int absentPercent;

  @Option(names = "--threads", paramLabel = "N", description = "Threads that ask. Default: 1.")
  private int threads = 1;

  @Option(
      names = "--access",
      paramLabel = "MODE",
      description =
          "How blocks are reached: mapped, resident, direct or io_uring. Default: mapped, direct"
              + " with --async.")
  private @Nullable Access access;

  @Option(
      names = "--block-cache",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description = "Size of the block cache. Default: none.")
  private @Nullable ByteSize cache;

  @Mixin private MemoryArgument memory;

  @Option(
      names = "--batch",
      paramLabel = "N",
      description = "Keys per call; not with --async. Default: 1.")
  private int batch = 1;

  @Option(
      names = "--async",
      description = "Ask for futures, and keep --in-flight of them in flight.")
  private boolean async;

  @Option(
      names = "--in-flight",
      paramLabel = "N",
      description =
          "With --async: lookups in flight, of all threads together; 1 to 4096. Default: 128.")
  private int inFlight = 128;

  @Option(names = "--seconds", paramLabel = "N", description = "How long to measure. Default: 5.")
  private double seconds = 5;

  @Option(names = "--json", description = "Print everything as JSON.")
  private boolean json;

  public BenchCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    check();
    Access mode = access != null ? access : async ? Access.DIRECT : Access.MAPPED;
    ReaderOptions options =
        ReaderOptions.builder()
            .access(mode)
            .blockCacheBytes(cache == null ? 0 : cache.bytes())
            .memory(memory.budget())
            .queueDepth(inFlight)
            .build();
    Path snapshot = SnapshotDirectory.of(table.directory()); // one version, whatever is published
    try (SnapshotReader reader = SnapshotReader.open(snapshot, options)) {
      LookupKeys keys = keys(reader);
      LookupLoad load = new LookupLoad(reader, keys, threads, batch, async ? inFlight : 0);
      console.say("looking %d keys up once", keys.size());
      // Past the page cache there is nothing to fill, and a million reads would take minutes.
      boolean reads = mode == Access.DIRECT || mode == Access.IO_URING;
      load.check(reads ? seconds : Double.POSITIVE_INFINITY);
      load.run(seconds / 4); // compiles the code
      console.say("measuring for %s s", seconds);
      ReaderMetrics metrics = reader.metrics();
      double before = metrics.lookups();
      long hits = metrics.hits();
      long blockReads = metrics.blockReads();
      long bytes = metrics.bytesRead();
      LookupLoad.Outcome outcome = load.run(seconds);
      double count = metrics.lookups() - before;
      Report report =
          new Report()
              .add("snapshot", snapshot.toString())
              .add("version", reader.manifest().version());
      Overlay changes = reader.changes();
      report
          .addAll(new VersionFacts(reader.manifest()).figures())
          .add("changedKeys", changes == null ? 0 : changes.changedKeys())
          .add("access", metrics.effectiveAccess())
          .add("threads", threads)
          .add("keysPerCall", batch)
          .add("futuresInFlight", async ? inFlight : 0)
          .add("distinctKeys", keys.size())
          .add("seconds", seconds)
          .add("lookups", outcome.lookups())
          .add("lookupsPerSecond", Math.round(outcome.perSecond()))
          .add("latencyNanos", latencies(outcome.latencies()).asMap())
          .add("foundShare", (metrics.hits() - hits) / count)
          .add("readsPerLookup", (metrics.blockReads() - blockReads) / count)
          .add("bytesReadPerLookup", (metrics.bytesRead() - bytes) / count);
      console.out().write((json ? report.json() : text(report)).getBytes(StandardCharsets.UTF_8));
    }
    return ExitStatus.OK;
  }

  private void check() {
    if (threads < 1 || batch < 1 || inFlight < 1 || !(seconds > 0)) {
      throw CommandFailure.usage("--threads, --batch, --in-flight and --seconds must be above 0");
    }
    if (absentPercent < 0 || absentPercent > 100) {
      throw CommandFailure.usage("--absent: expected 0 to 100, actual " + absentPercent);
    }
    if (async && batch > 1) {
      throw CommandFailure.usage("--async and --batch exclude each other");
    }
    if (absentPercent > 0 && keysFile != null) {
      throw CommandFailure.usage("--absent and --keys exclude each other");
    }
  }

  private LookupKeys keys(SnapshotReader reader) throws IOException {
    if (keysFile != null) {
      return LookupKeys.ofFile(keysFile, RecordText.of(reader.manifest().schema(), null));
    }
    console.say("drawing keys from the table");
    return LookupKeys.ofTable(reader, absentPercent, LookupKeys.MAXIMUM, console);
  }

  private static Report latencies(Histogram latencies) {
    Report report = new Report();
    for (String percentile : PERCENTILES) {
      double share = Double.parseDouble(percentile);
      report.add("p" + percentile, latencies.getValueAtPercentile(share));
    }
    return report.add("max", latencies.getMaxValue());
  }

  /** Formats one figure per line. */
  private static String text(Report report) {
    StringBuilder text = new StringBuilder();
    report
        .asMap()
        .forEach((name, figure) -> text.append("%-22s%s%n".formatted(name, text(figure))));
    return text + "\nlookupsPerSecond is for all threads, latencyNanos for a call.\n";
  }

  private static String text(@Nullable Object figure) {
    if (figure instanceof Double number) {
      return String.format(Locale.ROOT, "%.3f", number);
    }
    return figure instanceof Long number
        ? String.format(Locale.ROOT, "%,d", number)
        : figure == null ? "not counted" : figure.toString();
  }
}
