package io.bsdb.cli.change;

import io.bsdb.cli.output.Age;
import io.bsdb.cli.output.ByteSize;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.Report;
import io.bsdb.cli.table.Interruption;
import io.bsdb.cli.table.TableCommand;
import io.bsdb.cli.table.VersionText;
import io.bsdb.compact.Compactor;
import io.bsdb.format.Figures;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Compacts the changes of a table. */
@Command(
    name = "compact",
    header = "Folds changes into new partition files, and merges segments.",
    description = {
      "",
      "Partitions with many changes are folded: rewritten with their changes in them. The changes"
          + " of the others are merged into one segment if they lie in many. Lookups find the same"
          + " before and after. Changes that are published meanwhile are kept; if the table is"
          + " rebuilt meanwhile, nothing is published.",
      "",
      "In a table with a history, rows that are no longer kept are dropped from all partitions"
          + " whenever a tenth of the time for which they are kept has passed.",
      "",
      "Files that only older versions use stay until 'prune' deletes those versions.",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {"  bsdb compact --table cities", "  bsdb compact --table cities --all --rate 50M"})
public final class CompactCommand extends TableCommand {
  @Option(names = "--all", description = "Fold every partition that has changes.")
  private boolean all;

  @Option(
      names = "--fold-fraction",
      paramLabel = "FRACTION",
      description =
          "Fold a partition if its changed keys are at least this fraction of its records. Default:"
              + " "
              + Compactor.FOLD_FRACTION
              + ".")
  private @Nullable Double foldFraction;

  @Option(
      names = "--max-segments",
      paramLabel = "COUNT",
      description =
          "Merge the segments that stay if there are more than so many. Default: "
              + Compactor.MAX_SEGMENTS
              + ".")
  private int maxSegments = Compactor.MAX_SEGMENTS;

  @Option(
      names = "--keep-history",
      paramLabel = "AGE",
      converter = Age.class,
      description =
          "Keep folded segments until they are so old, for builds with --keep-changes-after."
              + " Default: 1d.")
  private Duration keepHistory = Compactor.KEEP_HISTORY;

  @Option(
      names = "--rate",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description = "Maximum bytes of keys and values to rewrite per second. Default: no limit.")
  private @Nullable ByteSize rate;

  @Option(names = "--json", description = "Print what was done as JSON.")
  private boolean json;

  public CompactCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    table.open().requireCurrentVersion();
    Compactor compactor =
        new Compactor(table.directory()).maxSegments(maxSegments).keepHistory(keepHistory);
    if (all && foldFraction != null) {
      throw CommandFailure.usage("--all and --fold-fraction exclude each other");
    }
    if (all) {
      compactor.foldFraction(0);
    } else if (foldFraction != null) {
      compactor.foldFraction(foldFraction);
    }
    if (rate != null) {
      compactor.maxBytesPerSecond(rate.bytes());
    }
    Compactor.Result result =
        Interruption.during(interruption -> compactor.run(), table.directory(), console);
    answer(result);
    return ExitStatus.OK;
  }

  private void answer(Compactor.Result result) throws IOException {
    Manifest manifest = result.manifest();
    String version = manifest.version();
    if (result.foldedPartitions() + result.mergedSegments() == 0) {
      console.say(
          "nothing to compact: %s stays in service with %s", version, VersionText.of(manifest));
    } else {
      console.say(
          "%s is in service: folded %,d of %s, merged %s; it holds %s",
          version,
          result.foldedPartitions(),
          Figures.count(manifest.partitions().size(), "partition"),
          Figures.count(result.mergedSegments(), "segment"),
          VersionText.of(manifest));
    }
    Report report =
        new Report()
            .add("version", version)
            .add("foldedPartitions", result.foldedPartitions())
            .add("mergedSegments", result.mergedSegments())
            .add("segments", manifest.changes().segments().size());
    console.answer(json ? report.json() : report.line(), version + " is in service all the same");
  }
}
