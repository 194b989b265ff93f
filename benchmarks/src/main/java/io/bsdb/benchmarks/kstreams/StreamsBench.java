package io.bsdb.benchmarks.kstreams;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.benchmarks.Workload;
import io.bsdb.benchmarks.kstreams.StreamsRun.Outcome;
import io.bsdb.examples.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs one join with different tables behind it, in turn, on one broker. */
@Command(
    name = "bench kafka-streams",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Compares the join in Kafka Streams with a GlobalKTable.")
public final class StreamsBench implements Callable<Integer> {
  static final String APPLICATION = "bench";

  @Option(names = "--records", paramLabel = "N", description = "in the table; default: 1,000,000")
  private long records = 1_000_000;

  @Option(names = "--events", paramLabel = "N", description = "to join; default: 2,000,000")
  private long events = 2_000_000;

  @Option(names = "--rounds", paramLabel = "N", description = "default: 1")
  private int rounds = 1;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "for data, which is deleted; default: ${DEFAULT-VALUE}")
  private Path directory = Path.of("bench-data");

  private StreamsBench() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new StreamsBench()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    Files.createDirectories(directory);
    Path data = Files.createTempDirectory(directory.toAbsolutePath(), "kafka-streams-");
    try (EmbeddedKafka kafka = EmbeddedKafka.start(data.resolve("kafka"))) {
      BenchTopics topics = new BenchTopics(kafka.bootstrapServers(), new Workload(records), events);
      say(
          "%,d records, %,d events, one stream thread; broker on the same machine",
          records, events);
      topics.fill();
      topics.build(data.resolve("snapshots"));
      say(
          "%-32s %9s %9s %11s %9s %9s %9s",
          "", "open s", "first s", "rows/s", "private", "files", "disk MiB");
      for (int round = 0; round < rounds; round++) {
        for (Contender contender : Contender.values()) {
          Path state = data.resolve("state");
          show(contender.description(), run(contender, topics, data, state));
          if (contender == Contender.ROCKSDB) {
            show(contender.description() + ", again", run(contender, topics, data, state));
          }
          delete(state);
        }
      }
    } finally {
      delete(data);
    }
    return 0;
  }

  private static Outcome run(Contender contender, BenchTopics topics, Path data, Path state)
      throws Exception {
    Path file = data.resolve("outcome.json");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            contender.heap(),
            "-cp",
            System.getProperty("java.class.path"),
            StreamsRun.class.getName(),
            contender.name(),
            topics.bootstrapServers(),
            Files.createDirectories(state).toString(),
            data.resolve("snapshots").toString(),
            Long.toString(topics.events()),
            file.toString()));
    Process process = new ProcessBuilder(command).inheritIO().start();
    int status;
    try {
      status = process.waitFor();
    } finally {
      process.destroy();
    }
    if (status != 0) {
      throw new IOException("%s ended with status %d".formatted(contender, status));
    }
    Outcome outcome = new ObjectMapper().readValue(file.toFile(), Outcome.class);
    if (outcome.hits() != topics.hits()) {
      throw new IOException(
          "%s: hits: expected=%d actual=%d".formatted(contender, topics.hits(), outcome.hits()));
    }
    // The next one shall read the events from the start, too.
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", topics.bootstrapServers()))) {
      admin.deleteConsumerGroups(Set.of(APPLICATION)).all().get();
    }
    return outcome;
  }

  private static void show(String name, Outcome outcome) {
    say(
        "%-32s %9.3f %9.3f %,11.0f %9d %9d %9d",
        name,
        outcome.openSeconds(),
        outcome.firstResultSeconds(),
        outcome.resultsPerSecond(),
        outcome.privateBytes() >> 20,
        outcome.fileBytes() >> 20,
        outcome.diskBytes() >> 20);
  }

  @SuppressWarnings("AnnotateFormatMethod") // the annotation is of a library not used here
  private static void say(String format, Object... arguments) {
    System.out.println(String.format(Locale.ROOT, format, arguments));
  }

  private static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> paths = Files.walk(directory)) {
        for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }
}
