package io.bsdb.cli.build;

import io.bsdb.cli.build.InputBuild.Reading;
import io.bsdb.cli.input.BadLines;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.Report;
import io.bsdb.cli.read.VerifyCommand;
import io.bsdb.cli.table.TableCommand;
import io.bsdb.cli.table.VersionText;
import io.bsdb.reload.Publish;
import io.bsdb.reload.ReloadReport;
import io.bsdb.reload.TableReload;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
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
      "With --history the rows are those of a history: the last column of --key is the time from"
          + " which a row is valid. A BOOLEAN column 'ended', as 'bsdb scan --history' prints it, is"
          + " none of the table, and shows which rows are ended.",
      "",
      "If anything is wrong with an input, the snapshot in service stays in service. So it does if"
          + " the inputs hold no record at all, unless --min-rows 0 allows that.",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb build --table places --input places.txt.zst --separator '\\t'",
      "  bsdb build --table cities --input cities500.csv.gz \\",
      "      --format csv --key geoname_id",
      "  bsdb build --table cities --key id \\",
      "      --query \"SELECT id, name FROM 'x/*.parquet'\"",
      "  bsdb build --table cities --engine flink --sql cities.sql --key id",
      "  sort -u names.txt | bsdb build --table names --input - --property owner=ops"
    })
public final class BuildCommand extends TableCommand {
  @Mixin private InputBuild build;
  @Mixin private FlinkBuild flink;

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
    long started = System.nanoTime();
    BadLines badLines = build.records.badLines(console);
    requireOneWay();
    ReloadReport reload =
        flink.isWanted()
            ? new ReloadReport(buildInFlink(), 0, null)
            : build.run(
                table.directory(),
                this::begin,
                verifyInput ? Reading.TO_VERIFY : Reading.ONCE,
                badLines,
                console);
    Manifest manifest = reload.manifest();
    if (badLines.count() > 0) {
      console.say("skipped %,d lines that are not records", badLines.count());
    }
    if (verify && manifest != null) {
      verify(manifest);
    }
    double seconds = (System.nanoTime() - started) / 1e9;
    Report report = new Report();
    InputBuild.report(reload, report, console);
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

  /**
   * Checks that options do not contradict each other.
   *
   * @throws CommandFailure if they do
   */
  private void requireOneWay() throws IOException {
    if (dryRun && (verify || verifyInput)) {
      throw CommandFailure.usage("--dry-run builds nothing: no --verify and no --verify-input");
    }
    if (verifyInput && build.writer.hasRetention()) {
      throw CommandFailure.usage(
          "--verify-input compares all rows, and --history with an age drops some: leave one out");
    }
    if (verifyInput && keepChangesAfter != null) {
      throw CommandFailure.usage(
          "--verify-input compares all rows, and --keep-changes-after lets others differ: leave one"
              + " out");
    }
    if (flink.isWanted()
        && (dryRun || keepChangesAfter != null || build.publish(Publish.ALL) != Publish.ALL)) {
      throw CommandFailure.usage(
          "--engine flink publishes all rows: no --publish, no --dry-run, no --keep-changes-after");
    }
    if (keepChangesAfter != null) {
      var unused = table.open().manifest(keepChangesAfter); // or it is no version
    }
  }

  private Manifest buildInFlink() throws IOException {
    if (build.input.isGiven() || build.records.hasQueryOrAddresses() || verifyInput) {
      throw CommandFailure.usage(
          "--engine flink reads what --sql selects: no --query, --ip, --verify-input, --input or"
              + " options of inputs");
    }
    return flink.build(
        table.directory(), build.records.key(), build.writer.toOptions().build(), console);
  }

  private TableReload begin(WriterOptions options) throws IOException {
    Path directory = table.directory();
    String after = keepChangesAfter;
    if (dryRun) {
      return after == null
          ? TableReload.dryRun(directory, options)
          : TableReload.dryRunAsOf(after, directory, options);
    }
    Publish publish = build.publish(Publish.ALL);
    return after == null
        ? TableReload.begin(directory, options, publish)
        : TableReload.beginAsOf(after, directory, options, publish);
  }

  /** Verifies what was built, whatever has been put in service since. */
  private void verify(Manifest built) throws IOException {
    try {
      VerifyCommand.verify(InputBuild.directory(table.directory(), built), console);
    } catch (IOException e) {
      throw new IOException(
          InputBuild.inServiceBut("does not verify", e, built, table.directory()), e);
    }
  }
}
