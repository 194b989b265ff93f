package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.compact.Compactor;
import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.row.Row;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.InService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.flink.api.common.BatchShuffleMode;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.JobManagerOptions.SchedulerType;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.functions.ScalarFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole inputs of which only what differs is published. */
@Timeout(300)
@ExtendWith(SharedCluster.class)
class ReloadTest {
  private static final int KEYS = 400;

  /** The rows of the next input. */
  private static volatile Map<Long, String> input = Map.of();

  /** Runs once, when the input is read. */
  private static final AtomicReference<Callable<?>> MEANWHILE = new AtomicReference<>();

  @TempDir private Path directory;

  @AfterEach
  void closesReaders() {
    assertThat(MEANWHILE).hasValue(null);
    assertThat(OpenReaders.count()).isZero();
  }

  /** Returns the value of a key of the input, or null if it does not have it. */
  public static final class Input extends ScalarFunction {
    private static final long serialVersionUID = 1L;

    public String eval(Long key) throws Exception {
      Callable<?> meanwhile = MEANWHILE.getAndSet(null);
      if (meanwhile != null) {
        meanwhile.call();
      }
      return input.get(key);
    }

    @Override
    public boolean isDeterministic() {
      return false; // it is to be called while the job runs
    }
  }

  private Sql session(int parallelism, String options) throws Exception {
    Sql session = Sql.batch(parallelism).numbers("n", KEYS).run(ddl(options));
    session.tables.createTemporarySystemFunction("input", Input.class);
    return session;
  }

  private String ddl(String options) {
    return """
        CREATE TABLE t (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED)
        WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.min-rows' = '0'%s)"""
        .formatted(
            directory,
            options.contains("partitions") ? options : options + ", 'sink.partitions' = '3'");
  }

  private static void load(Sql session, Map<Long, String> rows, String hints) throws Exception {
    input = Map.copyOf(rows);
    session.run(
        "INSERT OVERWRITE t /*+ OPTIONS(%s) */ SELECT f0, name FROM (SELECT f0, input(f0) AS name FROM n) WHERE name IS NOT NULL"
            .formatted(hints));
  }

  private static String publish(String what) {
    return "'sink.publish' = '" + what + "'";
  }

  private Table table() {
    return Table.at(directory);
  }

  private static List<?> files(Manifest manifest) {
    return manifest.partitions().stream().map(PartitionFile::fileId).toList();
  }

  private static Map<Long, String> numbered(int rows) {
    return LongStream.range(0, rows)
        .boxed()
        .collect(Collectors.toMap(id -> id, id -> "name " + id));
  }

  /** Returns the rows as they are stored. */
  private Map<Long, String> stored() throws IOException {
    Map<Long, String> rows = new TreeMap<>();
    for (Row row : Stored.rows(directory)) {
      assertThat(rows.put(row.longValue("id"), row.string("name"))).isNull();
    }
    return rows;
  }

  @Tag("any-release")
  @ParameterizedTest
  @CsvSource({"hash, 1", "hash, 5", "key, 2", "key, 5"})
  void hasTheRowsOfTheInput(String order, int writers) throws Exception {
    long seed = System.nanoTime();
    try {
      reloadAtRandom(
          session(3, ", 'sink.order' = '%s', 'sink.parallelism' = '%d'".formatted(order, writers)),
          new Random(seed));
    } catch (Exception | AssertionError e) {
      throw new AssertionError("seed=" + seed, e);
    }
  }

  private void reloadAtRandom(Sql session, Random random) throws Exception {
    Map<Long, String> rows = new TreeMap<>();
    change(rows, KEYS, random);
    load(session, rows, publish("changes"));
    assertThat(stored()).isEqualTo(rows);
    for (int step = 0; step < 4; step++) {
      if (random.nextInt(3) == 0) {
        change(session, rows, random);
      }
      if (random.nextInt(4) == 0) {
        new Compactor(directory).foldFraction(0).run();
      }
      Manifest before = InService.of(table());
      Map<Long, String> next = new TreeMap<>(rows);
      change(next, random.nextInt(5) == 0 ? 0 : 1 << random.nextInt(9), random);
      String what = random.nextBoolean() ? "changes" : "auto";
      load(session, next, publish(what));

      assertThat(stored()).isEqualTo(next);
      Manifest after = InService.of(table());
      long differing = differing(rows, next);
      boolean isBase = what.equals("auto") && differing > before.recordCount() / 4;
      assertThat(files(after).equals(files(before)))
          .as("partition files stay: %s, %d of %d", what, differing, before.recordCount())
          .isEqualTo(!isBase);
      if (isBase) {
        assertThat(after.hasChanges()).isFalse();
        assertThat(after.recordCount()).isEqualTo(next.size());
      } else {
        assertThat(after.changes().count() - before.changes().count()).isEqualTo(differing);
        assertThat(after.version().equals(before.version())).isEqualTo(differing == 0);
      }
      rows = next;
    }
    assertThat(session.names()).isEqualTo(rows);
  }

