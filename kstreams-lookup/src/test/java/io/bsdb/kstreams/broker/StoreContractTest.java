package io.bsdb.kstreams.broker;

import static io.bsdb.testkit.Utf8.bytes;
import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.kstreams.store.SnapshotStores;
import io.bsdb.testkit.InService;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Calls a store as Kafka Streams does. */
@Tag("broker")
@Tag("stores")
@ExtendWith(BrokerExtension.class)
class StoreContractTest {
  @TempDir private Path directory;
  @AutoClose private CustomerTopic topic;
  private Properties config;
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  @BeforeEach
  void prepare(Broker broker, TestInfo test) throws Exception {
    System.out.println("seed of the changes: " + seed);
    topic = new CustomerTopic(broker, test.getTestMethod().orElseThrow().getName());
    topic.change(1_000, random);
    topic.build(directory.resolve("base"), topic.endPositions());
    config = new Properties();
    config.put(StreamsConfig.APPLICATION_ID_CONFIG, topic.name);
    config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers());
  }

  private KeyValueStore<Bytes, byte[]> open() {
    return open(context());
  }

  private StateStoreContext context() {
    return new MockProcessorContext<Void, Void>(
            config, new TaskId(-1, -1), directory.resolve("state").toFile())
        .getStateStoreContext();
  }

  private KeyValueStore<Bytes, byte[]> open(StateStoreContext context) {
    KeyValueStore<Bytes, byte[]> store =
        SnapshotStores.keyValue("customers").base(directory.resolve("base")).get();
    store.init(context, store);
    assertThat(store.isOpen()).isTrue();
    return store;
  }

  private static Map<String, Double> metrics(StateStoreContext context) {
    Map<String, Double> values = new HashMap<>();
    context
        .metrics()
        .metrics()
        .forEach(
            (name, metric) -> {
              if (name.group().equals("stream-bsdb-store-metrics")) {
                assertThat(name.tags()).containsEntry("bsdb-store-id", "customers");
                values.put(name.name(), (Double) metric.metricValue());
              }
            });
    return values;
  }

  @Test
  void showsTheTableInMetrics() {
    StateStoreContext context = context();
    KeyValueStore<Bytes, byte[]> store = open(context);
    long first = store.committedOffset(partition(0));
    for (int i = 0; i < 10; i++) {
      store.put(Bytes.wrap(bytes("c" + i)), bytes("w"));
    }
    long before = System.currentTimeMillis();
    store.commit(Map.of(partition(0), first));
    Map<String, Double> values = metrics(context);
    assertThat(values)
        .containsEntry("write-total", 10.0)
        .containsEntry("changed-keys", 10.0)
        .containsEntry("publication-total", 0.0)
        .containsEntry("fold-total", 0.0)
        .containsEntry("upkeep-failed", 0.0)
        .containsEntry("snapshot-sequence", 1.0);
    assertThat(values.get("commit-age-ms"))
        .isBetween(0.0, System.currentTimeMillis() - before + 0.0);
    assertThat(values.get("index-bytes")).isPositive();
    assertThat(values.get("log-bytes")).isPositive();
    assertThat(values.get("disk-bytes")).isGreaterThan(values.get("log-bytes"));
    assertThat(values.get("snapshot-age-ms")).isNotNegative();
    assertThat(values).containsKey("load").doesNotContainValue(Double.NaN);
    store.close();
    assertThat(metrics(context)).isEmpty();
  }

  @Test
  void aVersionOfTheFutureHasNoAge() throws Exception {
    InService.publishedAt(directory.resolve("base"), Instant.now().plus(Duration.ofHours(1)));
    StateStoreContext context = context();
    KeyValueStore<Bytes, byte[]> store = open(context);
    assertThat(metrics(context)).containsEntry("snapshot-age-ms", 0.0);
    store.close();
  }

  private TopicPartition partition(int number) {
    return new TopicPartition(topic.name, number);
  }

  @Test
  void agreesWithAMapThroughReopening() {
    Map<String, String> model = topic.model;
    for (int round = 0; round < 5; round++) {
      KeyValueStore<Bytes, byte[]> store = open();
      assertSame(store, model);
      for (int i = 0; i < 500; i++) {
        change(store, model);
      }
      assertSame(store, model);
      store.close();
      store.close();
      assertThat(store.isOpen()).isFalse();
    }
  }

  private void change(KeyValueStore<Bytes, byte[]> store, Map<String, String> model) {
    String name = "c" + random.nextInt(CustomerTopic.CUSTOMERS);
    Bytes key = Bytes.wrap(bytes(name));
    String value = "w" + random.nextInt();
    String before = model.get(name);
    byte[] bytesBefore = before == null ? null : bytes(before);
    switch (random.nextInt(5)) {
      case 0 -> {
        assertThat(store.delete(key)).as("seed %d", seed).isEqualTo(bytesBefore);
        model.remove(name);
      }
      case 1 -> {
        store.put(key, null);
        model.remove(name);
      }
      case 2 -> {
        assertThat(store.putIfAbsent(key, bytes(value))).as("seed %d", seed).isEqualTo(bytesBefore);
        model.putIfAbsent(name, value);
      }
      case 3 -> {
        List<KeyValue<Bytes, byte[]>> entries = new ArrayList<>();
        entries.add(KeyValue.pair(Bytes.wrap(bytes("c0")), null));
        entries.add(KeyValue.pair(key, bytes(value)));
        store.putAll(entries);
        model.remove("c0");
        model.put(name, value);
      }
      default -> {
        store.put(key, bytes(value));
        model.put(name, value);
      }
    }
  }

  private void assertSame(KeyValueStore<Bytes, byte[]> store, Map<String, String> model) {
    Map<String, String> content = new HashMap<>();
    for (int i = 0; i < CustomerTopic.CUSTOMERS; i++) {
      byte[] value = store.get(Bytes.wrap(bytes("c" + i)));
      if (value != null) {
        content.put("c" + i, text(value));
      }
    }
    assertThat(content).as("seed %d", seed).isEqualTo(model);
  }

  @Test
  @SuppressWarnings("deprecation") // managesOffsets: to be left out once all stores do
  void keepsOffsetsAndRemovesThem() {
    KeyValueStore<Bytes, byte[]> store = open();
    assertThat(store.persistent()).isTrue();
    assertThat(store.managesOffsets()).isTrue();
    long first = store.committedOffset(partition(0));
    long second = store.committedOffset(partition(1));
    assertThat(first + second).isEqualTo(1_000);
    store.commit(Map.of(partition(0), first - 1));
    assertThat(store.committedOffset(partition(0))).isEqualTo(first - 1);
    assertThat(store.committedOffset(partition(1))).isEqualTo(second);
    store.close();

    KeyValueStore<Bytes, byte[]> again = open();
    again.commit(Map.of()); // before it was asked: the start has failed
    assertThat(again.committedOffset(partition(0))).isEqualTo(first - 1);
    again.commit(Map.of());
    assertThat(again.committedOffset(partition(0))).isNull();
    assertThat(again.committedOffset(partition(1))).isNull();
    again.close();
    assertThatThrownBy(() -> again.get(Bytes.wrap(bytes("c1"))))
        .isInstanceOf(InvalidStateStoreException.class);
    assertThatThrownBy(this::open)
        .isInstanceOf(StreamsException.class)
        .hasMessageContaining("delete the directory");
  }
}
