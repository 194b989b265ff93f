package io.bsdb.kstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.kstreams.testing.TemporaryTable;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.kstream.KeyValueMapper;
import org.apache.kafka.streams.kstream.ValueJoiner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RefreshTest {
  private static final KeyValueMapper<String, String, String> CUSTOMER = (key, order) -> order;
  private static final ValueJoiner<String, String, String> JOIN =
      (order, customer) -> order + "=" + customer;

  private final List<String> heard = new ArrayList<>();
  private TemporaryTable<String, String> table;
  private SnapshotLookup<String, String> customers;

  @BeforeEach
  void open() throws Exception {
    table = TemporaryTable.create(Serdes.String(), Serdes.String());
    table.publish(Map.of("c1", "Ada"));
    customers = table.lookup("customers").listener(listener()).build();
  }

  private TableReader.Listener listener() {
    return new TableReader.Listener() {
      @Override
      public void onRefreshed(Manifest manifest) {
        heard.add("refreshed " + manifest.version());
      }

      @Override
      public void onRefreshFailed(String version, Exception failure) {
        heard.add("failed " + version + " " + failure.getClass().getSimpleName());
      }
    };
  }

  @AfterEach
  void close() {
    assertThat(customers.table().holds()).isZero();
    customers.close();
    table.close();
  }

  private Joins leftJoin() {
    return Joins.of(orders -> customers.leftJoin(orders, CUSTOMER, JOIN));
  }

  @Test
  void nextRecordSeesTheNewVersion() throws Exception {
    try (Joins joins = leftJoin()) {
      assertThat(joins.send("o1", "c1")).containsExactly("c1=Ada");
      assertThat(customers.refresh()).isFalse();
      String second = table.publish(Map.of("c1", "Grace"));
      assertThat(joins.send("o2", "c1")).containsExactly("c1=Ada");
      assertThat(customers.refresh()).isTrue();
      assertThat(joins.send("o3", "c1")).containsExactly("c1=Grace");
      assertThat(customers.get("c1")).isEqualTo("Grace");
      assertThat(customers.manifest().version()).isEqualTo(second);
      assertThat(heard).containsExactly("refreshed " + second);
      assertThat(customers.table().holds()).isEqualTo(1);
    }
  }

  @Test
  void readsCopiesOfATableElsewhere(@TempDir Path local) throws Exception {
    try (SnapshotLookup<String, String> copied =
        table.lookup("copied").localDirectory(local, 1 << 20).build()) {
      assertThat(copied.get("c1")).isEqualTo("Ada");
      assertThat(local).isDirectoryRecursivelyContaining("glob:**/*.bsdb");
      table.publish(Map.of("c1", "Grace"));
      assertThat(copied.refresh()).isTrue();
      assertThat(copied.get("c1")).isEqualTo("Grace");
    }
    assertThatThrownBy(() -> table.lookup("small").localDirectory(local, 100).build())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("limit=100 bytes");
  }

  /** The swap happens inside the first join, the second join of the same record must not see it. */
  @Test
  void recordSeesOneVersionInAllItsJoins() {
    KeyValueMapper<String, String, String> swapping =
        (key, order) -> {
          if (order.equals("swap")) {
            swapTo("Grace");
          }
          return "c1";
        };
    try (Joins joins =
        Joins.of(
            orders ->
                customers.join(
                    customers.leftJoin(orders, swapping, JOIN), (key, order) -> "c1", JOIN))) {
      assertThat(joins.send("o1", "calm")).containsExactly("calm=Ada=Ada");
      assertThat(joins.send("o2", "swap")).containsExactly("swap=Ada=Ada");
      assertThat(joins.send("o3", "calm")).containsExactly("calm=Grace=Grace");
    }
  }

  private void swapTo(String name) {
    table.publish(Map.of("c1", name));
    try {
      assertThat(customers.refresh()).isTrue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aRecordThatFailsDoesNotHoldItsVersion() {
    KeyValueMapper<String, String, String> failing =
        (key, order) -> {
          if (order.equals("fail")) {
            throw new IllegalArgumentException("no customer");
          }
          return "c1";
        };
    try (Joins joins = Joins.of(orders -> customers.leftJoin(orders, failing, JOIN))) {
      assertThatThrownBy(() -> joins.send("o1", "fail")).hasRootCauseMessage("no customer");
      swapTo("Grace");
      assertThat(joins.send("o2", "calm")).containsExactly("calm=Grace");
    }
  }

  @Test
  void idleTaskLetsGoOfTheOldVersion() {
    try (Joins joins = leftJoin()) {
      assertThat(joins.send("o1", "c1")).containsExactly("c1=Ada");
      swapTo("Grace");
      VersionHold<String, String> hold = customers.table().acquire();
      try {
        String before = hold.version();
        joins.driver.advanceWallClockTime(Duration.ofSeconds(1));
        assertThat(hold.version()).isNotEqualTo(before).isEqualTo(customers.manifest().version());
      } finally {
        customers.table().release(hold);
      }
    }
  }

  @Test
  void refusesADamagedVersionAndGoesOnServing() throws Exception {
    try (Joins joins = leftJoin()) {
      String good = customers.manifest().version();
      String damaged = Damage.publish(table.directory(), null);
      assertThatThrownBy(customers::refresh).isInstanceOf(CorruptSnapshotException.class);
      assertThat(joins.send("o1", "c1")).containsExactly("c1=Ada");
      assertThat(customers.manifest().version()).isEqualTo(good);
      assertThat(heard).containsExactly("failed " + damaged + " CorruptSnapshotException");
      assertThat(customers.table().failedRefreshes()).isEqualTo(1);

      String repaired = table.publish(Map.of("c1", "Grace"));
      assertThat(customers.refresh()).isTrue();
      assertThat(joins.send("o2", "c1")).containsExactly("c1=Grace");
      assertThat(heard).last().isEqualTo("refreshed " + repaired);
    }
  }

  private LookupBuilder<String, String> impatient(BlockingQueue<String> news) {
    return table
        .lookup("impatient")
        .refreshEvery(Duration.ofMillis(1))
        .listener(
            new TableReader.Listener() {
              @Override
              public void onRefreshed(Manifest manifest) {
                news.add("refreshed " + manifest.version());
                throw new IllegalStateException("a listener's trouble is not the lookup's");
              }

              @Override
              public void onRefreshFailed(String version, Exception failure) {
                news.add("failed " + version + " " + failure.getClass().getSimpleName());
              }
            });
  }

  @Test
  void followsTheTableByItselfAndTriesADamagedVersionOnce() throws Exception {
    BlockingQueue<String> news = new LinkedBlockingQueue<>();
    try (var lookup = impatient(news).build()) {
      String damaged = Damage.publish(table.directory(), null);
      assertThat(news.poll(1, TimeUnit.MINUTES))
          .isEqualTo("failed " + damaged + " CorruptSnapshotException");
      String second = table.publish(Map.of("c1", "Grace"));
      assertThat(news.poll(1, TimeUnit.MINUTES)).isEqualTo("refreshed " + second);
      assertThat(lookup.get("c1")).isEqualTo("Grace");
      String third = table.publish(Map.of("c1", "Edsger"));
      assertThat(news.poll(1, TimeUnit.MINUTES)).isEqualTo("refreshed " + third);
      assertThat(lookup.table().failedRefreshes()).isEqualTo(1);
    }
  }

  @Test
  void retriesWhatMayPass() throws Exception {
    Path current = table.directory().resolve("CURRENT");
    BlockingQueue<String> news = new LinkedBlockingQueue<>();
    try (var lookup = impatient(news).build()) {
      Files.move(current, current.resolveSibling("AWAY"));
      for (int i = 0; i < 2; i++) {
        assertThat(news.poll(1, TimeUnit.MINUTES)).isEqualTo("failed null NoSuchFileException");
      }
      assertThat(lookup.get("c1")).isEqualTo("Ada");
      Files.move(current.resolveSibling("AWAY"), current);
      String second = table.publish(Map.of("c1", "Grace"));
      String heardLast = "failed null";
      while (heardLast.startsWith("failed null")) {
        heardLast = news.poll(1, TimeUnit.MINUTES);
      }
      assertThat(heardLast).isEqualTo("refreshed " + second);
    }
  }

  @Test
  void readErrorsComeOutOfTheProcessor() {
    Damage.records(table.directory());
    try (Joins joins = leftJoin()) {
      assertThatThrownBy(() -> joins.send("o1", "c1"))
          .isInstanceOf(StreamsException.class)
          .hasRootCauseInstanceOf(CorruptSnapshotException.class)
          .cause()
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageStartingWith(
              "lookup 'customers': table=%s version=%s: lookup failed: "
                  .formatted(table.directory(), customers.manifest().version()));
    }
    assertThatThrownBy(() -> customers.get("c1"))
        .isInstanceOf(UncheckedIOException.class)
        .hasCauseInstanceOf(CorruptSnapshotException.class);
  }

  /** A record whose lookup fails is the handler's to skip or to send to a dead letter queue. */
  @Test
  void readErrorsReachTheProcessingExceptionHandler() throws Exception {
    table.publish(Map.of("c1", "Ada", "c2", "Grace"));
    Damage.records(table.directory());
    try (var damaged = table.lookup("damaged").build();
        Joins joins =
            Joins.of(
                orders -> damaged.leftJoin(orders, CUSTOMER, JOIN),
                Map.of(
                    StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG,
                    LogAndContinueProcessingExceptionHandler.class))) {
      assertThat(joins.send("o1", "c1")).isEmpty();
      assertThat(joins.send("o2", "c2")).isEmpty();
      assertThat(damaged.table().holds()).isEqualTo(1);
    }
  }
}