  @ParameterizedTest
  @CsvSource({"3, 390", "3, 10", "4, 390"}) // changes; all rows; all rows without a comparison
  void autoKeepsPropertiesUnlessOthersAreDeclared(int partitions, int rows) throws Exception {
    load(session(1, ", 'sink.properties' = 'owner:shop'"), numbered(KEYS), publish("all"));
    Sql session = session(1, ", 'sink.partitions' = '%d'".formatted(partitions));
    load(session, numbered(rows), publish("auto"));
    assertThat(InService.of(table()).properties()).isEqualTo(Map.of("owner", "shop"));

    load(session, numbered(rows), publish("auto") + ", 'sink.properties' = 'owner:bank'");
    assertThat(InService.of(table()).properties()).isEqualTo(Map.of("owner", "bank"));
    load(session, numbered(rows), publish("all"));
    assertThat(InService.of(table()).properties()).isEmpty();
  }

  /**
   * The differences of a sample show about how many rows differ, new and deleted ones too. Also
   * where exchanges are not kept by themselves, and rows could wait for the decision.
   */
  @ParameterizedTest
  @CsvSource({
    "hash, 2, ALL_EXCHANGES_PIPELINED, Default",
    "key, 3, ALL_EXCHANGES_BLOCKING, AdaptiveBatch"
  })
  void decidesByASampleOfManyRows(
      String order, int writers, BatchShuffleMode exchanges, SchedulerType scheduler)
      throws Exception {
    int keys = 100_000;
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Sql session =
        Sql.batch(2)
            .numbers("n", keys)
            .run(ddl(", 'sink.order' = '%s', 'sink.parallelism' = '%d'".formatted(order, writers)));
    session.env.configure(
        new Configuration()
            .set(ExecutionOptions.BATCH_SHUFFLE_MODE, exchanges)
            .set(JobManagerOptions.SCHEDULER, scheduler));
    session.tables.createTemporarySystemFunction("input", Input.class);
    Map<Long, String> rows = numbered(keys * 2 / 3);
    load(session, rows, publish("all"));
    for (int percent : new int[] {22, 28}) {
      Manifest before = InService.of(table());
      differ(rows, before.recordCount() * percent / 100, keys, random);

      load(session, rows, publish("auto"));

      assertThat(stored()).as("seed=" + seed).isEqualTo(rows);
      assertThat(InService.of(table()).hasChanges()).as("seed=" + seed).isEqualTo(percent < 25);
      assertThat(files(InService.of(table())).equals(files(before))).isEqualTo(percent < 25);
    }
  }

  /** Makes so many rows differ. */
  private static void differ(Map<Long, String> rows, long count, int keys, Random random) {
    List<Long> ids = new ArrayList<>(LongStream.range(0, keys).boxed().toList());
    Collections.shuffle(ids, random);
    for (long id : ids.subList(0, (int) count)) {
      if (random.nextInt(3) > 0) {
        rows.merge(id, "new", (name, unused) -> name + "!");
      } else if (rows.remove(id) == null) {
        rows.put(id, "new");
      }
    }
  }

  private static void change(Map<Long, String> rows, int times, Random random) {
    for (int i = 0; i < times; i++) {
      long id = random.nextInt(KEYS);
      if (random.nextInt(3) == 0) {
        rows.remove(id);
      } else {
        rows.put(id, "name " + random.nextInt(3));
      }
    }
  }

