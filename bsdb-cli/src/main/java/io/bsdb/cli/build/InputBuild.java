package io.bsdb.cli.build;

import io.bsdb.cli.input.BadLines;
import io.bsdb.cli.input.InputArguments;
import io.bsdb.cli.input.InputFile;
import io.bsdb.cli.input.Inputs;
import io.bsdb.cli.input.RecordFormat;
import io.bsdb.cli.input.RowSource.LateColumnException;
import io.bsdb.cli.input.RowSource.Sampling;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.FailureText;
import io.bsdb.cli.output.Progress;
import io.bsdb.cli.output.Report;
import io.bsdb.cli.table.Interruption;
import io.bsdb.format.Excerpt;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reload.Publish;
import io.bsdb.reload.ReloadReport;
import io.bsdb.reload.TableReload;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.DuplicateKeyException;
import io.bsdb.writer.TooFewRowsException;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Reads the inputs that the command line names into a table; may be run many times. */
final class InputBuild {
  @Mixin InputArguments input;
  @Mixin RecordArguments records;
  @Mixin WriterArguments writer;

  @Option(
      names = "--publish",
      paramLabel = "all|changes|auto",
      description = {
        "The inputs are the whole table. all: publish all rows (default of build). changes: compare"
            + " them with the version in service, and publish the rows that differ as changes; rows"
            + " that the inputs do not have are deleted. auto (default of mirror): the same if at"
            + " most a quarter of the rows differ and the table was built with the same options,"
            + " else all rows."
      })
  private @Nullable Publish publish;

  /** Begins a reload of a table. */
  interface Begin {
    TableReload begin(WriterOptions options) throws IOException;
  }

  /** How often the inputs are read. */
  enum Reading {
    ONCE,
    /** Twice, to compare them with the version that was built. */
    TO_VERIFY,
    /** Again and again, by further runs. */
    AGAIN_LATER
  }

  /** Returns which rows to publish. */
  Publish publish(Publish byDefault) {
    return Objects.requireNonNullElse(publish, byDefault);
  }

  /**
   * Reads the inputs into a table.
   *
   * @throws CommandFailure if an input is refused
   */
  ReloadReport run(Path table, Begin begin, Reading reading, BadLines badLines, Console console)
      throws IOException {
    Inputs inputs = records.inputs(input, console);
    if (reading != Reading.ONCE && !inputs.canBeReadAgain()) {
      throw CommandFailure.usage(
          reading == Reading.TO_VERIFY
              ? "--verify-input needs inputs that can be read twice"
              : "a mirror reads its inputs again and again: no pipe, and not standard input");
    }
    if (reading != Reading.AGAIN_LATER && inputs.files().size() > 1) {
      console.say(
          "reading %s",
          inputs.files().stream().map(InputFile::name).collect(Collectors.joining(", ")));
    }
    Run run = new Run(this, table, begin, reading, inputs, badLines, console);
    try {
      return run.build(Sampling.FIRST_ROWS);
    } catch (LateColumnException e) {
      console.say("%s; reading all rows to find the columns", e.getMessage());
      badLines.restart();
      return run.build(Sampling.ALL_ROWS);
    }
  }

  /** Adds the differences that a reload found to a report, and prints them for people. */
  static void report(ReloadReport reload, Report report, Console console) {
    ReloadReport.Difference difference = reload.difference();
    if (difference == null) {
      return;
    }
    console.say(
        "compared with %s: %,d rows are the same, %,d new, %,d changed, %,d deleted; %,d bytes differ",
        difference.version(),
        difference.same(),
        difference.added(),
        difference.changed(),
        difference.deleted(),
        difference.bytes());
    report.add("compared", difference.version());
    report.add("read", reload.read());
    report.add("same", difference.same());
    report.add("added", difference.added());
    report.add("changed", difference.changed());
    report.add("deleted", difference.deleted());
    report.add("differingBytes", difference.bytes());
  }

