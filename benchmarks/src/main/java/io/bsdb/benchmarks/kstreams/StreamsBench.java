package io.bsdb.benchmarks.kstreams;

import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.kstreams.StreamsRun.Contender;
import io.bsdb.examples.cluster.EmbeddedKafka;
import io.bsdb.kstreams.store.SnapshotStores;
import io.bsdb.table.storage.DirectoryTree;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.LongFunction;
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
  static final int ABSENT_EVERY = 10;

  /** Runs all; the directory is deleted afterwards. */
  public List<Section> run(Path directory) throws Exception {
    DirectoryTree.delete(directory); // of a run that was killed
    Files.createDirectories(directory);
    Map<String, Row> rows = new LinkedHashMap<>();
    try (EmbeddedKafka kafka = EmbeddedKafka.start(directory.resolve("kafka"));
        Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
      Progress.step("fill the topics");
      String servers = kafka.bootstrapServers();
      kafka.createTopics(PARTITIONS, TABLE, EVENTS);
      send(kafka, workload.records(), this::row);
      SplittableRandom random = new SplittableRandom(1);
      send(
          kafka,
          events,
          i -> new ProducerRecord<>(EVENTS, (int) (i % PARTITIONS), null, event(i, random)));
      Map<String, String> positions = SnapshotStores.endPositions(admin, TABLE);
      workload.publish(
          directory.resolve("snapshots"),
          WriterOptions.builder().sourcePositions(positions).build());
      send(kafka, workload.records() / WRITTEN_AGAIN, this::row);
      new Turns<>(List.of(Contender.values()), each -> new Row(each.label), 0, rounds)
          .run(
              (contender, round, row) -> {
                Progress.step("round %d of %d: %s", round + 1, rounds, contender.label);
                Path state = Files.createDirectories(directory.resolve("state"));
                StreamsRun run =
                    new StreamsRun(contender, servers, directory, workload.records(), events);
                run(run, admin, rows.computeIfAbsent(contender.label, Row::new));
                if (contender.keepsState()) {
                  String again = contender.label + ", restarted";
                  run(run, admin, rows.computeIfAbsent(again, Row::new));
                }
                DirectoryTree.delete(state);
              });
    } finally {
      DirectoryTree.delete(directory);
    }
    return List.of(
        new Section(
            "Join in Kafka Streams: %,d records, %,d events".formatted(workload.records(), events),
            List.copyOf(rows.values())));
  }

  private static void send(
      EmbeddedKafka kafka, long count, LongFunction<ProducerRecord<byte[], byte[]>> record)
      throws IOException {
    ByteArraySerializer bytes = new ByteArraySerializer();
    kafka.send(count, record, bytes, bytes);
  }

  private ProducerRecord<byte[], byte[]> row(long id) {
    return new ProducerRecord<>(TABLE, workload.key(id), workload.value(id));
  }

  private byte[] event(long number, SplittableRandom random) {
    long id = random.nextLong(workload.records());
    return workload.key(number % ABSENT_EVERY == 0 ? workload.records() + id : id);
  }

  private static void run(StreamsRun run, Admin admin, Row row) throws Exception {
    long heap = run.contender().heapMebibytes(run.records());
    JavaProcess.call(List.of("-Xmx" + heap + "m"), run).forEach(row::add);
    // The next one has to read the events from the start, too.
    admin.deleteConsumerGroups(Set.of(APPLICATION)).all().get();
  }
}
