package io.bsdb.kstreams.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.kstreams.LookupBuilder;
import io.bsdb.kstreams.SnapshotLookup;
import io.bsdb.reader.follow.OnMissing;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.ForeachAction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Tag("broker")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@ExtendWith(BrokerExtension.class)
class BrokerTest {
  private static final ForeachAction<String, String> NOTHING = (key, value) -> {};

  @TempDir private Path stateDirectory;
  private Broker broker;
  private NumberedTable table;
  private Traffic traffic;
  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

  @BeforeEach
  void prepare(Broker shared, TestInfo test) throws Exception {
    broker = shared;
    table = new NumberedTable();
    traffic = new Traffic(broker, new TopicNames(test.getTestMethod().orElseThrow().getName()));
  }

  /** Nothing is left open, whatever a test did. */
  @AfterEach
  void cleanUp() throws Exception {
    traffic.close();
    assertThat(table.mappedVersions()).isEmpty();
    assertThat(table.openFiles()).isEmpty();
    await(
        "the lookup's thread to end",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(t -> t.getName().startsWith("bsdb-refresh")));
    table.close();
  }

  private LookupBuilder<String, String> lookup() {
    return table
        .lookup("customers")
        .versionHeader(Enrichment.VERSION_HEADER)
        .listener(
            new TableReader.Listener() {
              @Override
              public void onRefreshed(Manifest manifest) {
                heard.add("refreshed " + NumberedTable.number(manifest.version()));
              }

              @Override
              public void onRefreshFailed(String version, Exception failure) {
                heard.add("refused " + NumberedTable.number(version));
              }
            });
  }

  private void awaitHearing(String news) throws InterruptedException {
    assertThat(heard.poll(1, TimeUnit.MINUTES)).isEqualTo(news);
  }

  private KafkaStreams start(
      SnapshotLookup<String, String> customers,
      ForeachAction<String, String> afterwards,
      String instance) {
    return start(customers, afterwards, instance, Map.of());
  }

  private KafkaStreams start(
      SnapshotLookup<String, String> customers,
      ForeachAction<String, String> afterwards,
      String instance,
      Map<String, Object> settings) {
    KafkaStreams streams =
        Enrichment.streams(
            Enrichment.topology(customers, traffic.names, afterwards),
            broker.bootstrapServers(),
            traffic.names,
            stateDirectory.resolve(instance),
            settings);
    streams.setUncaughtExceptionHandler(failure -> StreamThreadExceptionResponse.REPLACE_THREAD);
    streams.start();
    return streams;
  }

  private static void stop(KafkaStreams streams) {
    assertThat(streams.close(Traffic.PATIENCE)).isTrue();
  }

  /** Every order once, each with the value that the version in its header had. */
  private void assertResults() {
    for (Traffic.Enriched result : traffic.results()) {
      assertThat(result.value())
          .endsWith(
              result.version() == null ? "=null" : "=" + NumberedTable.number(result.version()));
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + Traffic.PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited for %s", what).isLessThan(deadline);
      LockSupport.parkNanos(20_000_000);
    }
  }

  @Test
  void countsEveryOrderOnceThroughAbortsAndSwaps() throws Exception {
    table.publish();
    Set<String> failures = ConcurrentHashMap.newKeySet();
    failures.addAll(List.of("o150", "o333", "o614"));
    try (var customers = lookup().build()) {
      KafkaStreams streams =
          start(
              customers,
              (key, value) -> {
                if (failures.remove(key)) {
                  throw new IllegalStateException("aborts the transaction");
                }
              },
              "a");
      for (int round = 0; round < 4; round++) {
        traffic.send(200);
        table.publish();
        assertThat(customers.refresh()).isTrue();
      }
      traffic.awaitAll();
      table.publish();
      assertThat(customers.refresh()).isTrue();
      traffic.send(4 * Traffic.CUSTOMERS);
      traffic.awaitAll();
      stop(streams);
    }
    assertThat(failures).isEmpty();
    assertResults();
    assertThat(traffic.last().value()).endsWith("=" + table.published());
  }

  @Test
  void rebalancesWhileSwapping() throws Exception {
    table.publish();
    try (var customers = lookup().build()) {
      KafkaStreams first = start(customers, NOTHING, "a");
      traffic.send(400);
      traffic.awaitAll();
      awaitLookupMetrics(first);
      KafkaStreams second = start(customers, NOTHING, "b");
      for (int round = 0; round < 3; round++) {
        traffic.send(200);
        table.publish();
        assertThat(customers.refresh()).isTrue();
      }
      await(
          "each of two instances with two threads to have two of four tasks",
          () -> lookupMetrics(first) == 2 && lookupMetrics(second) == 2);
      traffic.send(200);
      traffic.awaitAll();
      await(
          "idle tasks to let go of old versions",
          () -> table.mappedVersions().equals(Set.of(table.published())));
      stop(first);
      table.publish();
      assertThat(customers.refresh()).isTrue();
      traffic.send(200);
      traffic.awaitAll();
      awaitLookupMetrics(second);
      stop(second);
      await(
          "no task to hold a version",
          () -> table.mappedVersions().equals(Set.of(table.published())));
    }
    assertResults();
    assertThat(traffic.last().value()).endsWith("=" + table.published());
  }

