package io.bsdb.kstreams.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.live.WritableOptions;
import io.bsdb.live.WritableTable;
import io.bsdb.table.Table;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
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

@Tag("broker")
@Tag("stores")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@ExtendWith(BrokerExtension.class)
class GlobalTableTest {
  private static final String AT_LEAST_ONCE = "at_least_once";
  private static final String EXACTLY_ONCE = "exactly_once_v2";

  @TempDir private Path directory;
  private Broker broker;
  @AutoClose private CustomerTopic topic;
  private Path base;
  private Path state;
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  @BeforeEach
  void prepare(Broker shared, TestInfo test) throws Exception {
    System.out.println("seed of the changes: " + seed);
    broker = shared;
    base = directory.resolve("base");
    state = directory.resolve("state");
    topic =
        new CustomerTopic(
            broker,
            test.getTestMethod().orElseThrow().getName()
                + Integer.toUnsignedString(test.getDisplayName().hashCode()));
  }

  private void buildBase() throws Exception {
    topic.build(base, topic.endPositions());
  }

  private GlobalTable start(String guarantee) {
    return GlobalTable.start(broker, topic, base, state, guarantee);
  }

  private Path store() throws Exception {
    try (var stores = Files.find(state, 5, (path, attributes) -> path.endsWith("bsdb/customers"))) {
      return stores.findFirst().orElseThrow();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {AT_LEAST_ONCE, EXACTLY_ONCE})
  void readsWhatCameAfterTheBaseAndThenWhatCameWhileItWasClosed(String guarantee) throws Exception {
    topic.change(2_000, random);
    buildBase();
    topic.change(30, random);
    for (int round = 0; round < 4; round++) {
      try (GlobalTable table = start(guarantee)) {
        assertThat(table.restored()).isEqualTo(30);
        assertThat(table.content()).as("seed %d", seed).isEqualTo(topic.model);
        topic.change(300, random);
        table.await(topic.mark());
        assertThat(table.content()).as("seed %d", seed).isEqualTo(topic.model);
      }
      topic.change(30, random);
    }
  }

  @Test
  void goesOnAfterACrash() throws Exception {
    topic.change(2_000, random);
    buildBase();
    topic.change(30, random);
    Path output = directory.resolve("output");
    Process process = CrashingGlobalTable.start(broker, topic.name, base, state, output, 20_000);
    long deadline = System.nanoTime() + Traffic.PATIENCE.toNanos();
    while (process.isAlive() && !Files.readString(output).contains("started")) {
      assertThat(System.nanoTime()).as("started in time").isLessThan(deadline);
      LockSupport.parkNanos(20_000_000);
    }
    topic.change(25_000, random);
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue())
        .as(Files.readString(output))
        .isEqualTo(CrashingGlobalTable.EXIT_CODE);
    String mark = topic.mark();
    try (GlobalTable table = start(EXACTLY_ONCE)) {
      // A commit is due once more than 10,000 records came, and at least 5,000 were never read.
      assertThat(table.restored()).isBetween(5_000L, 15_500L);
      table.await(mark);
      assertThat(table.content()).as("seed %d", seed).isEqualTo(topic.model);
    }
  }