  /** Changes some rows by another statement. */
  private static void change(Sql session, Map<Long, String> rows, Random random) throws Exception {
    long id = random.nextInt(KEYS);
    session.run("INSERT INTO t VALUES (%d, 'other'), (%d, 'other')".formatted(id, KEYS - id - 1));
    rows.put(id, "other");
    rows.put(KEYS - id - 1, "other");
    long deleted = random.nextInt(KEYS);
    session.run("DELETE FROM t WHERE id = " + deleted);
    rows.remove(deleted);
  }

  private static long differing(Map<Long, String> before, Map<Long, String> after) {
    return LongStream.range(0, KEYS)
        .filter(id -> !Objects.equals(before.get(id), after.get(id)))
        .count();
  }

  @ParameterizedTest
  @ValueSource(strings = {"changes", "auto"})
  void isRefusedIfSomethingElseWasPublishedMeanwhile(String what) throws Exception {
    Sql session = session(2, "");
    load(session, numbered(100), publish("all"));
    Map<Long, String> next = numbered(100);
    next.put(1L, "changed");
    MEANWHILE.set(() -> session(1, "").run("INSERT INTO t VALUES (7, 'meanwhile')"));

    assertThatThrownBy(() -> load(session, next, publish(what)))
        .hasStackTraceContaining("the table was changed meanwhile: table=" + directory)
        .hasStackTraceContaining("read the source again and compare it with that version");

    assertThat(session.names()).containsEntry(1L, "name 1").containsEntry(7L, "meanwhile");
    assertThat(table().storage().list("data")).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void keepsWhatChangedAfterAVersion(RecordOrder order) throws Exception {
    String options = ", 'sink.order' = '%s'".formatted(order);
    Sql session = session(3, options);
    for (String what : List.of("changes", "auto")) {
      load(session, numbered(100), publish("all"));
      String asOf = InService.of(table()).version();
      session.run("INSERT INTO t VALUES (1, 'later'), (200, 'later')");
      session.run("DELETE FROM t WHERE id = 2");
      MEANWHILE.set(
          () -> {
            session(1, options).run("INSERT INTO t VALUES (3, 'meanwhile'), (300, 'meanwhile')");
            return session(1, options).run("DELETE FROM t WHERE id = 4");
          });
      Map<Long, String> next = numbered(what.equals("auto") ? 50 : 99);
      next.replaceAll((id, name) -> id < 5 ? "changed" : name);

      load(session, next, publish(what) + ", 'sink.keep-changes-after' = '%s'".formatted(asOf));

      next.putAll(Map.of(1L, "later", 200L, "later", 3L, "meanwhile", 300L, "meanwhile"));
      next.keySet().removeAll(List.of(2L, 4L));
      assertThat(session.names()).as(what).isEqualTo(next);
    }
  }

  @Test
  void keepsWhatChangesWhileTheTableItselfIsRead() throws Exception {
    Sql session = session(2, "");
    load(session, numbered(100), publish("all"));
    input = numbered(100);
    MEANWHILE.set(() -> session(1, "").run("INSERT INTO t VALUES (1, 'meanwhile')"));

    session.run(
        "INSERT OVERWRITE t /*+ OPTIONS(%s) */ SELECT id, input(id) || '!' FROM t WHERE id < 10"
            .formatted(publish("changes")));

    Map<Long, String> expected = numbered(10);
    expected.replaceAll((id, name) -> name + "!");
    expected.put(1L, "meanwhile");
    assertThat(session.names()).isEqualTo(expected);
  }

  @Test
  void countsRowsAsABuildDoes() throws Exception {
    Sql session = session(2, "");
    load(session, numbered(100), publish("all"));
    String before = InService.of(table()).version();

    assertThatThrownBy(
            () -> load(session, numbered(70), publish("changes") + ", 'sink.min-rows' = '71'"))
        .hasStackTraceContaining("too few rows, so nothing was published: table=" + directory)
        .hasStackTraceContaining("lower 'sink.min-rows', to 0 for an empty table");
    assertThatThrownBy(
            () -> load(session, numbered(70), publish("auto") + ", 'sink.max-shrinkage' = '0.2'"))
        .hasStackTraceContaining("if that is right, raise 'sink.max-shrinkage'");

    assertThat(table().storage().list("snapshots")).containsExactly(before);
    assertThat(table().storage().list("data")).isEmpty();
    load(session, Map.of(), publish("changes"));
    assertThat(session.names()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"changes", "auto"})
  void takesDuplicatesAsABuildDoes(String what) throws Exception {
    Sql session = session(1, "");
    load(session, numbered(3), publish("all"));
    String twice =
        "INSERT OVERWRITE t /*+ OPTIONS(%s, 'sink.duplicates' = '%s') */ VALUES (0, 'name 0'), (1, 'a'), (7, 'b'), (1, 'c'), (7, 'd')";

    assertThatThrownBy(() -> session.run(twice.formatted(publish(what), "fail")))
        .hasStackTraceContaining("two rows have the same primary key: table=");
    assertThat(session.names()).isEqualTo(numbered(3));
    session.run(twice.formatted(publish(what), "last"));
    assertThat(session.names()).isEqualTo(Map.of(0L, "name 0", 1L, "c", 7L, "d"));
    session.run(twice.formatted(publish(what), "first"));
    assertThat(session.names()).isEqualTo(Map.of(0L, "name 0", 1L, "a", 7L, "b"));
  }

  @Test
  void comparesOnlyWhatIsBuiltAlike() throws Exception {
    Sql session = session(2, "");
    load(session, numbered(100), publish("all"));
    Manifest before = InService.of(table());
    String compressed = ", 'sink.layout' = 'compressed'";

    assertThatThrownBy(() -> load(session, numbered(100), publish("changes") + compressed))
        .hasStackTraceContaining("the input cannot be compared with the version in service: table=")
        .hasStackTraceContaining("layout in service=");
    assertThat(InService.of(table())).isEqualTo(before);
    load(session, numbered(100), publish("auto") + ", 'sink.partitions' = '4'");
    assertThat(InService.of(table()).partitions()).hasSize(4);
    load(session, numbered(100), publish("auto") + compressed);
    assertThat(InService.of(table()).options()).containsEntry("layout", "compressed");
    assertThat(session.names()).isEqualTo(numbered(100));
  }

  /** Flink would choose the number of writers by the amount of data, and divide the rows so. */
  @Test
  void comparesWithAWriterPerPartitionAtMost() throws Exception {
    for (int parallelism : new int[] {2, 4, 8}) {
      Sql session = session(parallelism, ", 'sink.partitions' = '5'");
      load(session, numbered(parallelism), publish("all"));

      assertThat(
              session.tables.explainSql(
                  "INSERT OVERWRITE t /*+ OPTIONS(%s) */ SELECT f0, 'x' FROM n"
                      .formatted(publish("changes")),
                  ExplainDetail.JSON_EXECUTION_PLAN))
          .containsPattern(
              "t: Writer\",\\s*\"pact\" : \"[^\"]*\",\\s*\"contents\" : \"[^\"]*\",\\s*\"parallelism\" : "
                  + Math.min(5, parallelism));
      load(session, numbered(KEYS), publish("changes"));
      assertThat(session.names()).isEqualTo(numbered(KEYS));
    }
  }

  @Test
  void keepsThePositionsOfSources() throws Exception {
    Sql session = session(2, "");
    load(session, numbered(10), publish("all"));

    load(session, numbered(10), publish("changes") + ", 'sink.source-positions' = 'orders-0:47'");

    assertThat(InService.of(table()).sourcePositions()).containsEntry("orders-0", "47");
    assertThat(InService.of(table()).hasChanges()).isFalse();
  }

  @Test
  void publishesNothingIfTheVersionIsDamaged() throws Exception {
    Sql session = session(2, "");
    load(session, numbered(100), publish("all"));
    Manifest before = InService.of(table());
    PartitionFile damaged = before.partitions().get(1);
    Path file = directory.resolve(damaged.directory(before.version())).resolve(damaged.name());
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);

    assertThatThrownBy(() -> load(session, numbered(99), publish("changes")))
        .hasStackTraceContaining("checksum mismatch")
        .hasStackTraceContaining(damaged.name());

    assertThat(table().versions()).containsExactly(before.version());
  }

  @Test
  void refusesWhatItDoesNotKnow() throws Exception {
    Sql session = session(1, "");

    assertThatThrownBy(() -> load(session, numbered(1), publish("some")))
        .hasStackTraceContaining("sink.publish")
        .hasStackTraceContaining("some");
  }
}
