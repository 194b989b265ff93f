package io.bsdb.kstreams.broker;

import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.kstreams.store.SnapshotStores;
import io.bsdb.kstreams.store.TopicRead;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Tag("broker")
@Tag("stores")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@ExtendWith(BrokerExtension.class)
class ReadTopicTest {
  @TempDir private Path directory;
  private Broker broker;
  private String test;
  @AutoClose private CustomerTopic topic;
  private Path base;
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  @BeforeEach
  void prepare(Broker shared, TestInfo info) throws Exception {
    System.out.println("seed of the changes: " + seed);
    broker = shared;
    base = directory.resolve("base");
    test = info.getTestMethod().orElseThrow().getName();
    topic = new CustomerTopic(broker, test);
  }

  private TopicRead read() throws Exception {
    return read(Map.of());
  }

  private TopicRead read(Map<String, String> settings) throws Exception {
    Map<String, String> all = new HashMap<>(settings);
    all.put("bootstrap.servers", topic.bootstrapServers);
    return SnapshotStores.readTopic(all, topic.name, base);
  }

  /** Replaces the positions of the base, as if it had been read at another time. */
  private void edit(String suffix, String position) throws Exception {
    Table.at(base)
        .edit(
            manifest -> {
              Map<String, String> positions = new HashMap<>(manifest.sourcePositions());
              positions.replaceAll((name, old) -> name.endsWith(suffix) ? position : old);
              return manifest.with(manifest.partitions(), positions, manifest.changes());
            });
  }

  private Map<String, String> content() throws IOException {
    Map<String, String> content = new HashMap<>();
    try (SnapshotReader reader = SnapshotReader.open(base);
        RecordCursor cursor = reader.scan()) {
      while (cursor.next()) {
        content.put(text(cursor.key()), text(cursor.value()));
      }
    }
    return content;
  }

  @Test
  void readsTheTopicAndThenWhatIsNew() throws Exception {
    topic.change(3_000, random);
    TopicRead first = read();
    assertThat(first.restarted()).isEqualTo("there is no base yet");
    assertThat(first.records()).isEqualTo(3_000);
    assertThat(content()).as("seed %d", seed).isEqualTo(topic.model);
    for (int round = 0; round < 3; round++) {
      topic.change(300, random);
      TopicRead next = read();
      assertThat(next.restarted()).isNull();
      assertThat(next.records()).isEqualTo(300);
      assertThat(next.version()).isEqualTo(Table.at(base).currentVersion());
      assertThat(content()).as("seed %d", seed).isEqualTo(topic.model);
    }
    Path leftover = Files.createDirectories(directory.resolve("base~reading"));
    Files.writeString(leftover.resolve("file"), "left by a kill after all was published");
    assertThat(read().records()).isZero();
    topic.addPartition();
    topic.change(300, random);
    assertThat(read().restarted()).isNull();
    try (GlobalTable table =
        GlobalTable.start(broker, topic, base, directory.resolve("state"), "at_least_once")) {
      assertThat(table.restored()).isZero();
      assertThat(table.content()).as("seed %d", seed).isEqualTo(topic.model);
    }
    try (var files = Files.list(directory)) {
      assertThat(files).containsExactlyInAnyOrder(base, directory.resolve("state"));
    }
  }

  @Test
  void readsATopicWithoutKeys() throws Exception {
    assertThat(read().records()).isZero();
    assertThat(content()).isEmpty();
    topic.createAnew();
    topic.send(0, "a", "gone");
    topic.send(0, "a", null);
    assertThat(read().restarted()).contains("the topic was deleted and created again");
    assertThat(content()).isEmpty();
    topic.change(100, random);
    try (GlobalTable table =
        GlobalTable.start(broker, topic, base, directory.resolve("state"), "at_least_once")) {
      assertThat(table.restored()).isEqualTo(100);
      assertThat(table.content()).as("seed %d", seed).isEqualTo(topic.model);
    }
  }

  @Test
  void readsCommittedRecordsOnly() throws Exception {
    try (KafkaProducer<String, String> producer =
        topic.producer(Map.of("transactional.id", test))) {
      producer.initTransactions();
      producer.beginTransaction();
      send(producer, "a", "committed");
      producer.commitTransaction();
      producer.beginTransaction();
      send(producer, "a", "aborted");
      send(producer, "b", "aborted");
      producer.abortTransaction();
      assertThat(read().records()).isEqualTo(1);
      assertThat(content()).isEqualTo(Map.of("a", "committed"));

      producer.beginTransaction();
      send(producer, "c", "in progress");
      producer.flush();
      topic.send(0, "d", "after it");
      assertThat(read().records()).isZero();
      assertThat(content()).isEqualTo(Map.of("a", "committed"));
      producer.commitTransaction();
      assertThat(read().records()).isEqualTo(2);
      assertThat(content())
          .isEqualTo(Map.of("a", "committed", "c", "in progress", "d", "after it"));
    }
  }