  @Test
  void refusesABaseThatDoesNotFit() throws Exception {
    topic.change(100, random);
    Map<String, String> positions = topic.endPositions();
    assertRefused(Map.of(), "it has no source positions of a topic");
    assertRefused(
        edited(positions, topic.name + "/", "absent/"),
        "topic=absent: the cluster does not describe the topic 'absent'");
    assertRefused(edited(positions, "kafka:", "kafka:x"), "it is of another cluster");
    assertRefused(
        edited(positions, topic.name + "/", topic.name + "/x"),
        "the topic was deleted and created again");
    Map<String, String> two = new HashMap<>(positions);
    two.put("kafka:x/y/z/0", "1");
    assertRefused(two, "it has source positions of several topics");
    Map<String, String> more = new HashMap<>(positions);
    positions.forEach((name, offset) -> more.put(name.replaceFirst("/1$", "/7"), offset));
    assertRefused(
        more,
        "it has positions of partitions that the topic does not have: expected=[0, 1] actual=[0, 1, 7]");
    assertRefused(
        offsets(positions, "1000"),
        "the topic ends before it: partition=0 position=1000 end offset=");
    assertRefused(offsets(positions, "-1"), "a source position is not understood");
    Map<String, String> odd = new HashMap<>(positions);
    odd.replaceAll((name, offset) -> name.endsWith("/as-of") ? "yesterday" : offset);
    assertRefused(odd, "a source position is not understood");
    topic
        .admin
        .deleteRecords(Map.of(new TopicPartition(topic.name, 0), RecordsToDelete.beforeOffset(10)))
        .all()
        .get(1, TimeUnit.MINUTES);
    assertRefused(
        offsets(positions, "9"),
        "records after it were deleted: partition=0 position=9 first offset=10");

    // Nothing is left of the refused ones.
    buildBase();
    try (GlobalTable table = start(AT_LEAST_ONCE)) {
      assertThat(table.content()).isEqualTo(topic.model);
    }
  }

  private static Map<String, String> offsets(Map<String, String> positions, String offset) {
    Map<String, String> edited = new HashMap<>(positions);
    edited.replaceAll((name, before) -> name.endsWith("/as-of") ? before : offset);
    return edited;
  }

  private static Map<String, String> edited(
      Map<String, String> positions, String part, String other) {
    Map<String, String> edited = new HashMap<>();
    positions.forEach((name, offset) -> edited.put(name.replace(part, other), offset));
    return edited;
  }

  private void assertRefused(Map<String, String> positions, String why) throws Exception {
    topic.build(base, positions);
    String version = Table.at(base).requireCurrentVersion();
    assertThatThrownBy(() -> start(AT_LEAST_ONCE))
        .isInstanceOf(StreamsException.class)
        .hasMessageContaining("the store cannot begin with this base: store=customers")
        .hasMessageContaining(version)
        .hasMessageContaining(why)
        .hasMessageContaining("build the base again");
  }

  @Test
  void refusesABaseThatIsOlderThanTheTopicKeepsDeletes() throws Exception {
    try (CustomerTopic forgetful = new CustomerTopic(broker, topic.name + "-forgetful", "0")) {
      forgetful.change(100, random);
      forgetful.build(base, forgetful.endPositions());
      assertThatThrownBy(() -> GlobalTable.start(broker, forgetful, base, state, AT_LEAST_ONCE))
          .isInstanceOf(StreamsException.class)
          .hasMessageContaining("it is older than the topic keeps deletes")
          .hasMessageContaining("delete.retention.ms=0");
    }
  }

  /** When the base was published does not matter: its job may have paused for long before. */
  @Test
  void refusesABaseWhoseTopicWasReadTooLongAgo() throws Exception {
    topic.change(100, random);
    Map<String, String> positions = new HashMap<>(topic.endPositions());
    String asOf =
        positions.keySet().stream()
            .filter(name -> name.endsWith("/as-of"))
            .findFirst()
            .orElseThrow();
    positions.put(asOf, Instant.now().minus(Duration.ofHours(25)).toString());
    assertRefused(positions, "it is older than the topic keeps deletes");
    positions.put(asOf, Instant.now().plus(Duration.ofHours(1)).toString());
    assertRefused(positions, "it has the topic as of a time in the future");
    positions.remove(asOf);
    assertRefused(positions, "it does not record as of when it has the topic");
  }

