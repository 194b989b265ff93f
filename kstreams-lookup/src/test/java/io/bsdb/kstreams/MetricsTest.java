package io.bsdb.kstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.kstreams.testing.TemporaryTable;
import io.bsdb.reader.follow.OnMissing;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.memory.MemoryBudgetExceededException;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.InService;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KeyValueMapper;
import org.apache.kafka.streams.kstream.ValueJoiner;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsTest {
  private static final KeyValueMapper<String, String, String> CUSTOMER =
      (key, order) -> order.equals("nobody") ? null : order;
  private static final ValueJoiner<String, String, String> JOIN = (order, customer) -> order;

  private TemporaryTable<String, String> table;

  @BeforeEach
  void publish() {
    table = TemporaryTable.create(Serdes.String(), Serdes.String());
    table.publish(Map.of("c1", "Ada"));
  }

  @AfterEach
  void delete() {
    table.close();
  }

  static Map<String, Double> values(TopologyTestDriver driver, String id) {
    return values(driver.metrics(), id);
  }

  private static Map<String, Double> values(Map<MetricName, ? extends Metric> metrics, String id) {
    Map<String, Double> values = new TreeMap<>();
    metrics.forEach(
        (name, metric) -> {
          if (isOurs(name) && id.equals(name.tags().get("bsdb-lookup-id"))) {
            values.put(name.name(), (Double) metric.metricValue());
          }
        });
    return values;
  }

  static boolean isOurs(MetricName name) {
    return name.group().equals("stream-bsdb-lookup-metrics");
  }

  @Test
  void countsWhatEachJoinDoes() throws Exception {
    try (var customers = table.lookup("customers").build();
        Joins joins =
            Joins.of(
                orders ->
                    customers
                        .join(orders, CUSTOMER, JOIN)
                        .merge(customers.leftJoin(orders, CUSTOMER, JOIN)))) {
      for (String order : new String[] {"c1", "c1", "c2", "nobody", null}) {
        joins.orders.pipeInput("o", order);
      }
      assertThat(values(joins.driver, "customers-0-0_0"))
          .containsEntry("hit-total", 2.0)
          .containsEntry("miss-total", 1.0)
          .containsEntry("dropped-total", 2.0)
          .containsEntry("refresh-failed-total", 0.0)
          .containsEntry("memory-budget-bytes", 0.0)
          .containsEntry("memory-index-bytes", 0.0)
          .containsEntry("memory-refused-total", 0.0)
          .containsEntry("snapshot-sequence", 1.0)
          .hasEntrySatisfying("snapshot-age-ms", age -> assertThat(age).isGreaterThanOrEqualTo(0));
      assertThat(values(joins.driver, "customers-1-0_0"))
          .containsEntry("hit-total", 2.0)
          .containsEntry("miss-total", 1.0)
          .containsEntry("dropped-total", 1.0);

      Damage.publish(table.directory(), null);
      assertThatThrownBy(customers::refresh).isInstanceOf(CorruptSnapshotException.class);
      table.publish(Map.of("c1", "Grace"));
      customers.refresh();
      assertThat(values(joins.driver, "customers-1-0_0"))
          .containsEntry("refresh-failed-total", 1.0)
          .containsEntry("snapshot-sequence", 3.0);
    }
  }

  @Test
  void aVersionOfTheFutureHasNoAge() throws Exception {
    InService.publishedAt(table.directory(), Instant.now().plus(Duration.ofHours(1)));
    try (var customers = table.lookup("customers").build();
        Joins joins = Joins.of(orders -> customers.join(orders, CUSTOMER, JOIN))) {
      assertThat(values(joins.driver, "customers-0-0_0")).containsEntry("snapshot-age-ms", 0.0);
    }
  }

  @Test
  void showsTheMemoryBudgetOfReadersFromDisk() throws Exception {
    MemoryBudget memory = MemoryBudget.of(1 << 20);
    ReaderOptions options = ReaderOptions.builder().access(Access.DIRECT).memory(memory).build();
    try (var customers = table.lookup("customers").options(options).build();
        Joins joins = Joins.of(orders -> customers.join(orders, CUSTOMER, JOIN))) {
      assertThatThrownBy(() -> memory.claim(1 << 21, "more than the limit", "none"))
          .isInstanceOf(MemoryBudgetExceededException.class);

      assertThat(memory.indexBytes()).isPositive();
      assertThat(values(joins.driver, "customers-0-0_0"))
          .containsEntry("memory-budget-bytes", (double) (1 << 20))
          .containsEntry("memory-index-bytes", (double) memory.indexBytes())
          .containsEntry("memory-refused-total", 1.0);
    }
  }

  @Test
  void tellsThatThereIsNoTable() throws Exception {
    try (var empty = TemporaryTable.create(Serdes.String(), Serdes.String());
        var customers = empty.lookup("customers").onMissing(OnMissing.EMPTY).build();
        Joins joins = Joins.of(orders -> customers.leftJoin(orders, CUSTOMER, JOIN))) {
      assertThat(values(joins.driver, "customers-0-0_0"))
          .containsEntry("snapshot-sequence", 0.0)
          .containsEntry("snapshot-age-ms", Double.NaN);
    }
  }

  @Test
  void measuresLatencyAtDebugLevelOnly() throws Exception {
    try (var customers = table.lookup("customers").build()) {
      for (String level : List.of("INFO", "DEBUG")) {
        StreamsBuilder builder = new StreamsBuilder();
        customers.join(builder.<String, String>stream("orders"), CUSTOMER, JOIN);
        Properties config = Joins.config();
        config.put(StreamsConfig.METRICS_RECORDING_LEVEL_CONFIG, level);
        try (var driver = new TopologyTestDriver(builder.build(), config)) {
          driver
              .createInputTopic(
                  "orders", Serdes.String().serializer(), Serdes.String().serializer())
              .pipeInput("o", "c1");
          double count = level.equals("DEBUG") ? 1 : 0;
          String id = "customers-" + (level.equals("DEBUG") ? 1 : 0) + "-0_0";
          assertThat(values(driver, id))
              .containsEntry("hit-total", 1.0)
              .containsEntry("lookup-total", count);
        }
      }
    }
  }

  /**
   * A sensor's name is all that identifies it: one task's must not be removed with its sibling's.
   */
  @Test
  void tasksAndJoinsDoNotShareSensors() throws Exception {
    try (var customers = table.lookup("customers").build();
        Joins joins =
            Joins.of(
                (builder, orders) -> {
                  KStream<String, String> refunds = builder.stream("refunds");
                  customers.join(refunds, CUSTOMER, JOIN).to("refunded");
                  return customers.join(orders, CUSTOMER, JOIN);
                })) {
      joins.send("o", "c1");
      assertThat(values(joins.driver, "customers-0-0_0")).containsEntry("hit-total", 0.0);
      assertThat(values(joins.driver, "customers-1-0_0")).containsEntry("hit-total", 1.0);
      joins.close();
      assertThat(joins.driver.metrics().keySet()).noneMatch(MetricsTest::isOurs);
    }
  }

  /** Of a thread that ended because a processor could not be initialised, no task was closed. */
  @Test
  void countsAgainInAThreadThatIsNamedAsOneThatEnded(@TempDir Path directory) throws Exception {
    try (var customers = table.lookup("customers").build()) {
      var context =
          new MockProcessorContext<String, String>(
              Joins.config(), new TaskId(0, 0), directory.toFile());
      for (int hits = 1; hits <= 2; hits++) {
        int count = hits;
        FutureTask<TaskLookup<String, String>> task =
            new FutureTask<>(
                () -> {
                  TaskLookup<String, String> inTask = customers.forTask(context);
                  for (int i = 0; i < count; i++) {
                    assertThat(inTask.get("c1")).isEqualTo("Ada");
                  }
                  return inTask;
                });
        Thread thread = new Thread(task, "stream-thread");
        thread.start();
        thread.join();
        assertThat(task.get()).isNotNull();
        assertThat(values(context.metrics().metrics(), "customers-p0-0_0"))
            .containsEntry("hit-total", (double) count);
      }
    }
  }

  @Test
  void removesTheMetricsOfAThreadThatEnded(@TempDir Path directory) throws Exception {
    try (var customers = table.lookup("customers").build()) {
      var context =
          new MockProcessorContext<String, String>(
              Joins.config(), new TaskId(0, 0), directory.toFile());
      FutureTask<TaskLookup<String, String>> task =
          new FutureTask<>(() -> customers.forTask(context));
      Thread thread = new Thread(task, "stream-thread");
      thread.start();
      thread.join();
      String inService = Thread.currentThread().getName();
      try (TaskLookup<String, String> next = customers.forTask(context)) {
        assertThat(next.get("c1")).isEqualTo("Ada");
        assertThat(context.metrics().metrics().keySet())
            .filteredOn(MetricsTest::isOurs)
            .extracting(name -> name.tags().get("thread-id"))
            .isNotEmpty()
            .containsOnly(inService);
      }
    }
  }

  @Test
  void keepsTheMetricsOfAThreadWithTheNameOfOneThatEnds(@TempDir Path directory) throws Exception {
    try (var customers = table.lookup("customers").build()) {
      var context =
          new MockProcessorContext<String, String>(
              Joins.config(), new TaskId(0, 0), directory.toFile());
      CountDownLatch replaced = new CountDownLatch(1);
      FutureTask<TaskLookup<String, String>> task =
          new FutureTask<>(
              () -> {
                TaskLookup<String, String> inTask = customers.forTask(context);
                replaced.await();
                return inTask;
              });
      Thread ending = new Thread(task, Thread.currentThread().getName());
      ending.start();
      Await.until(() -> !values(context.metrics().metrics(), "customers-p0-0_0").isEmpty());
      try (TaskLookup<String, String> next = customers.forTask(context)) {
        replaced.countDown();
        ending.join();
        customers.forTask(context).close();
        assertThat(next.get("c1")).isEqualTo("Ada");
        assertThat(values(context.metrics().metrics(), "customers-p0-0_0"))
            .containsEntry("hit-total", 1.0);
      }
    }
  }

  @Test
  void stampsTheVersion() throws Exception {
    String first = table.publish(Map.of("c1", "Ada"));
    try (var customers = table.lookup("customers").versionHeader("customers-version").build();
        Joins joins =
            Joins.of(
                orders ->
                    customers
                        .leftJoin(orders, CUSTOMER, (order, customer) -> order + "=" + customer)
                        .merge(orders))) {
      var order = new TestRecord<>("o1", "c1");
      order.headers().add("customers-version", new byte[] {1}).add("trace", new byte[] {2});
      List<TestRecord<String, String>> results = joins.send(order);
      assertThat(results).extracting(TestRecord::value).containsExactlyInAnyOrder("c1=Ada", "c1");
      for (TestRecord<String, String> result : results) {
        assertThat(result.headers().lastHeader("trace").value()).containsExactly(2);
        assertThat(result.headers().headers("customers-version")).hasSize(1);
        byte[] stamp = result.headers().lastHeader("customers-version").value();
        if (result.value().equals("c1")) {
          assertThat(stamp).as("the order that passes by").containsExactly(1);
        } else {
          assertThat(new String(stamp, StandardCharsets.UTF_8)).isEqualTo(first);
        }
      }
    }
  }

  @Test
  void doesNotStampWithoutAVersion() throws Exception {
    try (var empty = TemporaryTable.create(Serdes.String(), Serdes.String());
        var customers =
            empty
                .lookup("customers")
                .onMissing(OnMissing.EMPTY)
                .versionHeader("customers-version")
                .build();
        Joins joins = Joins.of(orders -> customers.leftJoin(orders, CUSTOMER, JOIN))) {
      var order = new TestRecord<>("o1", "c1");
      order.headers().add("customers-version", new byte[] {1});
      assertThat(joins.send(order).get(0).headers()).isEmpty();
    }
  }
}
