package io.bsdb.cli;

import io.bsdb.reader.Access;
import io.bsdb.reader.AsyncSnapshotReader;
import io.bsdb.reader.ReaderMetrics;
import io.bsdb.reader.ReaderOptions;
import io.bsdb.reader.SignatureUse;
import io.bsdb.reader.SnapshotReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures lookups in a table. */
@Command(
    name = "bench",
    sortOptions = false,
    abbreviateSynopsis = true,
    header = "Measures lookups in the snapshot in service: throughput, latency, reads.",
    description = {
      "",
      "Looks up records of the table, drawn at random from all of it, and then random keys that it"
          + " does not have; or the keys of a file, in its order. All keys are looked up once"
          + " before, in the same way: that checks the answers in full, and fills the page cache"
          + " where it is used. With direct reads that ends after --seconds. Of answers that are"
          + " measured, the length and some bytes are checked. What the keys of a file should find"
          + " is not known, so that is not checked.",
      "",
      "To compare bsdb with other stores on this machine: benchmarks/run --help",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb bench --table places",
      "  bsdb bench --table places --threads 4 --batch 64",
      "  bsdb bench --table places --access io_uring --async --keys ids.txt --json"
    })
final class BenchCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private TableArgument table;

  @Option(
      names = "--keys",
      paramLabel = "FILE",
      description =
          "Keys to look up, one per line, written as for 'get'; the first 1,048,576 of them. They"
              + " are asked for in the order of FILE, again and again; each thread begins at another"
              + " place. Default: as many of the table's own, in random order.")
  private @Nullable Path keysFile;

  @Option(
      names = "--encoding",
      paramLabel = "ENCODING",
      description =
          "How keys are written in FILE, if the table has no schema: utf8, hex or base64. Default:"
              + " utf8.")
  private @Nullable Encoding encoding;

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
      names = "--cache",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description = "Size of the block cache. Default: none.")
  private @Nullable ByteSize cache;

  @Option(
      names = "--signatures",
      paramLabel = "USE",
      description =
          "Whether to compare signatures before looking for records: auto or always. Default: auto,"
              + " which is where it saves a read or a decompression.")
  private SignatureUse signatures = SignatureUse.AUTO;

  @Option(names = "--batch", paramLabel = "N", description = "Keys per call, with 'getAll'.")
  private int batch = 1;

  @Option(
      names = "--async",
      description = "Ask for futures, and have --in-flight of them under way.")
  private boolean async;

  @Option(
      names = "--in-flight",
      paramLabel = "N",
      description = "With --async: of all threads together, 1 to 4096. Default: 128.")
  private int inFlight = 128;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long to measure each kind of key. Default: 5.")
  private double seconds = 5;

  @Option(names = "--json", description = "Print everything as JSON.")
  private boolean json;

  BenchCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    check();
    ReaderOptions options =
        ReaderOptions.builder()
            .access(mode())
            .blockCacheBytes(cache == null ? 0 : cache.bytes())
            .queueDepth(inFlight)
            .signatures(signatures)
            .build();
    Path snapshot = SnapshotDirectory.of(table.directory()); // one version, whatever is published
    try (SnapshotReader reader = SnapshotReader.open(snapshot, options)) {
      List<BenchReport.Measured> all = measure(reader, lookups(reader));
      String effective = reader.metrics().effectiveAccess(); // known once there were lookups
      BenchReport report = new BenchReport(snapshot, reader.manifest(), effective, load(), all);
      console.out().write((json ? report.json() : report.text()).getBytes(StandardCharsets.UTF_8));
    }
    return ExitStatus.OK;
  }

  private Lookups.Factory lookups(SnapshotReader reader) {
    if (async) {
      AsyncSnapshotReader futures = reader.async(); // closed with its sibling
      return keys -> Lookups.futures(futures, keys, Math.max(1, inFlight / threads));
    }
    return batch > 1
        ? keys -> Lookups.batches(reader, keys, batch)
        : keys -> Lookups.single(reader, keys);
  }

  private Access mode() {
    return access != null ? access : async ? Access.DIRECT : Access.MAPPED;
  }

  private boolean readsFromDisk() {
    return mode() == Access.DIRECT || mode() == Access.IO_URING;
  }

  private BenchReport.Load load() {
    return new BenchReport.Load(threads, batch, async ? inFlight : 0, seconds);
  }

  private void check() {
    if (threads < 1 || batch < 1 || inFlight < 1 || !(seconds > 0)) {
      throw CommandFailure.usage("--threads, --batch, --in-flight and --seconds must be above 0");
    }
    if (async && batch > 1) {
      throw CommandFailure.usage("--async and --batch exclude each other");
    }
    if (encoding != null && keysFile == null) {
      throw CommandFailure.usage("--encoding says how the keys of --keys are written");
    }
  }

  private List<BenchReport.Measured> measure(SnapshotReader reader, Lookups.Factory lookups)
      throws IOException {
    if (keysFile != null) {
      RecordText text = RecordText.of(reader.manifest().schema(), encoding);
      return List.of(measure("file", LookupKeys.ofFile(keysFile, text), reader, lookups));
    }
    List<BenchReport.Measured> all = new ArrayList<>();
    console.say("drawing keys from the table");
    LookupKeys present = LookupKeys.ofTable(reader);
    all.add(measure("present", present, reader, lookups));
    LookupKeys absent = present.absent(reader);
    if (absent == null) {
      console.say("absent keys are not measured: nearly every key as long as the table's is in it");
    } else {
      all.add(measure("absent", absent, reader, lookups));
    }
    return all;
  }

  private BenchReport.Measured measure(
      String what, LookupKeys keys, SnapshotReader reader, Lookups.Factory lookups)
      throws IOException {
    console.say("looking keys up once: %s", what);
    LookupLoad load = new LookupLoad(lookups, keys, threads);
    // Past the page cache there is nothing to fill, and a million reads would take minutes.
    double firstNanos = load.check(readsFromDisk() ? seconds : Double.POSITIVE_INFINITY);
    console.say("measuring for %s s", seconds);
    ReaderMetrics metrics = reader.metrics();
    long before = metrics.lookups();
    long hits = metrics.hits();
    long reads = metrics.blockReads();
    long bytes = metrics.bytesRead();
    LookupLoad.Outcome outcome = load.run(seconds);
    double count = metrics.lookups() - before;
    return new BenchReport.Measured(
        what,
        keys.size(),
        firstNanos,
        outcome,
        (metrics.hits() - hits) / count,
        (metrics.blockReads() - reads) / count,
        (metrics.bytesRead() - bytes) / count);
  }
}
