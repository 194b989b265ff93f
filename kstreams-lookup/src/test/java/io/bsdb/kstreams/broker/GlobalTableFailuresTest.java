package io.bsdb.kstreams.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.kstreams.store.SnapshotStores;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.processor.BatchingStateRestoreCallback;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records that a table cannot hold, topics that grow, and stores that fail. */
@Tag("broker")
@Tag("stores")
@Timeout(300)
@ExtendWith(BrokerExtension.class)
class GlobalTableFailuresTest {
  private static final String AT_LEAST_ONCE = "at_least_once";

  @TempDir private Path directory;
  private Broker broker;
  @AutoClose private CustomerTopic topic;
  private Path base;
  private Path state;
  private final Random random = new Random(42);

  @BeforeEach
  void prepare(Broker shared, TestInfo test) throws Exception {
    broker = shared;
    base = directory.resolve("base");
    state = directory.resolve("state");
    topic =
        new CustomerTopic(
            broker,
            test.getTestMethod().orElseThrow().getName()
                + Integer.toUnsignedString(test.getDisplayName().hashCode()));
    topic.change(100, random);
    topic.build(base, topic.endPositions());
  }

  private GlobalTable start() {
    return GlobalTable.start(broker, topic, base, state, AT_LEAST_ONCE);
  }

  @Test
  void refusesABaseThatCannotBeChangedRowByRow() throws Exception {
    var options = WriterOptions.builder().sourcePositions(topic.endPositions());
    Records.of(topic.model).publish(base, options.order(RecordOrder.KEY).build());
    assertRefused("it is in key order");
    Records.of(topic.model).publish(base, options.order(RecordOrder.HASH).approximate().build());
    assertRefused("it is approximate");
    topic.build(base, topic.endPositions());
    try (GlobalTable table = start()) { // nothing is left of the refused ones
      assertThat(table.content()).isEqualTo(topic.model);
    }
  }

  private void assertRefused(String why) {
    assertThatThrownBy(this::start)
        .isInstanceOf(StreamsException.class)
        .hasMessageContaining("the store cannot begin with this base: store=customers")
        .hasMessageContaining(why + ", and so cannot be changed row by row");
  }

  @Test
  void beginsAgainWithABaseThatWasDamagedAtFirst() throws Exception {
    try (Stream<Path> files = Files.walk(base)) {
      for (Path file : files.filter(file -> file.toString().endsWith(".bsdb")).toList()) {
        Files.write(file, new byte[16], StandardOpenOption.WRITE);
      }
    }
    assertThatThrownBy(this::start)
        .isInstanceOf(StreamsException.class)
        .hasMessageContaining("store 'customers' cannot be opened")
        .hasRootCauseInstanceOf(CorruptSnapshotException.class);
    topic.build(base, topic.endPositions());
    try (GlobalTable table = start()) {
      assertThat(table.content()).isEqualTo(topic.model);
    }
  }

  @Test
  void skipsRecordsWithAnEmptyKey() throws Exception {
    topic.send(0, "", "nobody");
    topic.send(1, "", null);
    try (GlobalTable table = start()) {
      assertThat(table.content()).isEqualTo(topic.model);
      topic.send(0, "", "nobody");
      table.await(topic.mark());
      assertThat(table.content()).isEqualTo(topic.model);
    }
    try (GlobalTable table = start()) {
      assertThat(table.store().get("")).isNull();
      assertThat(table.content()).isEqualTo(topic.model);
    }
  }

