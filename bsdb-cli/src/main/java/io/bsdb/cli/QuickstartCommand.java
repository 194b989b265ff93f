package io.bsdb.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The main job, on data that comes with the project. */
@Command(
    name = "quickstart",
    mixinStandardHelpOptions = true,
    description = {
      "Builds a table of 234,908 places with a Flink batch job, then enriches 1,000,000 check-ins"
          + " with it in a Flink SQL streaming job. Flink runs inside this process: there is nothing"
          + " to install.",
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
  public Integer call() {
    throw CommandFailure.usage("not yet");
  }
}
