package io.bsdb.flink;

import static org.apache.flink.types.RowKind.INSERT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How changelogs come to a table with a history, and what is refused before a job starts. */
@ExtendWith(SharedCluster.class)
class HistoryPlanTest {
  @TempDir Path directory;
  private Sql session;

  @BeforeEach
  void declare() throws Exception {
    session = Sql.streaming(2).run(Histories.ddl(directory));
    session.env.enableCheckpointing(20);
    declare("appended", ChangelogMode.insertOnly(), Schema.newBuilder());
    declare("changes", ChangelogMode.all(), Histories.byItem());
    declare("unkeyed", ChangelogMode.all(), Schema.newBuilder());
    declare("upserts", ChangelogMode.upsert(), Histories.byItem());
    declare("whole_upserts", ChangelogMode.upsert(false), Histories.byItem());
    declare(
        "afters",
        ChangelogMode.newBuilder()
            .addContainedKind(RowKind.INSERT)
            .addContainedKind(RowKind.UPDATE_AFTER)
            .addContainedKind(RowKind.DELETE)
            .build(),
        Histories.byItem());
  }

  private void declare(String name, ChangelogMode mode, Schema.Builder schema) {
    Histories.declare(session, name, mode, schema, Histories.row(INSERT, "bread", 1, 1000));
  }

  private String plan(String statement) {
    String text = session.tables.explainSql(statement);
    String heading = "== Optimized Execution Plan ==";
    return text.substring(text.indexOf(heading) + heading.length()).strip();
  }

  /** What comes between the source and the sink would keep rows, or change their times. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT item, price, ts FROM appended",
        "SELECT item, price, ts FROM changes",
        "SELECT item, price, ts FROM unkeyed",
        "SELECT item, price + 1, ts FROM changes WHERE price = 1",
        "SELECT c.item, c.price, c.ts FROM changes AS c LEFT JOIN prices FOR SYSTEM_TIME AS OF c.pt AS p ON p.item = c.item AND p.changed_at = c.ts",
        "SELECT item, price, ts FROM unkeyed UNION ALL SELECT item, price, ts FROM appended"
      })
  void changesComeAsTheyAre(String query) {
    for (String setting : new String[] {"AUTO", "FORCE"}) {
      session.tables.getConfig().set("table.exec.sink.upsert-materialize", setting);

      assertThat(plan(Histories.INSERT + query).lines())
          .isNotEmpty()
          .allSatisfy(
              line ->
                  assertThat(line)
                      .matches("[ :+-]*(Sink|Calc|Union|LookupJoin|TableSourceScan)\\(.*"));
    }
  }

  @Test
  void endsComeInAColumn() {
    assertThat(plan("INSERT INTO prices SELECT item, price, ts, price = 0 FROM appended"))
        .contains("Sink(table=[default_catalog.default_database.prices]")
        .doesNotContain("Exchange");
  }

  /** The function keeps no rows: it says of each event what kind of change it is. */
  @Test
  @Tag("any-release") // 2.2 has no FROM_CHANGELOG
  void eventsThatAreMadeAChangelogComeAsTheyAre() throws Exception {
    session.run(
        """
        CREATE TABLE events (op STRING, item STRING, price INT, ts TIMESTAMP_LTZ(3))
        WITH ('connector' = 'lines', 'format' = 'json', 'lines' = '{}')""");
    String changelog =
        Histories.INSERT
            + "SELECT item, price, ts FROM FROM_CHANGELOG(input => TABLE events, op => DESCRIPTOR(op), op_mapping => MAP['c', 'INSERT', %s'+', 'UPDATE_AFTER', 'd', 'DELETE'])";

    assertThat(plan(changelog.formatted("'-', 'UPDATE_BEFORE', ")).lines())
        .hasSize(4)
        .allSatisfy(
            line ->
                assertThat(line)
                    .matches("[ :+-]*(Sink|Calc|ProcessTableFunction|TableSourceScan)\\(.*"));
    assertThatThrownBy(() -> plan(changelog.formatted("")))
        .as("updates without their old rows are those of an upsert stream")
        .hasStackTraceContaining("The 'op_mapping' must include UPDATE_BEFORE");
  }