  @Test
  void refusesABaseThatIsNotThere() {
    assertThatThrownBy(() -> start(AT_LEAST_ONCE))
        .isInstanceOf(StreamsException.class)
        .hasMessageContaining("store 'customers' cannot be opened")
        .hasMessageContaining(base.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {AT_LEAST_ONCE, EXACTLY_ONCE})
  void refusesAStoreWhoseTopicWasCreatedAnew(String guarantee) throws Exception {
    topic.change(100, random);
    buildBase();
    start(guarantee).close();
    topic.createAnew();
    assertThatThrownBy(() -> start(guarantee))
        .isInstanceOf(StreamsException.class)
        .hasMessageContaining("the store does not fit its topic: store=customers")
        .hasMessageContaining("the topic was deleted and created again")
        .hasMessageContaining("delete the directory");
    assertThat(store()).exists();
  }

  @Test
  void keepsAStoreThatCannotBeOpened() throws Exception {
    topic.change(100, random);
    buildBase();
    start(EXACTLY_ONCE).close();
    topic.change(100, random);
    WritableTable other = WritableTable.open(store(), WritableOptions.defaults());
    assertThatThrownBy(() -> start(EXACTLY_ONCE))
        .isInstanceOf(StreamsException.class)
        .hasMessageContaining("store 'customers' cannot be opened")
        .hasMessageContaining("table is open for writing");
    other.close();
    topic.build(base, Map.of()); // so that the store cannot begin again
    try (GlobalTable table = start(EXACTLY_ONCE)) {
      assertThat(table.restored()).isEqualTo(100);
      assertThat(table.content()).isEqualTo(topic.model);
    }
  }

  @Test
  void refusesTheBaseOfAnotherTopic() throws Exception {
    topic.change(100, random);
    buildBase();
    try (CustomerTopic other = new CustomerTopic(broker, topic.name + "-other")) {
      assertThatThrownBy(() -> GlobalTable.start(broker, other, base, state, AT_LEAST_ONCE))
          .isInstanceOf(StreamsException.class)
          .hasMessageContaining("store 'customers' has another topic's records")
          .hasMessageContaining("expected topic=" + other.name + " actual=" + topic.name);
    }
  }

  /** A later base is of use to applications that have no store yet. */
  @Test
  void keepsToItsOwnTableOnceItHasBegun() throws Exception {
    topic.change(100, random);
    buildBase();
    start(EXACTLY_ONCE).close();
    topic.build(base, Map.of());
    topic.change(100, random);
    try (GlobalTable table = start(EXACTLY_ONCE)) {
      assertThat(table.restored()).isEqualTo(100);
      assertThat(table.content()).isEqualTo(topic.model);
    }
  }

  /** Offsets of the store that the table had before are beyond what the base has. */
  @Test
  void ignoresTheOffsetsOfAnOlderKafkaStreams() throws Exception {
    topic.change(100, random);
    buildBase();
    start(AT_LEAST_ONCE).close();
    Path store = store();
    Path global = store.getParent().getParent();
    topic.change(100, random);
    StringBuilder checkpoint = new StringBuilder("0\n2\n");
    for (Map.Entry<String, String> end : topic.endPositions().entrySet()) {
      String partition = end.getKey().substring(end.getKey().lastIndexOf('/') + 1);
      if (partition.equals("as-of")) {
        continue;
      }
      checkpoint.append(topic.name).append(' ').append(partition).append(' ');
      checkpoint.append(end.getValue()).append('\n');
    }
    Files.writeString(global.resolve(".checkpoint"), checkpoint, StandardCharsets.UTF_8);
    try (GlobalTable table = start(AT_LEAST_ONCE)) {
      assertThat(table.restored()).isEqualTo(100);
      assertThat(table.content()).isEqualTo(topic.model);
    }
  }

  @Test
  void findsSingleKeysOnly() throws Exception {
    topic.change(100, random);
    buildBase();
    try (GlobalTable table = start(AT_LEAST_ONCE)) {
      ReadOnlyKeyValueStore<String, String> store = table.store();
      assertThat(store.get("nobody")).isNull();
      assertThat(store.approximateNumEntries()).isEqualTo(topic.model.size());
      for (var call :
          List.<Supplier<KeyValueIterator<String, String>>>of(
              () -> store.range("a", "b"),
              () -> store.reverseRange("a", "b"),
              store::all,
              store::reverseAll,
              () -> store.prefixScan("a", new StringSerializer()))) {
        assertThatThrownBy(() -> call.get().hasNext())
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessageContaining("store 'customers'")
            .hasMessageContaining("single keys");
      }
    }
  }
}
