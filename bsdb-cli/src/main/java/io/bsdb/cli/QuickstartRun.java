package io.bsdb.cli;

import io.bsdb.cli.QuickstartCommand.Engine;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.examples.KafkaStreamsQuickstart;
import io.bsdb.examples.KafkaStreamsQuickstart.Join;
import io.bsdb.examples.LiveQuickstart;
import io.bsdb.examples.Quickstart;
import io.bsdb.examples.Quickstart.Live;
import io.bsdb.examples.QuickstartSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Runs a quickstart of the examples. Needs Flink, or Kafka. */
final class QuickstartRun {
  /** The project's directory, set by the launcher. */
  private static final String HOME_PROPERTY = "bsdb.home";

  private static final String CITIES = "examples/data/cities500.csv.gz";

  private QuickstartRun() {}

  static int run(Engine engine, Path directory, long events, Console console)
      throws IOException, InterruptedException {
    Path cities = Path.of(System.getProperty(HOME_PROPERTY, ""), CITIES);
    QuickstartSettings settings = new QuickstartSettings(directory, cities, events);
    PrintStream results = new PrintStream(console.out(), true, StandardCharsets.UTF_8);
    Live live = console.terminal() ? Live.YES : Live.NO;
    boolean complete =
        switch (engine) {
          case FLINK -> new Quickstart(settings, results, console.err(), live).run();
          case KAFKA_STREAMS ->
              new KafkaStreamsQuickstart(settings, Join.LOOKUP, results, console.err(), live).run();
          case GLOBAL_TABLE ->
              new KafkaStreamsQuickstart(settings, Join.GLOBAL_TABLE, results, console.err(), live)
                  .run();
          case LIVE -> new LiveQuickstart(settings, results, console.err(), live).run();
        };
    if (results.checkError()) {
      throw new IOException("standard output cannot be written");
    }
    return complete ? ExitStatus.OK : ExitStatus.NO;
  }
}
