package io.bsdb.cli;

import io.bsdb.examples.Quickstart;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.flink.table.api.TableException;
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
  /** The project's directory, set by the launcher. */
  private static final String HOME_PROPERTY = "bsdb.home";

  private static final String CITIES = "examples/data/cities500.csv.gz";

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
    PrintStream results = new PrintStream(console.out(), true, StandardCharsets.UTF_8);
    Quickstart quickstart =
        new Quickstart(
            directory,
            Path.of(System.getProperty(HOME_PROPERTY, ""), CITIES),
            results,
            console.err(),
            console.terminal() ? Quickstart.Live.YES : Quickstart.Live.NO);
    try {
      return quickstart.run() ? ExitStatus.OK : ExitStatus.NO;
    } catch (ExecutionException | TableException e) {
      throw new IOException("Flink failed: %s; see %s".formatted(rootCause(e), directory.resolve("flink.log")), e);
    }
  }

  private static Throwable rootCause(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
