package io.bsdb.kstreams.broker;

import io.bsdb.kstreams.store.SnapshotStores;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** A compacted topic of customers, and the map that it stands for. */
final class CustomerTopic implements AutoCloseable {
  static final int PARTITIONS = 2;
  static final int CUSTOMERS = 500;

  final String name;
  final Admin admin;
  final Map<String, String> model = new HashMap<>();
  private final Map<String, String> configs;
  final String bootstrapServers;
  private KafkaProducer<String, String> producer;
  private int sent;

  CustomerTopic(Broker broker, String name) throws Exception {
    this(broker, name, "86400000");
  }

  CustomerTopic(Broker broker, String name, String deleteRetentionMs) throws Exception {
    this(
        broker,
        name,
        Map.of("cleanup.policy", "compact,delete", "delete.retention.ms", deleteRetentionMs));
  }

  CustomerTopic(Broker broker, String name, Map<String, String> configs) throws Exception {
    this.name = name;
    this.configs = configs;
    this.admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
    this.bootstrapServers = broker.bootstrapServers();
    this.producer = producer(Map.of());
    create();
  }

  KafkaProducer<String, String> producer(Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>(settings);
    all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
  }

  private void create() throws Exception {
    Topics.create(admin, new NewTopic(name, PARTITIONS, (short) 1).configs(configs));
  }

  /** Deletes the topic and makes another one of the same name. */
  void createAnew() throws Exception {
    Map<String, String> before = endPositions();
    admin.deleteTopics(List.of(name)).all().get(1, TimeUnit.MINUTES);
    create();
    // The broker is about to learn of it.
    Await.until(() -> !endPositions().keySet().equals(before.keySet()));
  }

  /** Sends random puts and deletes, and waits until the broker has them. */
  void change(int count, Random random) throws Exception {
    List<Future<RecordMetadata>> sending = new ArrayList<>();
    for (int i = 0; i < count; i++, sent++) {
      String customer = "c" + random.nextInt(CUSTOMERS);
      String value = random.nextInt(4) == 0 ? null : "v" + sent;
      sending.add(producer.send(new ProducerRecord<>(name, customer, value)));
      if (value == null) {
        model.remove(customer);
      } else {
        model.put(customer, value);
      }
    }
    producer.flush();
    for (Future<RecordMetadata> each : sending) {
      each.get();
    }
  }

  /** Sends one record, which no customer is in. */
  void send(int partition, @Nullable String key, @Nullable String value) throws Exception {
    producer.send(new ProducerRecord<>(name, partition, key, value)).get();
  }

  /** Adds a partition, and waits until the producer sends to it. */
  void addPartition() throws Exception {
    admin
        .createPartitions(Map.of(name, NewPartitions.increaseTo(PARTITIONS + 1)))
        .all()
        .get(1, TimeUnit.MINUTES);
    try (var consumer =
        new KafkaConsumer<>(
            Map.<String, Object>of("bootstrap.servers", bootstrapServers),
            new StringDeserializer(),
            new StringDeserializer())) {
      Await.until(() -> consumer.partitionsFor(name).size() > PARTITIONS);
    }
    producer.close();
    producer = producer(Map.of());
  }

  /** Sends a put of a customer who is in the topic last. */
  String mark() throws Exception {
    String value = "v" + sent++;
    for (int partition = 0; partition < PARTITIONS; partition++) {
      producer.send(new ProducerRecord<>(name, partition, "mark" + partition, value)).get();
      model.put("mark" + partition, value);
    }
    return value;
  }

  Map<String, String> endPositions() throws Exception {
    return SnapshotStores.endPositions(admin, name);
  }

  /** Builds a table of what the topic stands for. */
  void build(Path table, Map<String, String> positions) throws IOException {
    WriterOptions options = WriterOptions.builder().sourcePositions(positions).build();
    Records.of(model).publish(table, options);
  }

  @Override
  public void close() {
    producer.close();
    admin.close();
  }
}
