package io.bsdb.cli;

import io.bsdb.examples.Quickstart;
import io.bsdb.examples.Quickstart.Live;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Runs the quickstart of the examples. Needs Flink. */
final class QuickstartRun {
  /** The project's directory, set by the launcher. */
  private static final String HOME_PROPERTY = "bsdb.home";

  private static final String CITIES = "examples/data/cities500.csv.gz";

  private QuickstartRun() {}

  static int run(Path directory, Console console) throws IOException, InterruptedException {
    Path cities = Path.of(System.getProperty(HOME_PROPERTY, ""), CITIES);
    PrintStream results = new PrintStream(console.out(), true, StandardCharsets.UTF_8);
    Live live = console.terminal() ? Live.YES : Live.NO;
    boolean complete = new Quickstart(directory, cities, results, console.err(), live).run();
    return complete ? ExitStatus.OK : ExitStatus.NO;
  }
}
