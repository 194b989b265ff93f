package io.bsdb.cli.versions;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.table.TableCommand;
import io.bsdb.table.Table;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Puts another version in service. */
@Command(
    name = "rollback",
    header = "Puts an earlier version in service, or a later one again.",
    description = {"", "Readers that follow the table change over by themselves.", ""},
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb rollback --table places",
      "  bsdb rollback --table places 0000000002-1f0c9a37"
    })
public final class RollbackCommand extends TableCommand {
  @Parameters(
      arity = "0..1",
      paramLabel = "VERSION",
      description =
          "The version to put in service, as 'bsdb versions' lists it. Default: the one that the"
              + " version in service replaced.")
  private @Nullable String version;

  public RollbackCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    Table opened = table.open();
    String target = version == null ? previous(opened) : version;
    opened.rollback(target);
    console.say("%s is in service", target);
    console.answer(target + "\n", target + " is in service all the same");
    return ExitStatus.OK;
  }

  /** Not the one with the next lower number, which may have been rolled back itself. */
  private static String previous(Table table) throws IOException {
    String current = table.requireCurrentVersion();
    String before = table.versionBefore(current);
    if (before == null) {
      throw CommandFailure.refused("there is no version before " + current);
    }
    if (!table.contains(before)) {
      throw CommandFailure.refused(
          "the version before %s has been deleted: %s; name one of %s"
              .formatted(current, before, table.versions()));
    }
    return before;
  }
}
