package io.bsdb.flink;

import static io.bsdb.flink.Histories.row;
import static org.apache.flink.types.RowKind.DELETE;
import static org.apache.flink.types.RowKind.INSERT;
import static org.apache.flink.types.RowKind.UPDATE_AFTER;
import static org.apache.flink.types.RowKind.UPDATE_BEFORE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.table.Table;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.StreamProgress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.api.PlanReference;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Changelogs that become histories. */
@Timeout(180)
@ExtendWith(SharedCluster.class)
class HistoryStreamTest {
  private static final String ALL = Histories.INSERT + "SELECT item, price, ts FROM changes";

  @TempDir Path directory;
  private Sql session;

  @BeforeEach
  void open() throws Exception {
    session = Sql.streaming(2).run(Histories.ddl(directory));
    session.env.enableCheckpointing(20);
  }

  private void changes(Row... rows) {
    Histories.declare(session, "changes", ChangelogMode.all(), Histories.byItem(), rows);
  }

  @Test
  void aRowIsValidFromItsChangeOn() throws Exception {
    changes(
        row(INSERT, "bread", 1, 1000),
        row(INSERT, "milk", 7, -1500),
        row(UPDATE_BEFORE, "bread", 1, 2000),
        row(UPDATE_AFTER, "bread", 2, 2000),
        row(DELETE, "bread", 2, 3000),
        row(INSERT, "bread", 4, 4000));

    session.run(ALL);

    assertThat(Histories.versions(directory))
        .containsExactlyInAnyOrder(
            "milk -1500=7", "bread 1000=1", "bread 2000=2", "bread 3000 ended", "bread 4000=4");
  }

  /**
   * Lookups that wait learn that nothing has changed; but not from the watermark of other times.
   */
  @ParameterizedTest
  @CsvSource({"ts, true", "ts + INTERVAL '0' SECOND, false"})
  void aStreamWithoutChangesPublishesItsWatermark(String time, boolean isEventTime)
      throws Exception {
    Histories.declare(
        session,
        "changes",
        ChangelogMode.all(),
        Histories.byItem().watermark("ts", "ts"),
        row(INSERT, "bread", 1, 1000));

    session.run(
        Histories.INSERT + "SELECT item, price, %s FROM changes WHERE price < 0".formatted(time));

    Table table = Table.at(directory);
    Changes published = table.manifest(table.requireCurrentVersion()).changes();
    assertThat(published.sourceTime()).isEqualTo(isEventTime ? StreamProgress.END : null);
    assertThat(published.lastSegment()).isZero();
  }

  /** The row that the filter leaves out replaces one that it does not. */
  @Test
  void aRowThatAFilterLeavesOutEndsTheOneBefore() throws Exception {
    changes(
        row(INSERT, "bread", 1, 1000),
        row(UPDATE_BEFORE, "bread", 1, 2000),
        row(UPDATE_AFTER, "bread", 2, 2000),
        row(UPDATE_BEFORE, "bread", 2, 3000),
        row(UPDATE_AFTER, "bread", 1, 3000));

    session.run(ALL + " WHERE price = 1");

    assertThat(Histories.versions(directory))
        .containsExactlyInAnyOrder("bread 1000=1", "bread 2000 ended", "bread 3000=1");
  }

  /** The third change looks like an update of the second one that takes its time from its row. */
  @Test
  void aFilterLeavesOutTheLaterOfTwoChangesAtATime() throws Exception {
    changes(
        row(INSERT, "bread", 1, 1000),
        row(UPDATE_BEFORE, "bread", 1, 2000),
        row(UPDATE_AFTER, "bread", 2, 2000),
        row(UPDATE_BEFORE, "bread", 2, 2000),
        row(UPDATE_AFTER, "bread", 50, 2000),
        row(UPDATE_BEFORE, "bread", 50, 3000),
        row(UPDATE_AFTER, "bread", 3, 3000));

    session.run(ALL + " WHERE price < 10");

    assertThat(Histories.versions(directory))
        .containsExactlyInAnyOrder("bread 1000=1", "bread 2000 ended", "bread 3000=3");
  }

