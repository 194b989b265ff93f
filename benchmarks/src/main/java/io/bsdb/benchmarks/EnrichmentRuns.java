package io.bsdb.benchmarks;

import io.bsdb.benchmarks.flink.LookupBench;
import io.bsdb.benchmarks.kstreams.StreamsBench;
import io.bsdb.benchmarks.peers.JavaCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The benchmarks of stream processors as parts of one run, each in a process of its own.
 *
 * @param data where each has a directory
 * @param counts of records
 */
record EnrichmentRuns(Path data, List<Long> counts, int rounds, Events events) {
  /**
   * Events of one round.
   *
   * @param flink of lookups in memory
   * @param disk of lookups in Flink that wait for the disk
   * @param kafkaStreams of which some contenders take ten times as long
   */
  record Events(long flink, long disk, long kafkaStreams) {}

  /** At the largest number of records: it is about the cost per event. */
  List<Enrichment> flink() throws IOException, InterruptedException {
    long largest = counts.stream().max(Long::compare).orElseThrow();
    return run(
        LookupBench.class,
        data.resolve("flink"),
        "--rows=" + largest,
        "--events=" + events.flink,
        "--disk-events=" + events.disk,
        "--rounds=" + rounds);
  }

  /** At every number of records: it is about the time of a start, too. */
  List<Enrichment> kafkaStreams() throws IOException, InterruptedException {
    return run(
        StreamsBench.class,
        data.resolve("kafka-streams"),
        "--records=" + counts.stream().map(String::valueOf).collect(Collectors.joining(",")),
        "--events=" + events.kafkaStreams,
        "--rounds=" + rounds);
  }

  private static List<Enrichment> run(Class<?> main, Path directory, String... options)
      throws IOException, InterruptedException {
    Progress.step("%s", main.getSimpleName());
    String[] arguments = new String[options.length + 2];
    arguments[0] = "--directory=" + directory;
    arguments[1] = "--quiet";
    System.arraycopy(options, 0, arguments, 2, options.length);
    JavaCommand.run(List.of(), main, arguments);
    return Reports.read(directory).enrichment();
  }
}