  private void send(KafkaProducer<String, String> producer, String key, String value)
      throws Exception {
    producer.send(new ProducerRecord<>(topic.name, 0, key, value)).get();
  }

  @Test
  void skipsRecordsWithoutAKey() throws Exception {
    try (CustomerTopic keyless =
        new CustomerTopic(broker, test + "-delete", Map.of("cleanup.policy", "delete"))) {
      keyless.send(0, null, "nobody");
      keyless.send(0, "", "nobody");
      keyless.send(1, "", null);
      keyless.send(1, "a", "somebody");
      SnapshotStores.readTopic(
          Map.of("bootstrap.servers", topic.bootstrapServers), keyless.name, base);
      assertThat(content()).isEqualTo(Map.of("a", "somebody"));
    }
  }

  @Test
  void namesATopicThatTheClusterDoesNotHave() {
    assertThatThrownBy(
            () ->
                SnapshotStores.readTopic(
                    Map.of("bootstrap.servers", topic.bootstrapServers), "custommers", base))
        .isInstanceOf(ExecutionException.class)
        .hasMessageStartingWith("the cluster does not describe the topic 'custommers': ")
        .hasMessageEndingWith("; check its name, and that this user may describe it")
        .hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
    assertThat(base).doesNotExist();
  }

  @Test
  void beginsAgainWhenSomethingMayBeMissing() throws Exception {
    topic.change(100, random);
    read();
    edit("/as-of", Instant.now().minus(Duration.ofHours(25)).toString());
    assertThat(read().restarted()).contains("it is older than the topic keeps deletes");
    assertThat(content()).as("seed %d", seed).isEqualTo(topic.model);

    edit("/as-of", Instant.now().plus(Duration.ofHours(1)).toString());
    assertThat(read().restarted()).contains("it has the topic as of a time in the future");
    assertThat(content()).as("seed %d", seed).isEqualTo(topic.model);

    topic.createAnew();
    topic.model.clear();
    topic.change(100, random);
    assertThat(read().restarted()).contains("the topic was deleted and created again");
    assertThat(content()).as("seed %d", seed).isEqualTo(topic.model);

    topic.change(100, random);
    edit("/0", "0");
    topic
        .admin
        .deleteRecords(Map.of(new TopicPartition(topic.name, 0), RecordsToDelete.beforeOffset(1)))
        .all()
        .get(1, TimeUnit.MINUTES);
    TopicRead last = read();
    assertThat(last.restarted()).contains("records after it were deleted: partition=0 position=0");
    assertThat(last.records()).isEqualTo(199);
    assertThat(read().restarted()).isNull();
  }

  @Test
  void failsAndLeavesTheBaseAsItWas() throws Exception {
    topic.change(100, random);
    String version = read().version();
    topic.send(0, "k".repeat(65_536), "long");
    long offset =
        Long.parseLong(
                topic.endPositions().entrySet().stream()
                    .filter(end -> end.getKey().endsWith("/0"))
                    .findFirst()
                    .orElseThrow()
                    .getValue())
            - 1;
    assertThatThrownBy(this::read)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("topic=%s partition=0 offset=%d: key length".formatted(test, offset));
    assertThat(Table.at(base).versions()).containsExactly(version);

    CustomerTopic other = topic;
    topic = new CustomerTopic(broker, test + "-forgetful", "0");
    other.close();
    assertThatThrownBy(this::read)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the table is not a base of this topic")
        .hasMessageContaining("it has the topic '" + test + "'");
    base = directory.resolve("forgetful");
    assertThatThrownBy(this::read)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("raise the topic's delete.retention.ms");
    assertThat(Table.at(base).currentVersion()).isNull();
  }

  /** Interrupts the thread that reads, when some of the records have come. */
  public static final class Interrupter implements ConsumerInterceptor<byte[], byte[]> {
    private int polls;

    @Override
    public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
      polls++;
      if (polls == 30) {
        Thread.currentThread().interrupt();
      }
      return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

    @Override
    public void configure(Map<String, ?> configs) {}

    @Override
    public void close() {}
  }

  @Test
  void continuesAFirstReadThatWasInterrupted() throws Exception {
    Map<String, String> sent = new HashMap<>();
    for (int i = 0; i < 40; i++) {
      String value = Integer.toString(i).repeat(40_000);
      topic.send(0, "k" + i, value);
      sent.put("k" + i, value);
    }
    assertThatThrownBy(
            () ->
                read(
                    Map.of(
                        "max.poll.records",
                        "1",
                        "interceptor.classes",
                        Interrupter.class.getName())))
        .isInstanceOf(InterruptException.class);
    assertThat(Thread.interrupted()).isTrue();
    TopicRead second = read();
    assertThat(second.restarted()).isEqualTo("there is no base yet");
    assertThat(second.records()).isBetween(1L, 39L);
    assertThat(content()).isEqualTo(sent);
  }
}
