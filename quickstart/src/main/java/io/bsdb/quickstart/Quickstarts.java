package io.bsdb.quickstart;

import io.bsdb.cli.QuickstartProgram;
import io.bsdb.cli.output.Console;
import io.bsdb.examples.quickstart.HistoryQuickstart;
import io.bsdb.examples.quickstart.KafkaStreamsQuickstart;
import io.bsdb.examples.quickstart.KafkaStreamsQuickstart.Join;
import io.bsdb.examples.quickstart.LiveQuickstart;
import io.bsdb.examples.quickstart.Quickstart;
import io.bsdb.examples.quickstart.QuickstartOutput;
import io.bsdb.examples.quickstart.QuickstartOutput.Live;
import io.bsdb.examples.quickstart.QuickstartSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Runs a quickstart of the examples. */
public final class Quickstarts implements QuickstartProgram {
  private static final String CITIES = "examples/data/cities500.csv.gz";

  @Override
  public boolean run(Engine engine, Path home, Path directory, long events, Console console)
      throws IOException, InterruptedException {
    QuickstartSettings settings = new QuickstartSettings(directory, home.resolve(CITIES), events);
    PrintStream results = new PrintStream(console.out(), true, StandardCharsets.UTF_8);
    QuickstartOutput output =
        new QuickstartOutput(results, console.err(), console.terminal() ? Live.YES : Live.NO);
    boolean complete =
        switch (engine) {
          case FLINK -> new Quickstart(settings, output).run();
          case KAFKA_STREAMS -> new KafkaStreamsQuickstart(settings, Join.LOOKUP, output).run();
          case GLOBAL_TABLE ->
              new KafkaStreamsQuickstart(settings, Join.GLOBAL_TABLE, output).run();
          case LIVE -> new LiveQuickstart(settings, output).run();
          case HISTORY -> new HistoryQuickstart(settings, output).run();
        };
    if (results.checkError()) {
      throw new IOException("standard output cannot be written");
    }
    return complete;
  }
}
