package io.bsdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.examples.cluster.EmbeddedKafka;
import io.bsdb.kstreams.store.SnapshotStores;
import io.bsdb.testkit.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The base is read from the topic twice, and the application begins with it. */
class KafkaStreamsGlobalTableTest {
  @TempDir Path directory;

  @Test
  void withoutArgumentsItShowsItsUsage() throws Exception {
    ChildProcess.Result result = ChildProcess.run(ChildProcess.of(KafkaStreamsGlobalTable.class));
    assertThat(result.lines())
        .containsExactly("usage: KafkaStreamsGlobalTable BASE BOOTSTRAP_SERVERS [base]");
    assertThat(result.status()).isEqualTo(2);
  }

  @Test
  void enrichesOrders() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(directory.resolve("kafka"))) {
      kafka.createTopics(1, "customers", "orders", "enriched-orders");
      Path base = directory.resolve("base");
      Map<String, String> settings = Map.of("bootstrap.servers", kafka.bootstrapServers());
      send(kafka, "customers", Map.of("c1", "Ada", "c2", "Alan"));
      SnapshotStores.readTopic(settings, "customers", base);
      send(kafka, "customers", Map.of("c2", "Grace"));
      SnapshotStores.readTopic(settings, "customers", base);
      send(kafka, "customers", Map.of("c3", "Edsger"));
      send(kafka, "orders", Map.of("o1", "c1", "o2", "c2", "o3", "c3", "o4", "c4"));

      Properties config = new Properties();
      config.put(StreamsConfig.APPLICATION_ID_CONFIG, "test");
      config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers());
      config.put(StreamsConfig.STATE_DIR_CONFIG, directory.resolve("state").toString());
      config.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
      config.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
      try (var streams = new KafkaStreams(KafkaStreamsGlobalTable.topology(base), config)) {
        streams.start();
        assertThat(results(kafka, 4))
            .containsExactlyInAnyOrder("c1 is Ada", "c2 is Grace", "c3 is Edsger", "c4 is null");
      }
    }
  }

  private static void send(EmbeddedKafka kafka, String topic, Map<String, String> records)
      throws Exception {
    List<Map.Entry<String, String>> entries = List.copyOf(records.entrySet());
    kafka.send(
        entries.size(),
        number -> {
          Map.Entry<String, String> each = entries.get((int) number);
          return new ProducerRecord<>(topic, each.getKey(), each.getValue());
        },
        new StringSerializer(),
        new StringSerializer());
  }

  private static List<String> results(EmbeddedKafka kafka, int count) {
    TopicPartition partition = new TopicPartition("enriched-orders", 0);
    List<String> results = new ArrayList<>();
    try (var consumer =
        new KafkaConsumer<>(
            Map.<String, Object>of("bootstrap.servers", kafka.bootstrapServers()),
            new StringDeserializer(),
            new StringDeserializer())) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
      while (results.size() < count) {
        assertThat(System.nanoTime()).as("%s in time", results).isLessThan(deadline);
        consumer.poll(Duration.ofMillis(100)).forEach(result -> results.add(result.value()));
      }
    }
    return results;
  }
}
