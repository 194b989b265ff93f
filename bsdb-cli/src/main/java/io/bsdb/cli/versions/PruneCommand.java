package io.bsdb.cli.versions;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.Report;
import io.bsdb.cli.table.TableCommand;
import io.bsdb.table.Table;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Deletes old versions. */
@Command(
    name = "prune",
    header = "Deletes all but the newest versions.",
    description = {
      "",
      "The version in service is kept, whichever it is, and the newest, which after a rollback is"
          + " another one; and so are files that a version which is kept shares with others. Prints"
          + " the versions that were deleted.",
      ""
    },
    footerHeading = "%nExample:%n",
    footer = "  bsdb prune --table places --keep 3")
public final class PruneCommand extends TableCommand {
  @Option(
      names = "--keep",
      required = true,
      paramLabel = "COUNT",
      description = "How many versions to keep, the one in service among them.")
  private int keep;

  public PruneCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    Table opened = table.open();
    opened.requireCurrentVersion(); // a directory that is no table stays as it is
    List<String> deleted = opened.prune(keep);
    console.answer(Report.lines(deleted), "deleted: " + deleted);
    return ExitStatus.OK;
  }
}