  /**
   * Awaits one set of metrics per task: a task that moves between threads has none for a moment.
   */
  private static void awaitLookupMetrics(KafkaStreams streams) {
    await(
        "one set of metrics for each of the tasks",
        () -> lookupMetrics(streams) == Traffic.PARTITIONS);
  }

  private static long lookupMetrics(KafkaStreams streams) {
    return streams.metrics().keySet().stream()
        .filter(
            name ->
                name.group().equals("stream-bsdb-lookup-metrics")
                    && name.name().equals("hit-total"))
        .count();
  }

  @Test
  void goesOnWhereACrashedProcessStopped() throws Exception {
    table.publish();
    traffic.send(400);
    Path output = Files.createDirectory(stateDirectory.resolve("crashed"));
    Process process =
        CrashingApplication.start(
            broker.bootstrapServers(), traffic.names, table.directory(), output, 250);
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue())
        .as(() -> read(output.resolve("output")))
        .isEqualTo(CrashingApplication.EXIT_CODE);
    table.publish();
    traffic.send(100);
    try (var customers = lookup().build()) {
      KafkaStreams streams = start(customers, NOTHING, "a");
      traffic.awaitAll();
      stop(streams);
    }
    assertResults();
    assertThat(traffic.last().value()).endsWith("=2");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @Tag("dead-letters")
  void sendsWhatCannotBeReadToTheDeadLetterTopic() throws Exception {
    table.publish();
    table.damageRecords();
    try (var customers = lookup().build()) {
      KafkaStreams streams =
          start(
              customers,
              NOTHING,
              "a",
              Map.of(
                  StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG,
                  LogAndContinueProcessingExceptionHandler.class,
                  StreamsConfig.ERRORS_DEAD_LETTER_QUEUE_TOPIC_NAME_CONFIG,
                  traffic.names.deadLetters()));
      traffic.send(8);
      assertThat(traffic.awaitDeadLetters(8))
          .containsExactlyInAnyOrder("o0", "o1", "o2", "o3", "o4", "o5", "o6", "o7");
      table.publish();
      assertThat(customers.refresh()).isTrue();
      traffic.send(8);
      traffic.awaitAll();
      stop(streams);
    }
    assertResults();
    assertThat(traffic.results())
        .extracting(Traffic.Enriched::value)
        .allMatch(v -> v.endsWith("=2"));
  }

  @Test
  void servesTheOldVersionWhenTheNewOneIsDamaged() throws Exception {
    table.publish();
    try (var customers = lookup().refreshEvery(Duration.ofMillis(20)).build()) {
      KafkaStreams streams = start(customers, NOTHING, "a");
      traffic.send(100);
      table.publishDamaged();
      awaitHearing("refused 2");
      traffic.send(100);
      traffic.awaitAll();
      assertThat(traffic.last().value()).endsWith("=1");
      table.publish();
      awaitHearing("refreshed 3");
      traffic.send(100);
      traffic.awaitAll();
      assertThat(traffic.last().value()).endsWith("=3");
      assertThat(heard).isEmpty();
      stop(streams);
    }
    assertResults();
  }

  @Test
  void startsBeforeTheTable() throws Exception {
    assertThatThrownBy(() -> lookup().build()).isInstanceOf(NoSuchFileException.class);
    var waiting =
        new FutureTask<>(
            () -> lookup().onMissing(OnMissing.waitFor(Duration.ofMinutes(5))).build());
    new Thread(waiting, "waits for the table").start();
    try (var customers =
        lookup().refreshEvery(Duration.ofMillis(20)).onMissing(OnMissing.EMPTY).build()) {
      KafkaStreams streams = start(customers, NOTHING, "a");
      traffic.send(100);
      traffic.awaitAll();
      assertThat(traffic.last().value()).endsWith("=null");
      table.publish();
      awaitHearing("refreshed 1");
      traffic.send(100);
      traffic.awaitAll();
      assertThat(traffic.last().value()).endsWith("=1");
      stop(streams);
    }
    try (var customers = waiting.get(1, TimeUnit.MINUTES)) {
      assertThat(customers.get("c1")).isEqualTo("1");
    }
    assertResults();
  }
}
