package io.bsdb.cli.build;

import io.bsdb.cli.input.BadLines;
import io.bsdb.cli.input.InputArguments;
import io.bsdb.cli.input.Inputs;
import io.bsdb.cli.input.RecordFormat;
import io.bsdb.cli.input.RowSource.LateColumnException;
import io.bsdb.cli.input.RowSource.Sampling;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.Progress;
import io.bsdb.cli.output.Report;
import io.bsdb.cli.read.VerifyCommand;
import io.bsdb.cli.table.Interruption;
import io.bsdb.cli.table.TableCommand;
import io.bsdb.cli.table.VersionText;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reload.Publish;
import io.bsdb.reload.ReloadReport;
import io.bsdb.reload.TableReload;
import io.bsdb.row.Schema;
import io.bsdb.table.Manifest;
import io.bsdb.writer.DuplicateKeyException;
import io.bsdb.writer.TooFewRowsException;
import io.bsdb.writer.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Builds a snapshot of files and puts it in service. */
@Command(
    name = "build",
    header = "Builds a snapshot of the inputs and puts it in service.",
    description = {
      "",
      "By default, or with --format text, an input has one record per line: the key, a separator,"
          + " the value. The first separator of a line counts, so a value may contain it. Lines end"
          + " with LF, or with CR LF if the first line does. Nothing else is interpreted: any bytes"
          + " are kept.",
      "",
      "With --format csv or jsonl a record is a row: a table with a schema. --key names the key's"
          + " columns; all others become the value. A CSV file begins with a header line, unless"
          + " there is --no-header; an empty field is NULL, or the empty text in a text column."
          + " JSON lines have one object each. With --format parquet, --query or --engine flink,"
          + " the schema is that of the files, the query or the SELECT.",
      "",
      "If anything is wrong with an input, the snapshot in service stays in service. So it does if"
          + " the inputs hold no record at all, unless --min-rows 0 allows that.",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb build --table places --input places.txt.zst --separator '\\t'",
      "  bsdb build --table cities --input cities500.csv.gz --format csv --key geoname_id",
      "  bsdb build --table cities --query \"SELECT id, name FROM 'x/*.parquet'\" --key id",
      "  bsdb build --table cities --engine flink --sql cities.sql --key id",
      "  sort -u names.txt | bsdb build --table names --input - --property owner=ops"
    })
public final class BuildCommand extends TableCommand {
  @Mixin private InputArguments input;
  @Mixin private RecordArguments records;
  @Mixin private FlinkBuild flink;
  @Mixin private WriterArguments writer;

  @Option(
      names = "--keep-changes-after",
      paramLabel = "VERSION",
      description = {
        "Keep the changes that were published after VERSION, and let them apply to what is built:"
            + " for inputs that have all changes up to it. With --publish changes, keys that changed"
            + " after it stay as they are.",
        "Default: a build replaces all changes, and is refused if some were published since it"
            + " began, or if a stream is written into the table; --publish changes is refused if"
            + " anything was published since it began."
      })
  private @Nullable String keepChangesAfter;

  @Option(
      names = "--publish",
      paramLabel = "all|changes|auto",
      description = {
        "The inputs are the whole table. all: publish all rows (default). changes: compare them with"
            + " the version in service, and publish the rows that differ as changes; rows that the"
            + " inputs do not have are deleted. auto: the same if at most a quarter of the rows differ"
            + " and the table was built with the same options, else all rows."
      })
  private Publish publish = Publish.ALL;

  @Option(
      names = "--dry-run",
      description =
          "Compare the inputs with the version in service, print how many rows differ, and publish"
              + " nothing.")
  private boolean dryRun;

  @Option(names = "--verify", description = "Read the whole snapshot back once it is built.")
  private boolean verify;

  @Option(
      names = "--verify-input",
      description =
          "Read the inputs again once the snapshot is built, and compare every record with it. A"
              + " query is run again; it must give the same rows.")
  private boolean verifyInput;

  @Option(names = "--json", description = "Print what was built as JSON.")
  private boolean json;

