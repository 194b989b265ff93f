package io.bsdb.benchmarks.kstreams;

import com.fasterxml.jackson.core.type.TypeReference;
import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.kstreams.StreamsRun.Outcome;
import io.bsdb.examples.cluster.EmbeddedKafka;
import io.bsdb.kstreams.store.SnapshotStores;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Joins the same events with a table in {@code GlobalKTable}s and in a {@code SnapshotLookup}. Each
 * application runs in a process of its own, one after the other, with one stream thread; the broker
 * is within this process. Results are counted and checked, not sent.
 *
 * @param workload the table's records
 * @param events to join, 2 or more
 */
public record StreamsBench(Workload workload, long events, int rounds) {
  static final String APPLICATION = "bench";
  static final String TABLE = "table";
  static final String EVENTS = "events";

  private static final int PARTITIONS = 4;

  /** One of so many records is written again once the snapshot is built. */
  private static final int WRITTEN_AGAIN = 100;

  /** Every tenth event names a key that the table does not have. */
  private static final int ABSENT_EVERY = 10;

  private static final String FIRST_RESULT = "first result, s";
  private static final String MICROS = "µs per event";

  /** Runs all; the directory is deleted afterwards. */
  public Section run(Path directory) throws Exception {
    Directories.delete(directory); // of a run that was killed
    Files.createDirectories(directory);
    Map<String, Row> rows = new LinkedHashMap<>();
    try (EmbeddedKafka kafka = EmbeddedKafka.start(directory.resolve("kafka"))) {
      Progress.step("%,d records: fill the topics and build the snapshot", workload.records());
      fill(kafka);
      build(directory.resolve("snapshots"), positions(kafka));
      fillTable(kafka, workload.records() / WRITTEN_AGAIN);
      for (int round = 1; round <= rounds; round++) {
        for (Contender contender : Contender.values()) {
          Path state = Files.createDirectories(directory.resolve("state"));
          List<String> starts = new ArrayList<>(List.of(contender.description()));
          if (contender.keepsState()) {
            starts.add(contender.description() + ", restarted");
          }
          for (String start : starts) {
            Progress.step("round %d of %d: %s", round, rounds, start);
            add(
                rows.computeIfAbsent(
                    start, name -> new Row(name, contender.configuration(workload.records()))),
                run(contender, kafka.bootstrapServers(), directory));
          }
          Directories.delete(state);
        }
      }
    } finally {
      Directories.delete(directory);
    }
    return new Section(
        "Join in Kafka Streams: %,d records, %,d events".formatted(workload.records(), events),
        List.of(
            "Once the snapshot was built, one of %d records was written to the topic again"
                .formatted(WRITTEN_AGAIN)),
        List.of(FIRST_RESULT, MICROS),
        List.copyOf(rows.values()));
  }

  private void fill(EmbeddedKafka kafka) throws Exception {
    kafka.createTopics(PARTITIONS, TABLE, EVENTS);
    fillTable(kafka, workload.records());
    ByteArraySerializer bytes = new ByteArraySerializer();
    SplittableRandom random = new SplittableRandom(1);
    kafka.send(
        events,
        i -> new ProducerRecord<>(EVENTS, (int) (i % PARTITIONS), null, event(i, random)),
        bytes,
        bytes);
  }

  private void fillTable(EmbeddedKafka kafka, long records) throws IOException {
    ByteArraySerializer bytes = new ByteArraySerializer();
    kafka.send(
        records,
        id -> new ProducerRecord<>(TABLE, workload.key(id), workload.value(id)),
        bytes,
        bytes);
  }

  private byte[] event(long number, SplittableRandom random) {
    long id = random.nextLong(workload.records());
    return workload.key(number % ABSENT_EVERY == 0 ? workload.records() + id : id);
  }

  private static Map<String, String> positions(EmbeddedKafka kafka) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
      return SnapshotStores.endPositions(admin, TABLE);
    }
  }

  private void build(Path snapshots, Map<String, String> positions) throws IOException {
    WriterOptions options = WriterOptions.builder().sourcePositions(positions).build();
    try (SnapshotWriter writer = SnapshotWriter.create(snapshots, options)) {
      for (long id = 0; id < workload.records(); id++) {
        writer.add(workload.key(id), workload.value(id));
      }
      writer.publish();
    }
  }

  private Outcome run(Contender contender, String servers, Path directory) throws Exception {
    Outcome outcome =
        JavaProcess.call(
            new TypeReference<>() {},
            List.of("-Xmx" + contender.heapMebibytes(workload.records()) + "m"),
            StreamsRun.class,
            contender.name(),
            servers,
            directory.resolve("state"),
            directory.resolve("snapshots"),
            workload.records(),
            events);
    long hits = events - (events + ABSENT_EVERY - 1) / ABSENT_EVERY;
    if (outcome.hits() != hits) {
      throw new IOException(
          "%s: hits: expected=%d actual=%d".formatted(contender, hits, outcome.hits()));
    }
    // The next one has to read the events from the start, too.
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      admin.deleteConsumerGroups(Set.of(APPLICATION)).all().get();
    }
    return outcome;
  }

  private static void add(Row row, Outcome outcome) {
    row.add(MICROS, 1e6 / outcome.resultsPerSecond());
    row.add(FIRST_RESULT, outcome.firstResultSeconds());
    row.add("results/s", outcome.resultsPerSecond());
    row.add("open, s", outcome.openSeconds());
    row.add("heap, MiB", (double) (outcome.maxHeapBytes() >> 20));
    row.add("private, MiB", (double) (outcome.privateBytes() >> 20));
    row.add("mapped, MiB", (double) (outcome.fileBytes() >> 20));
    row.add("disk, MiB", (double) (outcome.diskBytes() >> 20));
  }
}
