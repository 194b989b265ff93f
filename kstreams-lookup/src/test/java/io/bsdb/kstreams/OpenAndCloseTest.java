package io.bsdb.kstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.kstreams.testing.TemporaryTable;
import io.bsdb.reader.follow.OnMissing;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.OpenFiles;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.kstream.KeyValueMapper;
import org.apache.kafka.streams.kstream.ValueJoiner;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OpenAndCloseTest {
  private static final KeyValueMapper<String, String, String> CUSTOMER = (key, order) -> order;
  private static final ValueJoiner<String, String, String> JOIN =
      (order, customer) -> order + "=" + customer;

  private TemporaryTable<String, String> table;

  @BeforeEach
  void create() {
    table = TemporaryTable.create(Serdes.String(), Serdes.String());
  }

  @AfterEach
  void delete() {
    table.close();
  }

  @Test
  void failsWithoutATable() {
    assertThatThrownBy(() -> table.lookup("customers").build())
        .isInstanceOf(NoSuchFileException.class)
        .hasMessage(
            table.directory()
                + "/CURRENT: no snapshot has been published here; build one, or check the path");
    Path nowhere = table.directory().resolve("nowhere");
    assertThatThrownBy(() -> table.lookup("customers").table(nowhere).build())
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining(nowhere.toString());
  }

  @Test
  void failsOnADamagedTableWhateverOnMissingSays() {
    Damage.publish(table.directory(), null);
    for (OnMissing onMissing :
        List.of(OnMissing.FAIL, OnMissing.EMPTY, OnMissing.waitFor(Duration.ofDays(1)))) {
      assertThatThrownBy(() -> table.lookup("customers").onMissing(onMissing).build())
          .isInstanceOf(CorruptSnapshotException.class);
    }
  }

  @Test
  void startsEmptyAndFindsTheFirstVersionLater() throws Exception {
    try (var customers = table.lookup("customers").onMissing(OnMissing.EMPTY).build();
        Joins joins = Joins.of(orders -> customers.leftJoin(orders, CUSTOMER, JOIN))) {
      assertThat(joins.send("o1", "c1")).containsExactly("c1=null");
      assertThat(customers.get("c1")).isNull();
      assertThat(customers.manifest()).isNull();
      assertThat(customers.refresh()).isFalse();
      table.publish(Map.of("c1", "Ada"));
      assertThat(customers.refresh()).isTrue();
      assertThat(joins.send("o2", "c1")).containsExactly("c1=Ada");
      assertThat(customers.get("c1")).isEqualTo("Ada");
      joins.close();
      assertThat(customers.table().holds()).isZero();
    }
  }

  @Test
  void staysEmptyWhenTheFirstVersionIsDamaged() throws Exception {
    try (var customers = table.lookup("customers").onMissing(OnMissing.EMPTY).build()) {
      Damage.publish(table.directory(), null);
      assertThatThrownBy(customers::refresh).isInstanceOf(CorruptSnapshotException.class);
      assertThat(customers.get("c1")).isNull();
      table.publish(Map.of("c1", "Ada"));
      assertThat(customers.refresh()).isTrue();
      assertThat(customers.get("c1")).isEqualTo("Ada");
    }
  }

  @Test
  void waitsForTheFirstVersion() throws Exception {
    FutureTask<SnapshotLookup<String, String>> building =
        new FutureTask<>(
            () ->
                table
                    .lookup("customers")
                    .refreshEvery(Duration.ofMillis(2))
                    .onMissing(OnMissing.waitFor(Duration.ofDays(1)))
                    .build());
    Thread thread = new Thread(building, "building");
    thread.start();
    Await.until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    table.publish(Map.of("c1", "Ada"));
    try (var customers = building.get()) {
      assertThat(customers.get("c1")).isEqualTo("Ada");
    }
  }

  @Test
  void waitsNoLongerThanItsTimeout() {
    assertThatThrownBy(
            () ->
                table
                    .lookup("customers")
                    .onMissing(OnMissing.waitFor(Duration.ofMillis(5)))
                    .build())
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageEndingWith("; waited PT0.005S");
  }

  @Test
  void waitingCanBeInterrupted() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(
            () ->
                table.lookup("customers").onMissing(OnMissing.waitFor(Duration.ofDays(1))).build())
        .isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void servesThePinnedVersion() throws Exception {
    String first = table.publish(Map.of("c1", "Ada"));
    table.publish(Map.of("c1", "Grace"));
    try (var customers = table.lookup("customers").pin(first).build()) {
      assertThat(customers.get("c1")).isEqualTo("Ada");
      assertThat(customers.refresh()).isFalse();
      assertThat(customers.get("c1")).isEqualTo("Ada");
    }
    assertThatThrownBy(() -> table.lookup("customers").pin("0000000009-00000000").build())
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("there is no version 0000000009-00000000");
  }

  @Test
  void startsEmptyWithoutThePinnedVersion() throws Exception {
    String pinned = table.publish(Map.of("c1", "Ada"));
    Path snapshot = table.directory().resolve("snapshots").resolve(pinned);
    Path away = Files.move(snapshot, table.directory().resolve("away"));
    try (var customers = table.lookup("customers").pin(pinned).onMissing(OnMissing.EMPTY).build()) {
      assertThat(customers.get("c1")).isNull();
      assertThat(customers.refresh()).isFalse();
      Files.move(away, snapshot);
      assertThat(customers.refresh()).isTrue();
      assertThat(customers.get("c1")).isEqualTo("Ada");
    }
  }

  @ParameterizedTest
  @EnumSource(Access.class)
  void readsInEveryWay(Access access) throws Exception {
    table.publish(Map.of("c1", "Ada"));
    try (var customers =
        table.lookup("customers").options(ReaderOptions.builder().access(access).build()).build()) {
      assertThat(customers.get("c1")).isEqualTo("Ada");
      assertThat(customers.get("c2")).isNull();
    }
  }

  @Test
  void refusesUseAfterClose() throws Exception {
    table.publish(Map.of("c1", "Ada"));
    var customers = table.lookup("customers").build();
    customers.close();
    customers.close();
    assertThatThrownBy(() -> customers.get("c1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("lookup 'customers' is closed");
    assertThatThrownBy(customers::refresh).hasMessage("lookup 'customers' is closed");
    assertThatThrownBy(() -> Joins.of(orders -> customers.leftJoin(orders, CUSTOMER, JOIN)).close())
        .hasStackTraceContaining("lookup 'customers' is closed");
    assertThat(customers.table().holds()).isZero();
  }

  /** As when shutdown hooks run in the wrong order. */
  @Test
  void tasksOutliveTheLookup() throws Exception {
    table.publish(Map.of("c1", "Ada"));
    var customers = table.lookup("customers").build();
    try (Joins joins = Joins.of(orders -> customers.leftJoin(orders, CUSTOMER, JOIN))) {
      assertThat(joins.send("o1", "c1")).containsExactly("c1=Ada");
      customers.close();
      assertThat(joins.send("o2", "c1")).containsExactly("c1=Ada");
      joins.driver.advanceWallClockTime(Duration.ofSeconds(2));
      assertThat(joins.send("o3", "c1")).containsExactly("c1=Ada");
      joins.close();
      assertThat(customers.table().holds()).isZero();
    }
  }

  @Test
  void tasksThatStartedEmptyOutliveTheLookup() throws Exception {
    var customers = table.lookup("customers").onMissing(OnMissing.EMPTY).build();
    try (Joins joins = Joins.of(orders -> customers.leftJoin(orders, CUSTOMER, JOIN))) {
      assertThat(joins.send("o1", "c1")).containsExactly("c1=null");
      customers.close();
      joins.driver.advanceWallClockTime(Duration.ofSeconds(2));
      assertThat(joins.send("o2", "c1")).containsExactly("c1=null");
    }
  }

  /** Kafka Streams closes none of the processors then, and the thread ends. */
  @Test
  void forgetsTasksOfWhichAProcessorCouldNotBeInitialised() throws Exception {
    table.publish(Map.of("c1", "Ada"));
    var customers = table.lookup("customers").build();
    failToStart(customers);
    assertThat(customers.table().holds()).isEqualTo(1);
    try (Joins joins = Joins.of(orders -> customers.leftJoin(orders, CUSTOMER, JOIN))) {
      assertThat(customers.table().holds()).isEqualTo(1);
      assertThat(joins.send("o1", "c1")).containsExactly("c1=Ada");
    }
    assertThat(customers.table().holds()).isZero();
    failToStart(customers);
    customers.close();
    assertThat(customers.table().holds()).isZero();
    assertThat(OpenFiles.mappings()).noneMatch(m -> m.contains(table.directory() + "/"));
  }

  private static void failToStart(SnapshotLookup<String, String> customers) throws Exception {
    FutureTask<Joins> starting =
        new FutureTask<>(
            () ->
                Joins.of(
                    orders ->
                        customers.leftJoin(orders, CUSTOMER, JOIN).process(FailingProcessor::new)));
    Thread thread = new Thread(starting, "starting");
    thread.start();
    thread.join();
    assertThatThrownBy(starting::get).hasStackTraceContaining("no connection");
  }

  private static final class FailingProcessor
      extends ContextualProcessor<String, String, String, String> {
    @Override
    public void init(ProcessorContext<String, String> context) {
      throw new IllegalStateException("no connection");
    }

    @Override
    public void process(Record<String, String> order) {}
  }

  @Test
  void checksItsOptions() {
    assertThatThrownBy(() -> SnapshotLookup.builder(" "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("name of a lookup is blank");
    assertThatThrownBy(() -> SnapshotLookup.builder("customers").build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("lookup 'customers': table(directory) is not set");
    assertThatThrownBy(() -> SnapshotLookup.builder("customers").table(table.directory()).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("lookup 'customers': neither serdes(keys, values)");
    assertThatThrownBy(() -> table.lookup("customers").refreshEvery(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("refresh interval: expected>0 actual=PT0S");
  }

  @Test
  void temporaryTableDeletesItself() {
    table.publish(Map.of("c1", "Ada"));
    assertThat(table.directory()).isDirectory();
    table.close();
    assertThat(Files.exists(table.directory())).isFalse();
    table = TemporaryTable.create(Serdes.String(), Serdes.String());
  }
}
