package io.bsdb.benchmarks.kstreams;

import io.bsdb.benchmarks.Workload;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * A table, as a topic and as a snapshot, and events that name keys of it.
 *
 * @param workload the table's records
 * @param events how many
 */
record BenchTopics(String bootstrapServers, Workload workload, long events) {
  static final String TABLE = "table";
  static final String EVENTS = "events";

  private static final int PARTITIONS = 4;

  /** Every tenth event names a key that the table does not have. */
  private static final int ABSENT_EVERY = 10;

  void fill() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
      admin
          .createTopics(
              Set.of(
                  new NewTopic(TABLE, PARTITIONS, (short) 1),
                  new NewTopic(EVENTS, PARTITIONS, (short) 1)))
          .all()
          .get();
    }
    send(
        workload.records(),
        id -> new ProducerRecord<>(TABLE, workload.key(id), workload.value(id)));
    SplittableRandom random = new SplittableRandom(1);
    send(events, i -> new ProducerRecord<>(EVENTS, (int) (i % PARTITIONS), null, event(i, random)));
  }

  private byte[] event(long number, SplittableRandom random) {
    long id = random.nextLong(workload.records());
    return workload.key(number % ABSENT_EVERY == 0 ? workload.records() + id : id);
  }

  long hits() {
    return events - (events + ABSENT_EVERY - 1) / ABSENT_EVERY;
  }

  private void send(long count, LongFunction<ProducerRecord<byte @Nullable [], byte[]>> records)
      throws IOException {
    AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    Map<String, Object> settings =
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            bootstrapServers,
            ProducerConfig.LINGER_MS_CONFIG,
            20,
            ProducerConfig.BATCH_SIZE_CONFIG,
            256 << 10);
    try (var producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (long i = 0; i < count && failure.get() == null; i++) {
        var unused =
            producer.send(
                records.apply(i),
                (metadata, e) -> {
                  if (e != null) {
                    failure.compareAndSet(null, e);
                  }
                });
      }
    } // closing sends what is left
    Exception e = failure.get();
    if (e != null) {
      throw new IOException("cannot write to the broker: " + e.getMessage(), e);
    }
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