  @Test
  void failsAtAKeyThatIsTooLongAndLeavesTheStoreUnlocked() throws Exception {
    topic.send(0, "k".repeat(65_536), "long");
    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(this::start)
          .isInstanceOf(ProcessorStateException.class)
          .hasMessageContaining("store 'customers'")
          .hasMessageContaining("65536")
          .hasMessageContaining("Stores.persistentKeyValueStore");
    }
  }

  /** Kafka Streams commits once more than 10,000 records came, and when the store is closed. */
  @ParameterizedTest
  @ValueSource(ints = {100, 11_000})
  void leavesTheStoreUnlockedWhenItCannotWriteWhatItHasCached(int changes) throws Exception {
    try (GlobalTable table = start()) {
      topic.send(0, "k".repeat(65_536), "long");
      topic.change(changes, random);
      if (changes > 10_000) {
        table.awaitFailure();
      } else {
        table.await(topic.mark());
      }
    }
    assertThatThrownBy(this::start)
        .isInstanceOf(ProcessorStateException.class)
        .hasMessageContaining("65536");
  }

  @Test
  void readsAnAddedPartitionFromItsStart() throws Exception {
    try (GlobalTable table = start()) {
      assertThat(table.content()).isEqualTo(topic.model);
    }
    topic.addPartition();
    topic.change(200, random);
    for (int round = 0; round < 2; round++) {
      try (GlobalTable table = start()) { // first a store, then a base, that lacks the partition
        assertThat(table.content()).isEqualTo(topic.model);
        assertThat(table.restored()).isEqualTo(200);
      }
      try (GlobalTable table = start()) {
        assertThat(table.restored()).isZero();
      }
      state = directory.resolve("other state");
    }
  }

  private KeyValueStore<Bytes, byte[]> open() {
    return open(context());
  }

  private KeyValueStore<Bytes, byte[]> open(StateStoreContext context) {
    KeyValueStore<Bytes, byte[]> store = SnapshotStores.keyValue("customers").base(base).get();
    store.init(context, store);
    return store;
  }

  private StateStoreContext context() {
    Properties config = new Properties();
    config.put(StreamsConfig.APPLICATION_ID_CONFIG, topic.name);
    config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers());
    return new MockProcessorContext<Void, Void>(config, new TaskId(-1, -1), state.toFile())
        .getStateStoreContext();
  }

  /** Kafka Streams commits before it closes a store, whatever has ended its thread. */
  @Test
  void commitsNothingWhenMemoryWasShortForAChange() {
    AtomicReference<BatchingStateRestoreCallback> restoring = new AtomicReference<>();
    StateStoreContext context = context();
    KeyValueStore<Bytes, byte[]> store =
        open(
            (StateStoreContext)
                Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {StateStoreContext.class},
                    (proxy, method, arguments) -> {
                      if (!method.getName().equals("register")) {
                        return method.invoke(context, arguments);
                      }
                      restoring.set((BatchingStateRestoreCallback) arguments[1]);
                      return null;
                    }));
    TopicPartition partition = new TopicPartition(topic.name, 0);
    long committed = store.committedOffset(partition);
    List<KeyValue<byte[], byte[]>> records =
        new AbstractList<>() {
          @Override
          public KeyValue<byte[], byte[]> get(int index) {
            throw new OutOfMemoryError("for a test");
          }

          @Override
          public int size() {
            return 1;
          }
        };
    assertThatThrownBy(() -> restoring.get().restoreAll(records))
        .isInstanceOf(OutOfMemoryError.class);
    store.commit(Map.of(partition, committed + 1));
    assertThat(store.committedOffset(partition)).isEqualTo(committed);
    assertThatThrownBy(store::approximateNumEntries)
        .isInstanceOf(InvalidStateStoreException.class)
        .hasMessage("store 'customers' is closed");
    KeyValueStore<Bytes, byte[]> again = open(); // as the files are not locked any more
    assertThat(again.committedOffset(partition)).isEqualTo(committed);
    again.close();
    store.close();
  }

  @Test
  void countsAChangedKeyOnce() throws Exception {
    KeyValueStore<Bytes, byte[]> store = open();
    long before = store.approximateNumEntries();
    assertThat(before).isEqualTo(topic.model.size());
    for (String key : topic.model.keySet()) {
      store.put(Bytes.wrap(key.getBytes(StandardCharsets.UTF_8)), new byte[9]);
    }
    assertThat(store.approximateNumEntries()).isEqualTo(before);
    Path manifest = manifest();
    byte[] content = Files.readAllBytes(manifest);
    Files.writeString(manifest, "not read again");
    assertThat(store.approximateNumEntries()).isEqualTo(before);
    Files.write(manifest, content);
    store.close();
  }

  private Path manifest() throws IOException {
    try (Stream<Path> files = Files.walk(state)) {
      return files.filter(file -> file.endsWith("manifest.json")).findAny().orElseThrow();
    }
  }
}
