package io.bsdb.kstreams.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.kstreams.store.SnapshotStores;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;

/** An application with one global table, whose store begins with a snapshot. */
final class GlobalTable implements AutoCloseable {
  static final String STORE = "customers";

  private final KafkaStreams streams;
  private final AtomicLong restored = new AtomicLong();

  /** An application that has not been started. */
  GlobalTable(
      String bootstrapServers,
      String topic,
      Path base,
      Path stateDirectory,
      String guarantee,
      Deserializer<String> values) {
    StreamsBuilder builder = new StreamsBuilder();
    builder.globalTable(
        topic,
        Consumed.with(Serdes.String(), Serdes.serdeFrom(new StringSerializer(), values)),
        Materialized.as(SnapshotStores.keyValue(STORE).base(base)));
    Properties config = new Properties();
    config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    config.put(StreamsConfig.APPLICATION_ID_CONFIG, topic + "-application");
    config.put(StreamsConfig.STATE_DIR_CONFIG, stateDirectory.toString());
    config.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee);
    config.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 50);
    config.put(StreamsConfig.POLL_MS_CONFIG, 20);
    streams = new KafkaStreams(builder.build(), config);
    streams.setGlobalStateRestoreListener(
        new StateRestoreListener() {
          @Override
          public void onRestoreStart(TopicPartition partition, String store, long from, long to) {}

          @Override
          public void onBatchRestored(
              TopicPartition partition, String store, long end, long count) {}

          @Override
          public void onRestoreEnd(TopicPartition partition, String store, long total) {
            restored.addAndGet(total);
          }
        });
  }

  static GlobalTable start(
      Broker broker, CustomerTopic topic, Path base, Path stateDirectory, String guarantee) {
    GlobalTable table =
        new GlobalTable(
            broker.bootstrapServers(),
            topic.name,
            base,
            stateDirectory,
            guarantee,
            new StringDeserializer());
    try {
      table.streams.start();
    } catch (RuntimeException e) {
      table.close();
      throw e;
    }
    return table;
  }

  KafkaStreams streams() {
    return streams;
  }

  /** Records that were read from the topic before the application ran. */
  long restored() {
    return restored.get();
  }

  ReadOnlyKeyValueStore<String, String> store() {
    return streams.store(
        StoreQueryParameters.fromNameAndType(STORE, QueryableStoreTypes.keyValueStore()));
  }

  /** Waits until the store has read the topic to a mark. */
  void await(String mark) {
    long deadline = System.nanoTime() + Traffic.PATIENCE.toNanos();
    for (int partition = 0; partition < CustomerTopic.PARTITIONS; partition++) {
      while (!mark.equals(store().get("mark" + partition))) {
        assertThat(System.nanoTime()).as("mark %s in time", mark).isLessThan(deadline);
        LockSupport.parkNanos(5_000_000);
      }
    }
  }

  /** Waits until the application has failed. */
  void awaitFailure() {
    long deadline = System.nanoTime() + Traffic.PATIENCE.toNanos();
    while (streams.state() != KafkaStreams.State.ERROR) {
      assertThat(System.nanoTime()).as("failed in time: %s", streams.state()).isLessThan(deadline);
      LockSupport.parkNanos(5_000_000);
    }
  }

  /** All customers in the store. */
  Map<String, String> content() {
    Map<String, String> content = new HashMap<>();
    for (int i = 0; i < CustomerTopic.CUSTOMERS; i++) {
      put(content, "c" + i);
    }
    for (int partition = 0; partition < CustomerTopic.PARTITIONS; partition++) {
      put(content, "mark" + partition);
    }
    return content;
  }

  private void put(Map<String, String> content, String key) {
    String value = store().get(key);
    if (value != null) {
      content.put(key, value);
    }
  }

  @Override
  public void close() {
    assertThat(streams.close(Duration.ofMinutes(1))).isTrue();
  }
}