  /** A filter would not let the row pass that ends the later one. */
  @Test
  void aColumnOfEndsStandsForAFilterOfChangesThatComeLate() throws Exception {
    changes(
        row(INSERT, "bread", 50, 2000),
        row(UPDATE_BEFORE, "bread", 50, 1000),
        row(UPDATE_AFTER, "bread", 1, 1000),
        row(INSERT, "milk", null, 1000));

    session.run("INSERT INTO prices SELECT item, price, ts, (price < 10) IS NOT TRUE FROM changes");

    assertThat(Histories.versions(directory))
        .containsExactlyInAnyOrder("bread 1000=1", "bread 2000 ended", "milk 1000 ended");
  }

  @Test
  void anUpdateOfTheItemEndsTheOldOne() throws Exception {
    Histories.declare(
        session,
        "changes",
        ChangelogMode.all(),
        Schema.newBuilder(),
        row(INSERT, "bread", 1, 1000),
        row(UPDATE_BEFORE, "bread", 1, 2000),
        row(UPDATE_AFTER, "toast", 1, 2000));

    session.run(ALL);

    assertThat(Histories.versions(directory))
        .containsExactlyInAnyOrder("bread 1000=1", "bread 2000 ended", "toast 2000=1");
  }

  @Test
  void theLaterOfTwoChangesAtATimeCounts() throws Exception {
    changes(
        row(INSERT, "bread", 1, 1000),
        row(UPDATE_BEFORE, "bread", 1, 1000),
        row(UPDATE_AFTER, "bread", 2, 1000),
        row(INSERT, "milk", 7, 1000),
        row(DELETE, "milk", 7, 1000),
        row(INSERT, "salt", 1, 1000),
        row(DELETE, "salt", 1, 1000),
        row(INSERT, "salt", 2, 1000));

    session.run(ALL);

    assertThat(Histories.versions(directory))
        .containsExactlyInAnyOrder("bread 1000=2", "milk 1000 ended", "salt 1000=2");
  }

  @Test
  void aColumnMarksEnds() throws Exception {
    Histories.declare(
        session,
        "appended",
        ChangelogMode.insertOnly(),
        Schema.newBuilder(),
        row(INSERT, "bread", 0, 3000),
        row(INSERT, "bread", 1, 1000),
        row(INSERT, "bread", null, 2000),
        row(INSERT, "milk", 7, 1500));

    session.run("INSERT INTO prices SELECT item, price, ts, price = 0 FROM appended");

    assertThat(Histories.versions(directory))
        .containsExactlyInAnyOrder(
            "bread 1000=1", "bread 2000=null", "bread 3000 ended", "milk 1500=7");
  }

  @Test
  void refusesTimesThatAreColumnsOfTheRow() {
    changes(
        row(INSERT, "bread", 1, 1000),
        row(INSERT, "milk", 7, 1500),
        row(UPDATE_BEFORE, "bread", 1, 1000),
        row(UPDATE_AFTER, "bread", 2, 2000),
        row(UPDATE_BEFORE, "milk", 7, 1500),
        row(UPDATE_AFTER, "milk", 8, 2500),
        row(DELETE, "milk", 8, 2500),
        row(UPDATE_BEFORE, "bread", 2, 2000),
        row(UPDATE_AFTER, "bread", 3, 3000));

    assertThatThrownBy(() -> session.run(ALL))
        .hasStackTraceContaining(
            "a row cannot be written to table default_catalog.default_database.prices: an update changes 'changed_at' from 1970-01-01T00:00:02 to 1970-01-01T00:00:03; the time must be that of the change, such as METADATA FROM 'value.source.timestamp', not a column of the row; row=(item='bread', price=3, changed_at=1970-01-01T00:00:03)");
  }

  private static final String DEBEZIUM =
      """
      CREATE TABLE changes (item STRING, price INT, ts TIMESTAMP_LTZ(3) METADATA FROM 'source.timestamp' VIRTUAL, PRIMARY KEY (item) NOT ENFORCED)
      WITH ('connector' = 'lines', 'format' = 'debezium-json', 'lines' = '
      {"before":null,"after":{"item":"bread","price":1},"op":"r","source":{"ts_ms":1000}}
      {"before":{"item":"bread","price":1},"after":{"item":"bread","price":2},"op":"u","source":{"ts_ms":2000}}
      {"before":{"item":"bread","price":2},"after":null,"op":"d","source":{"ts_ms":3000}}')""";