  /** One reading of the inputs. */
  private record Run(
      InputBuild arguments,
      Path table,
      Begin begin,
      Reading reading,
      Inputs inputs,
      BadLines badLines,
      Console console) {
    ReloadReport build(Sampling sampling) throws IOException {
      WriterOptions.Builder builder = arguments.writer.toOptions();
      WriterOptions given = builder.build();
      RecordFormat format =
          arguments
              .records
              .format(arguments.input, inputs, badLines, given, sampling, console)
              .withKeyEncoding(
                  given.order() == RecordOrder.KEY ? KeyEncoding.ORDERED : KeyEncoding.PLAIN);
      Schema schema = format.schema();
      WriterOptions options = schema == null ? given : builder.schema(schema).build();
      if (schema == null && options.validity() != null) {
        throw CommandFailure.usage(
            "--history is for rows with a key that ends in a time: --format csv, jsonl or parquet, or --query");
      }
      ReloadReport report;
      try {
        report =
            Interruption.during(
                interruption -> build(format, options, interruption), table, console);
      } catch (DuplicateKeyException e) {
        throw duplicate(e, format);
      } catch (TooFewRowsException e) {
        throw CommandFailure.refused(
            e.getMessage()
                + switch (e.limit()) {
                  case MIN_ROWS -> "; --min-rows allows fewer, and with 0 an empty table";
                  case MAX_SHRINKAGE -> "; --max-shrinkage allows more to be missing";
                });
      }
      Manifest manifest = report.manifest();
      if (reading == Reading.TO_VERIFY && manifest != null) {
        try (SnapshotReader reader = SnapshotReader.open(directory(table, manifest))) {
          Interruption.during(
              interruption -> {
                new InputComparison(
                        inputs, format, options.duplicates(), reader, interruption, console)
                    .compare();
                return manifest;
              },
              table,
              console);
        } catch (InterruptedIOException e) {
          throw e;
        } catch (CommandFailure e) {
          throw CommandFailure.refused(inServiceBut("differs from the input", e, manifest, table));
        } catch (IOException e) {
          throw new IOException(
              inServiceBut("could not be compared with the input", e, manifest, table), e);
        }
      }
      return report;
    }

    private ReloadReport build(
        RecordFormat format, WriterOptions options, Interruption interruption) throws IOException {
      try (TableReload reload = begin(options)) {
        try (Progress progress =
            Progress.start(console, "reading", inputs.length(), Progress.Unit.BYTES)) {
          AtomicLong read = progress.records();
          RecordFormat.Sink sink =
              (key, keyOffset, keyLength, value, valueOffset, valueLength, line) -> {
                interruption.check();
                reload.add(key, keyOffset, keyLength, value, valueOffset, valueLength);
                read.lazySet(read.getPlain() + 1);
              };
          inputs.read(format, progress.position(), sink, badLines);
        }
        try (Progress progress = Progress.start(console, "building", 0, Progress.Unit.PARTITIONS)) {
          reload.listener(
              (done, total, built) -> {
                progress.records().set(built);
                progress.position().set(done);
              });
          return reload.publish();
        }
      }
    }

    private TableReload begin(WriterOptions options) throws IOException {
      try {
        return begin.begin(options);
      } catch (IllegalArgumentException e) {
        throw CommandFailure.refused(e.getMessage() + " (--publish all)");
      }
    }

    private CommandFailure duplicate(DuplicateKeyException e, RecordFormat format)
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

  /** Describes why a version should not be in service, and what to do. */
  static String inServiceBut(String what, Exception why, Manifest built, Path table) {
    String parent = built.parent();
    return "%s was put in service, but %s: %s; %s"
        .formatted(
            built.version(),
            what,
            FailureText.of(why),
            parent == null
                ? "there is no version before it: build again"
                : "go back: bsdb rollback --table %s %s"
                    .formatted(Excerpt.shellWord(table), parent));
  }

  /** Returns the directory of a version. */
  static Path directory(Path table, Manifest built) {
    return table.resolve(SnapshotFormat.SNAPSHOTS_DIRECTORY).resolve(built.version());
  }
}