  /** Each of them sends deletes with the time of the row before, whatever the source says. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SELECT item, price, ts FROM upserts | ChangelogNormalize",
        "SELECT item, price, ts FROM whole_upserts | ChangelogNormalize",
        "SELECT item, price, ts FROM afters | ChangelogNormalize",
        "SELECT item, MAX(price), MAX(ts) FROM unkeyed GROUP BY item | GroupAggregate",
        "SELECT item, MAX(price), MAX(ts) FROM appended GROUP BY item | GroupAggregate",
        "SELECT a.item, a.price, a.ts FROM changes AS a JOIN unkeyed AS b ON a.item = b.item | Join",
        "SELECT a.item, a.price, a.ts FROM appended AS a LEFT JOIN appended AS b ON a.item = b.item | Join",
        "SELECT item, price, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY item ORDER BY pt DESC) AS n FROM appended) WHERE n = 1 | Deduplicate"
      })
  void refusesChangesWithoutTimesOfTheirOwn(String query, String operator) {
    assertThatThrownBy(() -> session.run(Histories.INSERT + query))
        .hasStackTraceContaining(
            "table default_catalog.default_database.prices keeps a history: updates and deletes come through "
                + operator)
        .hasStackTraceContaining(
            ", which can give them the time of another row; read a changelog with UPDATE_BEFORE whose time is METADATA of the change, or an append-only stream with the column 'ended BOOLEAN METADATA'");
  }

  @Test
  void refusesChangesThatComeThroughAJoinOfSeveral() {
    session.tables.getConfig().set("table.optimizer.multi-join.enabled", "true");

    assertThatThrownBy(
            () ->
                session.run(
                    Histories.INSERT
                        + "SELECT a.item, a.price, a.ts FROM changes AS a JOIN unkeyed AS b ON a.item = b.item JOIN appended AS c ON b.item = c.item"))
        .hasStackTraceContaining("keeps a history: updates and deletes come through MultiJoin");
  }

  /** An inner join of streams that only grow has no updates. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT a.item, a.price, a.ts FROM appended AS a JOIN appended AS b ON a.item = b.item",
        "SELECT item, price, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY item, ts ORDER BY pt) AS n FROM appended) WHERE n = 1"
      })
  void takesInsertsFromAnywhere(String query) {
    assertThat(plan(Histories.INSERT + query)).contains("Exchange");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "item STRING, price INT, PRIMARY KEY (item) NOT ENFORCED | | a table with a history needs a primary key of two columns or more that sorts and ends in a TIMESTAMP or TIMESTAMP_LTZ",
        "item STRING, d DATE, PRIMARY KEY (item, d) NOT ENFORCED | | a table with a history needs a primary key of two columns or more that sorts and ends in a TIMESTAMP or TIMESTAMP_LTZ",
        "item STRING, since TIMESTAMP(3), PRIMARY KEY (since, item) NOT ENFORCED | | a table with a history needs a primary key of two columns or more that sorts and ends in a TIMESTAMP or TIMESTAMP_LTZ",
        "item STRING, since TIMESTAMP(3), PRIMARY KEY (item, since) NOT ENFORCED | , 'sink.order' = 'hash' | a history is in key order; leave 'sink.order' out, or set it to 'key'",
        "item STRING, since TIMESTAMP(3), PRIMARY KEY (item, since) NOT ENFORCED | , 'history.retention' = 'always' | 'history.retention' = 'always' is neither 'forever' nor a duration, such as '30 d'",
        "item STRING, since TIMESTAMP(3), PRIMARY KEY (item, since) NOT ENFORCED | , 'history.retention' = '0 s' | retention of a history out of range",
        "item STRING, since TIMESTAMP(3), number STRING METADATA FROM 'longest-prefix' VIRTUAL, PRIMARY KEY (item, since) NOT ENFORCED | | needs a last key column of text or bytes"
      })
  void refusesADeclaration(String columns, String options, String message) throws Exception {
    String ddl =
        "CREATE TABLE t (%s) WITH ('connector' = 'bsdb', 'path' = '%s'%s%s)"
            .formatted(
                columns,
                directory,
                options == null ? "" : options,
                options != null && options.contains("retention")
                    ? ""
                    : ", 'history.retention' = '30 d'");
    session.run(ddl);

    assertThatThrownBy(() -> session.tables.explainSql("SELECT * FROM t"))
        .hasStackTraceContaining("table default_catalog.default_database.t")
        .hasStackTraceContaining(message);
  }

  @Test
  void aColumnOfEndsNeedsAHistory() throws Exception {
    session.run(
        """
        CREATE TABLE t (id BIGINT, ended BOOLEAN METADATA, PRIMARY KEY (id) NOT ENFORCED)
        WITH ('connector' = 'bsdb', 'path' = '%s')"""
            .formatted(directory));
    String message =
        "a column METADATA FROM 'ended' of table default_catalog.default_database.t needs a table with a history: 'history.retention' = 'forever', or how long";

    for (String statement :
        new String[] {"INSERT INTO t SELECT 1, TRUE", "SELECT id, ended FROM t"}) {
      assertThatThrownBy(() -> session.run(statement)).hasStackTraceContaining(message);
    }
  }

  @Test
  void refusesStatementsThatChangeRowsWithoutATime() throws Exception {
    Sql batch = Sql.batch(1).run(Histories.ddl(directory));
    batch.run("INSERT INTO prices VALUES ('bread', 1, TO_TIMESTAMP_LTZ(1000, 3), FALSE)");

    for (String statement :
        new String[] {
          "UPDATE prices SET price = 2",
          "DELETE FROM prices WHERE price = 1",
          "DELETE FROM prices WHERE item = 'bread' AND changed_at = TO_TIMESTAMP_LTZ(1000, 3)",
          "TRUNCATE TABLE prices"
        }) {
      assertThatThrownBy(() -> batch.run(statement))
          .as(statement)
          .hasStackTraceContaining(
              "table default_catalog.default_database.prices keeps a history, and "
                  + statement.substring(0, statement.indexOf(' ')))
          .hasStackTraceContaining(
              " is not supported; INSERT a row with the time of the change, and with TRUE in a column 'ended BOOLEAN METADATA' where a row ends, or build the table again by INSERT OVERWRITE");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'sink.partial-update' = 'true' | name all columns",
        "'sink.publish' = 'changes' | leave it out",
        "'sink.publish' = 'auto' | leave it out"
      })
  void refusesOptionsOfStatements(String option, String instead) throws Exception {
    Sql batch = Sql.batch(1).run(Histories.ddl(directory));

    assertThatThrownBy(
            () ->
                batch.run(
                    "INSERT OVERWRITE prices /*+ OPTIONS(%s) */ VALUES ('bread', 1, TO_TIMESTAMP_LTZ(1000, 3), FALSE)"
                        .formatted(option)))
        .hasStackTraceContaining(
            "table default_catalog.default_database.prices keeps a history, and %s is not supported; %s"
                .formatted(option, instead));
  }

  @Test
  void refusesToBeFollowed() {
    assertThatThrownBy(
            () ->
                session.tables.explainSql(
                    "SELECT * FROM prices /*+ OPTIONS('scan.follow' = 'true') */"))
        .hasStackTraceContaining(
            "table default_catalog.default_database.prices keeps a history, and 'scan.follow' = 'true' is not supported; read a version of it, or follow what it is written from");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'lookup.wait-for-source-time' = '180 s' | 'lookup.wait-for-source-time': expected 0 or more, and less than 'table.exec.async-lookup.timeout' = 3 min, after which Flink fails the job; actual 3 min",
        "'lookup.wait-for-source-time' = '1 s', 'lookup.refresh-interval' = '0 s' | 'lookup.wait-for-source-time' waits for newer versions, and these are not looked for; set 'lookup.refresh-interval' to more than 0",
        "'lookup.wait-for-source-time' = '1 s', 'snapshot.version' = '0000000001-00000000' | 'lookup.wait-for-source-time' waits for newer versions than 0000000001-00000000, which was chosen; leave it out"
      })
  void refusesToWaitForWhatCannotCome(String options, String why) {
    assertThatThrownBy(
            () ->
                session.tables.explainSql(
                    "SELECT item FROM prices /*+ OPTIONS(%s) */".formatted(options)))
        .hasStackTraceContaining("table default_catalog.default_database.prices: " + why);
  }

  @Test
  void waitsInHistoriesOnly() throws Exception {
    Sql plain =
        Sql.streaming(1)
            .run(
                Histories.ddl(directory, ", 'lookup.wait-for-source-time' = '1 s'")
                    .replace("'history.retention' = 'forever', ", "")
                    .replace("ended BOOLEAN METADATA,", ""));
    assertThatThrownBy(() -> plain.tables.explainSql("SELECT item FROM prices"))
        .hasStackTraceContaining(
            "it keeps no history; declare 'history.retention', or leave 'lookup.wait-for-source-time' out");
  }
}