  public BuildCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    WriterOptions.Builder builder = writer.toOptions();
    long started = System.nanoTime();
    BadLines badLines = records.badLines(console);
    requireOneWay();
    ReloadReport reload =
        flink.isWanted()
            ? new ReloadReport(buildInFlink(builder.build()), 0, null)
            : buildHere(builder, badLines);
    Manifest manifest = reload.manifest();
    if (badLines.count() > 0) {
      console.say("skipped %,d lines that are not records", badLines.count());
    }
    if (verify && manifest != null) {
      verify(manifest);
    }
    double seconds = (System.nanoTime() - started) / 1e9;
    Report report = new Report();
    if (reload.difference() != null) {
      report(reload.read(), reload.difference(), report);
    }
    String inService = "nothing was published";
    if (manifest != null) {
      inService = manifest.version() + " is in service";
      console.say("%s: %s, %.1f s", inService, VersionText.of(manifest), seconds);
      report.add("version", manifest.version());
      report.add("records", manifest.recordCount());
      report.add("bytes", manifest.length());
    }
    report.add("skipped", badLines.count());
    console.answer(json ? report.json() : report.line(), inService + " all the same");
    return ExitStatus.OK;
  }

  private void report(long read, ReloadReport.Difference difference, Report report) {
    console.say(
        "compared with %s: %,d rows are the same, %,d new, %,d changed, %,d deleted; %,d bytes differ",
        difference.version(),
        difference.same(),
        difference.added(),
        difference.changed(),
        difference.deleted(),
        difference.bytes());
    report.add("compared", difference.version());
    report.add("read", read);
    report.add("same", difference.same());
    report.add("added", difference.added());
    report.add("changed", difference.changed());
    report.add("deleted", difference.deleted());
    report.add("differingBytes", difference.bytes());
  }

  /**
   * Checks that options do not contradict each other.
   *
   * @throws CommandFailure if they do
   */
  private void requireOneWay() throws IOException {
    if (dryRun && (verify || verifyInput)) {
      throw CommandFailure.usage("--dry-run builds nothing: no --verify and no --verify-input");
    }
    if (flink.isWanted() && (dryRun || keepChangesAfter != null || publish != Publish.ALL)) {
      throw CommandFailure.usage(
          "--engine flink publishes all rows: no --publish, no --dry-run, no --keep-changes-after");
    }
    if (keepChangesAfter != null) {
      var unused = table.open().manifest(keepChangesAfter); // or it is no version
    }
  }

  private Manifest buildInFlink(WriterOptions options) throws IOException {
    if (input.isGiven() || records.hasQueryOrAddresses() || verifyInput) {
      throw CommandFailure.usage(
          "--engine flink reads what --sql says: no --query, --ip, --verify-input, --input or"
              + " options of inputs");
    }
    return flink.build(table.directory(), records.key(), options, console);
  }

  private ReloadReport buildHere(WriterOptions.Builder builder, BadLines badLines)
      throws IOException {
    Inputs inputs = records.inputs(input, console);
    if (verifyInput && !inputs.canBeReadAgain()) {
      throw CommandFailure.usage("--verify-input needs inputs that can be read twice");
    }
    try {
      return build(inputs, Sampling.FIRST_ROWS, builder, badLines);
    } catch (LateColumnException e) {
      console.say("%s; reading all rows to find the columns", e.getMessage());
      badLines.restart();
      return build(inputs, Sampling.ALL_ROWS, builder, badLines);
    }
  }

  private ReloadReport build(
      Inputs inputs, Sampling sampling, WriterOptions.Builder builder, BadLines badLines)
      throws IOException {
    RecordFormat format =
        records
            .format(input, inputs, badLines, builder.build(), sampling, console)
            .withKeyEncoding(writer.keyEncoding());
    Schema schema = format.schema();
    WriterOptions options = schema == null ? builder.build() : builder.schema(schema).build();
    ReloadReport report;
    try {
      report =
          Interruption.during(
              interruption -> build(inputs, format, badLines, options, interruption),
              table.directory(),
              console);
    } catch (DuplicateKeyException e) {
      throw duplicate(e, inputs, format);
    } catch (TooFewRowsException e) {
      throw CommandFailure.refused(
          e.getMessage()
              + switch (e.limit()) {
                case MIN_ROWS -> "; --min-rows allows fewer, and with 0 an empty table";
                case MAX_SHRINKAGE -> "; --max-shrinkage allows more to be missing";
              });
    }
    Manifest manifest = report.manifest();
    if (verifyInput && manifest != null) {
      try (SnapshotReader reader = SnapshotReader.open(directory(manifest))) {
        InputComparison.compare(inputs, format, options.duplicates(), reader, console);
      }
    }
    return report;
  }

  private TableReload begin(WriterOptions options) throws IOException {
    Path directory = table.directory();
    String after = keepChangesAfter;
    try {
      if (dryRun) {
        return after == null
            ? TableReload.dryRun(directory, options)
            : TableReload.dryRunAsOf(after, directory, options);
      }
      return after == null
          ? TableReload.begin(directory, options, publish)
          : TableReload.beginAsOf(after, directory, options, publish);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.refused(e.getMessage() + " (--publish all)");
    }
  }

  private ReloadReport build(
      Inputs inputs,
      RecordFormat format,
      BadLines badLines,
      WriterOptions options,
      Interruption interruption)
      throws IOException {
    try (TableReload reload = begin(options)) {
      try (Progress progress =
          Progress.start(console, "reading", inputs.length(), Progress.Unit.BYTES)) {
        AtomicLong records = progress.records();
        RecordFormat.Sink sink =
            (key, keyOffset, keyLength, value, valueOffset, valueLength, line) -> {
              interruption.check();
              reload.add(key, keyOffset, keyLength, value, valueOffset, valueLength);
              records.lazySet(records.getPlain() + 1);
            };
        inputs.read(format, progress.position(), sink, badLines);
      }
      try (Progress progress = Progress.start(console, "building", 0, Progress.Unit.PARTITIONS)) {
        reload.listener(
            (done, total, records) -> {
              progress.records().set(records);
              progress.position().set(done);
            });
        return reload.publish();
      }
    }
  }

  private Path directory(Manifest built) {
    return table.directory().resolve(SnapshotFormat.SNAPSHOTS_DIRECTORY).resolve(built.version());
  }

  /** Verifies what was built, whatever has been put in service since. */
  private void verify(Manifest built) throws IOException {
    String version = built.version();
    try {
      VerifyCommand.verify(directory(built), console);
    } catch (IOException e) {
      String parent = built.parent();
      throw new IOException(
          "%s was put in service, but does not verify: %s; %s"
              .formatted(
                  version,
                  e.getMessage(),
                  parent == null
                      ? "there is no version before it: build again"
                      : "go back with 'bsdb rollback --table %s %s'"
                          .formatted(table.directory(), parent)),
          e);
    }
  }

  private CommandFailure duplicate(DuplicateKeyException e, Inputs inputs, RecordFormat format)
      throws IOException {
    byte[] key = e.key();
    List<String> places = inputs.places(key, format, BadLines.ignored(console));
    String text = format.describe(key);
    return CommandFailure.refused(
        places.size() < 2
            ? "duplicate key '%s'; --duplicates first or last keeps one record of each"
                .formatted(text)
            : "duplicate key '%s': %s and %s; --duplicates first or last keeps one record of each"
                .formatted(text, places.get(0), places.get(1)));
  }
}