  /** The time of a Debezium record is that of its change, in its old and its new row. */
  @Test
  void takesTheTimesOfDebezium() throws Exception {
    session.run(DEBEZIUM);

    session.run(ALL);

    assertThat(Histories.versions(directory))
        .containsExactlyInAnyOrder("bread 1000=1", "bread 2000=2", "bread 3000 ended");
  }

  private static String event(String operation, int price, int second) {
    return "{\"op\":\"%s\",\"item\":\"bread\",\"price\":%d,\"ts\":\"%s\"}\n"
        .formatted(operation, price, Instant.ofEpochSecond(second).toString().replace('T', ' '));
  }

  /** An old row that overtook the new one would end it: both have the time of the update. */
  @Test
  @Tag("any-release") // 2.2 has no FROM_CHANGELOG
  void takesEventsThatAreMadeAChangelog() throws Exception {
    int last = 300;
    StringBuilder events = new StringBuilder("\n").append(event("r", 1, 1));
    List<String> expected = new ArrayList<>(List.of("bread 1000=1"));
    for (int i = 2; i <= last; i++) {
      events.append(event("-", i - 1, i)).append(event("+", i, i));
      expected.add("bread %d000=%d".formatted(i, i));
    }
    events.append(event("d", last, last + 1));
    expected.add("bread %d000 ended".formatted(last + 1));
    session.run(
        """
        CREATE TABLE events (op STRING, item STRING, price INT, ts TIMESTAMP_LTZ(3))
        WITH ('connector' = 'lines', 'format' = 'json', 'lines' = '%s')"""
            .formatted(events));

    session.run(
        Histories.INSERT
            + """
            SELECT item, price, ts FROM FROM_CHANGELOG(input => TABLE events, op => DESCRIPTOR(op),
              op_mapping => MAP['c, r', 'INSERT', '-', 'UPDATE_BEFORE', '+', 'UPDATE_AFTER', 'd', 'DELETE'])""");

    assertThat(Histories.versions(directory)).containsExactlyElementsOf(expected);
  }

  @Test
  void refusesSourcesWhoseChangesMayComeTwice() throws Exception {
    session.run(DEBEZIUM);
    session.tables.getConfig().set("table.exec.source.cdc-events-duplicate", "true");

    assertThatThrownBy(() -> session.run(ALL))
        .hasStackTraceContaining("updates and deletes come through ChangelogNormalize");
  }

  /** A restored plan does not say which changes come, so the job finds out. */
  @Test
  void aRestoredPlanRefusesThemToo() throws Exception {
    session.run(DEBEZIUM);
    session.tables.getConfig().set("table.exec.source.cdc-events-duplicate", "true");
    String plan = session.tables.compilePlanSql(ALL).asJsonString();

    assertThatThrownBy(
            () -> session.tables.loadPlan(PlanReference.fromJsonString(plan)).execute().await())
        .hasStackTraceContaining("updates and deletes come through ChangelogNormalize");
  }

  @Test
  void aRestoredPlanWritesAHistory() throws Exception {
    session.run(DEBEZIUM);
    String plan = session.tables.compilePlanSql(ALL).asJsonString();

    session.tables.loadPlan(PlanReference.fromJsonString(plan)).execute().await();

    assertThat(Histories.versions(directory))
        .containsExactlyInAnyOrder("bread 1000=1", "bread 2000=2", "bread 3000 ended");
  }

  @Test
  void aTableIsWrittenAsItWasBuilt() throws Exception {
    changes(row(INSERT, "bread", 1, 1000));
    session.run(ALL);
    String without =
        Histories.ddl(directory)
            .replace("'history.retention' = 'forever'", "'sink.order' = 'key'")
            .replace("ended BOOLEAN METADATA,", "");

    assertThatThrownBy(
            () ->
                Sql.batch(1)
                    .run(without)
                    .run("INSERT INTO prices VALUES ('milk', 7, TO_TIMESTAMP_LTZ(1000, 3))"))
        .hasStackTraceContaining("it keeps a history, which the declaration does not say");
    assertThat(Histories.versions(directory)).isEqualTo(List.of("bread 1000=1"));
  }
}
