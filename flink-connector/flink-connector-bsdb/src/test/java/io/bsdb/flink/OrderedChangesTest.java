package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.compact.Compactor;
import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.testkit.InService;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A table in key order that changes row by row: written, scanned and looked up by SQL. */
@ExtendWith({SharedCluster.class, OpenReaders.class})
class OrderedChangesTest {
  private static final String JOIN =
      """
      SELECT s.f0, b.below, b.name FROM s
      LEFT JOIN t FOR SYSTEM_TIME AS OF s.pt AS b ON b.region = 'odd' AND b.below = s.f0""";

  @TempDir Path directory;

  /** Rows of odd and even numbers below 400, in four partitions. */
  @BeforeEach
  void build() throws Exception {
    session(Sql.batch(2), false)
        .numbers("n", 400)
        .run(
            "INSERT OVERWRITE t SELECT IF(MOD(f0, 2) = 0, 'even', 'odd'), f0, CONCAT('base ', CAST(f0 AS STRING)) FROM n");
  }

  private Sql session(Sql session, boolean async) throws Exception {
    return session
        .numbers("s", 12)
        .run(
            """
            CREATE TABLE t (region STRING, id BIGINT, name STRING, below BIGINT METADATA FROM 'floor' VIRTUAL,
              PRIMARY KEY (region, id) NOT ENFORCED)
            WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.order' = 'key', 'sink.partitions' = '4', 'lookup.async' = '%s')"""
                .formatted(directory, async));
  }

  /** Puts the row of a new key and one that there is, and deletes three neighbours. */
  private void change() throws Exception {
    Sql session = session(Sql.streaming(2), false);
    session.env.enableCheckpointing(20);
    DataStream<Row> changes =
        session.env.fromData(
            Types.ROW(Types.STRING, Types.LONG, Types.STRING),
            Row.ofKind(RowKind.INSERT, "odd", 4L, "new 4"),
            Row.ofKind(RowKind.UPDATE_AFTER, "odd", 11L, "new 11"),
            Row.ofKind(RowKind.DELETE, "odd", 1L, null),
            Row.ofKind(RowKind.DELETE, "odd", 5L, null),
            Row.ofKind(RowKind.DELETE, "odd", 7L, null));
    session
        .changelog(
            "changes",
            changes,
            ChangelogMode.upsert(),
            Schema.newBuilder()
                .column("f0", DataTypes.STRING().notNull())
                .column("f1", DataTypes.BIGINT().notNull())
                .column("f2", DataTypes.STRING())
                .primaryKey("f0", "f1"))
        .run("INSERT INTO t SELECT f0, f1, f2 FROM changes");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void joinsWithTheFloorAmongTheChanges(boolean async) throws Exception {
    change();
    assertThat(InService.of(directory).hasChanges()).isTrue();
    Sql session = session(Sql.streaming(2), async);

    assertThat(session.tables.explainSql(JOIN))
        .contains("LookupJoin(table=[default_catalog.default_database.t]")
        .contains("below=f0");
    List<String> expected =
        List.of(
            "+I[0, null, null]",
            "+I[1, null, null]",
            "+I[10, 10, base 9]",
            "+I[11, 11, new 11]",
            "+I[2, null, null]",
            "+I[3, 3, base 3]",
            "+I[4, 4, new 4]",
            "+I[5, 5, new 4]",
            "+I[6, 6, new 4]",
            "+I[7, 7, new 4]",
            "+I[8, 8, new 4]",
            "+I[9, 9, base 9]");
    assertThat(session.texts(JOIN)).containsExactlyElementsOf(expected);

    new Compactor(directory).foldFraction(0).run();
    assertThat(InService.of(directory).hasChanges()).isFalse();
    assertThat(session.texts(JOIN)).containsExactlyElementsOf(expected);
  }

  @Test
  void scansRangesWithTheChangesInThem() throws Exception {
    change();
    Sql session = session(Sql.batch(2), false);
    String range = "SELECT id, name FROM t WHERE region = 'odd' AND id BETWEEN 3 AND 11";

    assertThat(session.tables.explainSql(range)).contains("TableSourceScan").contains("filter=[");
    assertThat(session.texts(range))
        .containsExactly("+I[11, new 11]", "+I[3, base 3]", "+I[4, new 4]", "+I[9, base 9]");
    assertThat(session.texts("SELECT COUNT(*), COUNT(DISTINCT id) FROM t"))
        .containsExactly("+I[398, 397]");
  }
}
