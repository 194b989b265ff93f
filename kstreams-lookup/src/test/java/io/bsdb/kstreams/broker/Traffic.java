package io.bsdb.kstreams.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** One test's topics: orders to write, and what a reader of committed records finds enriched. */
final class Traffic implements AutoCloseable {
  static final int PARTITIONS = 4;
  static final int CUSTOMERS = 20;
  static final Duration PATIENCE = Duration.ofSeconds(60);

  final TopicNames names;
  private final List<TopicPartition> enrichedPartitions;
  private final KafkaProducer<String, String> producer;
  private final KafkaConsumer<String, String> consumer;
  private final List<Enriched> read = new ArrayList<>();
  private int sent;
  private int dead;

  /**
   * One result.
   *
   * @param version in the header; null for none
   */
  record Enriched(String key, String value, String version) {
    static Enriched of(ConsumerRecord<String, String> result) {
      Header header = result.headers().lastHeader(Enrichment.VERSION_HEADER);
      return new Enriched(
          result.key(),
          result.value(),
          header == null ? null : new String(header.value(), StandardCharsets.UTF_8));
    }
  }

  Traffic(Broker broker, TopicNames names) throws Exception {
    this.names = names;
    this.enrichedPartitions =
        IntStream.range(0, PARTITIONS)
            .mapToObj(partition -> new TopicPartition(names.enriched(), partition))
            .toList();
    Map<String, Object> common = Map.of("bootstrap.servers", broker.bootstrapServers());
    try (Admin admin = Admin.create(common)) {
      Topics.create(
          admin,
          new NewTopic(names.orders(), PARTITIONS, (short) 1),
          new NewTopic(names.deadLetters(), 1, (short) 1),
          new NewTopic(names.enriched(), PARTITIONS, (short) 1));
    }
    this.producer =
        new KafkaProducer<>(
            Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers()),
            new StringSerializer(),
            new StringSerializer());
    this.consumer =
        new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                broker.bootstrapServers(),
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed"),
            new StringDeserializer(),
            new StringDeserializer());
    consumer.assign(enrichedPartitions);
    consumer.seekToBeginning(enrichedPartitions);
  }

  /** Sends this many more orders, over all partitions and customers. */
  void send(int count) throws Exception {
    List<Future<RecordMetadata>> sending = new ArrayList<>();
    for (int i = 0; i < count; i++, sent++) {
      String customer = "c" + sent % CUSTOMERS;
      sending.add(
          producer.send(
              new ProducerRecord<>(names.orders(), sent % PARTITIONS, "o" + sent, customer)));
    }
    producer.flush();
    for (Future<RecordMetadata> each : sending) {
      each.get();
    }
  }

  /** Waits for so many orders among the dead letters: their keys. No result is due for them. */
  List<String> awaitDeadLetters(int count) {
    TopicPartition partition = new TopicPartition(names.deadLetters(), 0);
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
    List<String> keys = new ArrayList<>();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (keys.size() < count) {
      assertThat(System.nanoTime())
          .as("%d of %d dead letters in time", keys.size(), count)
          .isLessThan(deadline);
      consumer.poll(Duration.ofMillis(100)).forEach(letter -> keys.add(letter.key()));
    }
    dead += count;
    consumer.assign(enrichedPartitions);
    consumer.seekToBeginning(enrichedPartitions);
    read.clear();
    return keys;
  }

  /** Waits until there is a result for every order. */
  void awaitAll() {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (read.size() < sent - dead) {
      assertThat(System.nanoTime())
          .as("%d of %d results in time", read.size(), sent - dead)
          .isLessThan(deadline);
      poll();
    }
  }

  private void poll() {
    consumer.poll(Duration.ofMillis(100)).forEach(result -> read.add(Enriched.of(result)));
  }

  /** All results, once the application is closed: exactly one for every order. */
  List<Enriched> results() {
    Map<TopicPartition, Long> ends = consumer.endOffsets(enrichedPartitions);
    while (enrichedPartitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
      poll();
    }
    Map<String, Long> counts =
        read.stream().collect(Collectors.groupingBy(Enriched::key, Collectors.counting()));
    assertThat(counts)
        .hasSize(sent - dead)
        .allSatisfy((key, count) -> assertThat(count).as(key).isEqualTo(1));
    return List.copyOf(read);
  }

  /** The result for the last order. */
  Enriched last() {
    Optional<Enriched> last =
        read.stream().filter(each -> each.key().equals("o" + (sent - 1))).findFirst();
    return last.orElseThrow();
  }

  @Override
  public void close() {
    consumer.close();
    producer.close();
  }
}
