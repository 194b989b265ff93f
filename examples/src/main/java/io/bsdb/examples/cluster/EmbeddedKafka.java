package io.bsdb.examples.cluster;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;
import org.jspecify.annotations.Nullable;

/** A Kafka broker within this process, on the loopback interface. */
public final class EmbeddedKafka implements AutoCloseable {
  /** Settings that make one broker suffice, and let an application start at once. */
  private static final Map<String, String> PROPERTIES =
      Map.of(
          "offsets.topic.replication.factor", "1",
          "offsets.topic.num.partitions", "1",
          "transaction.state.log.replication.factor", "1",
          "transaction.state.log.min.isr", "1",
          "transaction.state.log.num.partitions", "1",
          "group.initial.rebalance.delay.ms", "0");

  private static final Duration LEADERS_WITHIN = Duration.ofMinutes(1);

  private final KafkaClusterTestKit cluster;

  private EmbeddedKafka(KafkaClusterTestKit cluster) {
    this.cluster = cluster;
  }

  /**
   * Starts a broker with free ports.
   *
   * @param directory for its files; closing deletes them
   */
  public static EmbeddedKafka start(Path directory) throws Exception {
    Files.createDirectories(directory);
    TestKitNodes nodes =
        new TestKitNodes.Builder()
            .setBaseDirectory(directory)
            .setCombined(true)
            .setNumBrokerNodes(1)
            .setNumControllerNodes(1)
            .build();
    KafkaClusterTestKit.Builder builder = new KafkaClusterTestKit.Builder(nodes);
    PROPERTIES.forEach(builder::setConfigProp);
    KafkaClusterTestKit cluster = builder.build();
    try {
      format(cluster);
      cluster.startup();
      cluster.waitForReadyBrokers();
      return new EmbeddedKafka(cluster);
    } catch (Throwable e) {
      cluster.close();
      throw e;
    }
  }

  /** Formats the cluster's storage without its messages: standard output is for results. */
  private static void format(KafkaClusterTestKit cluster) throws Exception {
    PrintStream standardOutput = System.out;
    System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
    try {
      cluster.format();
    } finally {
      System.setOut(standardOutput);
    }
  }

  /** Returns where clients connect. */
  public String bootstrapServers() {
    return cluster.bootstrapServers();
  }

  /**
   * Creates topics with so many partitions each, and waits until the broker answers for each of
   * them. Metadata name it as the leader a moment before; a producer that it refuses in that moment
   * may have its batches taken in the wrong order, and then the first one never.
   */
  public void createTopics(int partitions, String... names)
      throws ExecutionException, InterruptedException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
      admin
          .createTopics(
              Stream.of(names).map(name -> new NewTopic(name, partitions, (short) 1)).toList())
          .all()
          .get();
      Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
      for (String name : names) {
        for (int partition = 0; partition < partitions; partition++) {
          ends.put(new TopicPartition(name, partition), OffsetSpec.latest());
        }
      }
      awaitLeaders(admin, ends);
    }
  }

  private static void awaitLeaders(Admin admin, Map<TopicPartition, OffsetSpec> ends)
      throws ExecutionException, InterruptedException {
    long deadline = System.nanoTime() + LEADERS_WITHIN.toNanos();
    while (true) {
      try {
        admin.listOffsets(ends).all().get();
        return;
      } catch (ExecutionException e) {
        // The admin client retries all but this: the broker is about to learn of the topic.
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException)
            || System.nanoTime() > deadline) {
          throw e;
        }
      }
    }
  }

  /** Writes records, in large batches; the broker has all of them when this returns. */
  public <K extends @Nullable Object, V> void send(
      long count,
      LongFunction<ProducerRecord<K, V>> records,
      Serializer<K> keys,
      Serializer<V> values)
      throws IOException {
    AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    Map<String, Object> settings =
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            bootstrapServers(),
            ProducerConfig.LINGER_MS_CONFIG,
            20,
            ProducerConfig.BATCH_SIZE_CONFIG,
            256 << 10);
    try (var producer = new KafkaProducer<>(settings, keys, values)) {
      for (long number = 0; number < count && failure.get() == null; number++) {
        var unused =
            producer.send(
                records.apply(number),
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

  @Override
  public void close() throws Exception {
    cluster.close();
  }
}
