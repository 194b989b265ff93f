package io.bsdb.cli.versions;

import io.bsdb.cli.output.Age;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.Report;
import io.bsdb.cli.table.TableCommand;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Deletes the files that dead builds left. */
@Command(
    name = "sweep",
    header = "Deletes the files that killed builds and other commands left.",
    description = {
      "",
      "Deletes staging directories and incomplete versions in which nothing has changed for a"
          + " while, and segments of changes that no version names after 7 days at least. Prints"
          + " what was deleted.",
      ""
    },
    footerHeading = "%nExample:%n",
    footer = "  bsdb sweep --table places --older-than 6h")
public final class SweepCommand extends TableCommand {
  @Option(
      names = "--older-than",
      paramLabel = "TIME",
      converter = Age.class,
      description =
          "Delete what has not changed for so long, such as 30m, 6h or 2d; longer than any build"
              + " takes. Default: 1d.")
  private Duration age = LEFT_BEHIND;

  public SweepCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    Table opened = table.open();
    if (Files.notExists(table.directory().resolve(SnapshotFormat.SNAPSHOTS_DIRECTORY))) {
      opened.requireCurrentVersion(); // a directory that is no table stays as it is
    }
    List<String> deleted = opened.sweep(age);
    console.answer(Report.lines(deleted), "deleted: " + deleted);
    return ExitStatus.OK;
  }
}
