package io.bsdb.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The main job, on data that comes with the project. */
@Command(
    name = "quickstart",
    sortOptions = false,
    abbreviateSynopsis = true,
    header = "Builds a table with Flink and enriches a stream with it.",
    description = {
      "",
      "A Flink batch job builds a table of 234,908 places, then a Flink SQL streaming job looks up"
          + " the place of each of 1,000,000 check-ins in it. Flink runs inside this process: there"
          + " is nothing to install.",
      ""
    },
    footerHeading = "%nExample:%n",
    footer = "  bsdb quickstart")
final class QuickstartCommand implements Callable<Integer> {
  private final Console console;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Where the table, the results and the log go. Default: ${DEFAULT-VALUE}.")
  private Path directory = Path.of("bsdb-quickstart");

  QuickstartCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws Exception {
    // A class of its own: the other commands run without Flink on the class path.
    return QuickstartRun.run(directory, console);
  }
}
