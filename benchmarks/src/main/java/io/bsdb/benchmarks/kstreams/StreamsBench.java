package io.bsdb.benchmarks.kstreams;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.benchmarks.Directories;
import io.bsdb.benchmarks.Enrichment;
import io.bsdb.benchmarks.Machine;
import io.bsdb.benchmarks.Progress;
import io.bsdb.benchmarks.Reports;
import io.bsdb.benchmarks.Results;
import io.bsdb.benchmarks.Workload;
import io.bsdb.benchmarks.kstreams.StreamsReport.Start;
import io.bsdb.benchmarks.kstreams.StreamsRun.Outcome;
import io.bsdb.benchmarks.peers.JavaCommand;
import io.bsdb.examples.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs one join with different tables behind it, in turn, on one broker. */
@Command(
    name = "benchmarks/run kafka-streams",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Compares the join in Kafka Streams with a GlobalKTable.",
    description = {
      "",
      "Joins the same events with a table in a GlobalKTable and in a SnapshotLookup. Each"
          + " application runs in a process of its own, one after the other, with one stream thread;"
          + " the broker is within this process. Results are counted and checked, not sent. Writes"
          + " results.json and report.html.",
      ""
    },
    footerHeading = "%nExample, in about 15 minutes:%n",
    footer = "  ./benchmarks/run kafka-streams --records 1000000,5000000,10000000")
public final class StreamsBench implements Callable<Integer> {
  static final String APPLICATION = "bench";

  @Option(
      names = "--records",
      paramLabel = "N",
      split = ",",
      description = "In the table, or several counts with commas between. Default: 1000000.")
  private List<Long> records = List.of(1_000_000L);

  @Option(
      names = "--events",
      paramLabel = "N",
      description = "To join, 2 or more. Default: ${DEFAULT-VALUE}.")
  private long events = 2_000_000;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Of which medians are shown. Default: ${DEFAULT-VALUE}.")
  private int rounds = 1;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description =
          "For reports, and for data, which is deleted: about 0.5 GiB for a million records."
              + " Default: ${DEFAULT-VALUE}.")
  private Path directory = Path.of("bench-data", "kafka-streams");

  @Option(names = "--quiet", description = "Write the reports, and print none.")
  private boolean quiet;

  private StreamsBench() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new StreamsBench()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    if (events < 2 || rounds < 1) {
      throw new CommandLine.ParameterException(
          new CommandLine(this), "expected at least 2 events and 1 round");
    }
    Results results = new Results(Machine.facts(), parameters(), List.of(), List.of(), List.of());
    Files.createDirectories(directory);
    for (long count : records) {
      Path data = directory.toAbsolutePath().resolve("data");
      Directories.delete(data); // of a run that was killed
      Files.createDirectories(data);
      try {
        results = results.with(List.of(compare(new Workload(count), data)));
        Reports.write(results, directory);
      } finally {
        Directories.delete(data);
      }
    }
    if (!quiet) {
      Reports.print(results, directory);
    }
    return 0;
  }

  private Map<String, String> parameters() {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("records", records.toString());
    parameters.put("rounds", rounds + " of each contender, one after the other");
    return parameters;
  }

  private Enrichment compare(Workload workload, Path data) throws Exception {
    Map<Start, List<Outcome>> outcomes = new LinkedHashMap<>();
    try (EmbeddedKafka kafka = EmbeddedKafka.start(data.resolve("kafka"))) {
      BenchTopics topics = new BenchTopics(kafka, workload, events);
      Progress.step("%,d records: fill the topics", workload.records());
      topics.fill();
      Progress.step("build the snapshot");
      topics.build(data.resolve("snapshots"));
      for (int round = 1; round <= rounds; round++) {
        for (Contender contender : Contender.values()) {
          Path state = Files.createDirectories(data.resolve("state"));
          run(new Start(contender, contender.description()), topics, data, outcomes);
          if (contender == Contender.ROCKSDB) {
            Start again = new Start(contender, contender.description() + ", restarted");
            run(again, topics, data, outcomes);
          }
          Directories.delete(state);
        }
      }
    }
    return new StreamsReport(workload.records(), events, outcomes).enrichment();
  }

  private static void run(
      Start start, BenchTopics topics, Path data, Map<Start, List<Outcome>> outcomes)
      throws Exception {
    Progress.step("%s", start.name());
    Contender contender = start.contender();
    Path file = data.resolve("outcome.json");
    JavaCommand.run(
        List.of("-Xmx" + contender.heapMebibytes(topics.workload().records()) + "m"),
        StreamsRun.class,
        contender.name(),
        topics.kafka().bootstrapServers(),
        data.resolve("state").toString(),
        data.resolve("snapshots").toString(),
        Long.toString(topics.workload().records()),
        Long.toString(topics.events()),
        file.toString());
    Outcome outcome = new ObjectMapper().readValue(file.toFile(), Outcome.class);
    if (outcome.hits() != topics.hits()) {
      throw new IOException(
          "%s: hits: expected=%d actual=%d".formatted(contender, topics.hits(), outcome.hits()));
    }
    outcomes.computeIfAbsent(start, none -> new ArrayList<>()).add(outcome);
    // The next one shall read the events from the start, too.
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", topics.kafka().bootstrapServers()))) {
      admin.deleteConsumerGroups(Set.of(APPLICATION)).all().get();
    }
  }
}
