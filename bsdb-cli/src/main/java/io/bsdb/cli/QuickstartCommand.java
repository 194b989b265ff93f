package io.bsdb.cli;

import io.bsdb.cli.QuickstartProgram.Engine;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** The main job, on data that comes with the project. */
@Command(
    name = "quickstart",
    header = "Builds a table and enriches a stream with it, in Flink or Kafka Streams.",
    description = {
      "",
      "Builds a table of 234,908 places, then looks up the place of each of 1,000,000 check-ins in"
          + " it: with a Flink batch job and a Flink SQL streaming job, or with a Kafka Streams"
          + " topology on a broker. All of it runs inside this process: there is nothing to"
          + " install.",
      "",
      "With 'global-table', the Kafka Streams topology joins with a GlobalKTable of a topic of"
          + " places instead, whose store begins with the table.",
      "",
      "With 'live', a Flink streaming job changes the table for five seconds, while another one"
          + " joins with it and shows what it finds.",
      "",
      "With 'history', a Flink streaming job writes changes of prices into a table with a history,"
          + " and orders that come late are joined with the prices of their own time.",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb quickstart",
      "  bsdb quickstart kafka-streams",
      "  bsdb quickstart global-table",
      "  bsdb quickstart live",
      "  bsdb quickstart history"
    })
final class QuickstartCommand implements Callable<Integer> {
  /** The project's directory, set by the launcher. */
  private static final String HOME_PROPERTY = "bsdb.home";

  private final Console console;

  @Parameters(
      arity = "0..1",
      paramLabel = "ENGINE",
      converter = Engines.class,
      completionCandidates = Engines.class,
      description =
          "What enriches the stream: flink, kafka-streams, or global-table in Kafka Streams; or"
              + " live, for a stream that changes the table; or history, for prices of a time."
              + " Default: flink.")
  private Engine engine = Engine.FLINK;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Where the table, the results and the log go. Default: ${DEFAULT-VALUE}.")
  private Path directory = Path.of("bsdb-quickstart");

  @Option(
      names = "--events",
      paramLabel = "N",
      description = "Check-ins in the stream, changes, or orders. Default: ${DEFAULT-VALUE}.")
  private long events = 1_000_000;

  QuickstartCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws Exception {
    QuickstartProgram program =
        ServiceLoader.load(QuickstartProgram.class)
            .findFirst()
            .orElseThrow(
                () ->
                    CommandFailure.usage(
                        "the quickstart needs Flink and Kafka, which are not here; run it with"
                            + " ./bsdb in the source tree"));
    Path home = Path.of(System.getProperty(HOME_PROPERTY, ""));
    return program.run(engine, home, directory, events, console) ? ExitStatus.OK : ExitStatus.NO;
  }

  /** Engines by the names that people write. */
  static final class Engines implements ITypeConverter<Engine>, Iterable<String> {
    private static final List<String> NAMES =
        Stream.of(Engine.values())
            .map(engine -> engine.name().toLowerCase(Locale.ROOT).replace('_', '-'))
            .toList();

    @Override
    public Iterator<String> iterator() {
      return NAMES.iterator();
    }

    @Override
    public Engine convert(String text) {
      if (!NAMES.contains(text)) {
        throw new TypeConversionException("expected one of %s, actual '%s'".formatted(NAMES, text));
      }
      return Engine.valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
  }
}
