package io.bsdb.benchmarks.kstreams;

import io.bsdb.benchmarks.Workload;
import io.bsdb.examples.EmbeddedKafka;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A table, as a topic and as a snapshot, and events that name keys of it.
 *
 * @param workload the table's records
 * @param events how many
 */
record BenchTopics(EmbeddedKafka kafka, Workload workload, long events) {
  static final String TABLE = "table";
  static final String EVENTS = "events";

  private static final int PARTITIONS = 4;

  /** Every tenth event names a key that the table does not have. */
  private static final int ABSENT_EVERY = 10;

  void fill() throws Exception {
    kafka.createTopics(PARTITIONS, TABLE, EVENTS);
    ByteArraySerializer bytes = new ByteArraySerializer();
    kafka.send(
        workload.records(),
        id -> new ProducerRecord<>(TABLE, workload.key(id), workload.value(id)),
        bytes,
        bytes);
    SplittableRandom random = new SplittableRandom(1);
    kafka.send(
        events,
        i -> new ProducerRecord<>(EVENTS, (int) (i % PARTITIONS), null, event(i, random)),
        bytes,
        bytes);
  }

  private byte[] event(long number, SplittableRandom random) {
    long id = random.nextLong(workload.records());
    return workload.key(number % ABSENT_EVERY == 0 ? workload.records() + id : id);
  }

  long hits() {
    return events - (events + ABSENT_EVERY - 1) / ABSENT_EVERY;
  }

  void build(Path snapshots) throws IOException {
    try (SnapshotWriter writer = SnapshotWriter.create(snapshots, WriterOptions.defaults())) {
      for (long id = 0; id < workload.records(); id++) {
        writer.add(workload.key(id), workload.value(id));
      }
      writer.publish();
    }
  }
}
