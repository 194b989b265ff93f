package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A table in key order, built by another program: single keys and scans, as of any table. */
@ExtendWith({SharedCluster.class, OpenReaders.class})
class OrderedTableTest {
  @TempDir static Path directory;

  @BeforeAll
  static void build() throws Exception {
    Schema schema =
        Schema.builder()
            .column("region", "STRING")
            .column("id", "BIGINT")
            .column("name", "STRING")
            .primaryKey("region", "id")
            .keyEncoding(KeyEncoding.ORDERED)
            .build();
    RowCodec codec = RowCodec.of(schema);
    WriterOptions options =
        WriterOptions.builder().order(RecordOrder.KEY).schema(schema).partitions(4).build();
    try (SnapshotWriter writer = SnapshotWriter.create(directory.resolve("db/t"), options)) {
      for (long id = -500; id < 500; id++) {
        writer.add(
            codec.encodeKey(id % 2 == 0 ? "even" : "odd", id), codec.encodeValue("name " + id));
      }
      writer.publish();
    }
  }

  private static Sql open(Sql session, String options) throws Exception {
    return session
        .numbers("s", 600)
        .run(
            """
            CREATE TABLE t (region STRING, id BIGINT, name STRING, PRIMARY KEY (region, id) NOT ENFORCED)
            WITH ('connector' = 'bsdb', 'path' = '%s'%s)"""
                .formatted(directory.resolve("db/t"), options));
  }

  @Test
  void isScannedAndAskedForKeys() throws Exception {
    Sql session = open(Sql.batch(2), "");

    assertThat(session.texts("SELECT COUNT(*), MIN(id), MAX(id) FROM t"))
        .containsExactly("+I[1000, -500, 499]");
    assertThat(session.texts("SELECT name FROM t WHERE region = 'odd' AND id IN (-7, 7, 8, 900)"))
        .containsExactlyInAnyOrder("+I[name -7]", "+I[name 7]");
  }

  @ParameterizedTest
  @CsvSource({"'', false", "'', true", "shuffle, false", "shuffle, true"})
  void isLookedUp(String hint, boolean async) throws Exception {
    List<String> rows =
        open(Sql.streaming(2), ", 'lookup.async' = '%s'".formatted(async))
            .texts(
                """
                SELECT %s s.f0, t.name FROM (
                  SELECT f0, IF(MOD(f0, 2) = 0, 'even', 'odd') AS region, pt FROM s) AS s
                LEFT JOIN t FOR SYSTEM_TIME AS OF s.pt ON t.region = s.region AND t.id = s.f0 - 300"""
                    .formatted(
                        hint.isEmpty() ? "" : "/*+ LOOKUP('table'='t', 'shuffle'='true') */"));

    assertThat(rows)
        .hasSize(600)
        .contains("+I[0, name -300]", "+I[293, name -7]", "+I[599, name 299]");
  }

  @Tag("any-release")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "region = 'odd' AND id > 490 | 5",
        "region = 'odd' AND 490 >= id AND id >= 488 | 1",
        "region = 'odd' | 500",
        "region = 'none' | 0",
        "region >= 'f' | 500",
        "region > 'even' | 500",
        "region <= 'even' | 500",
        "region < 'even' | 0",
        "region > 'zzz' | 0",
        "region = 'even' AND id BETWEEN -2 AND 3 | 3",
        "region = 'even' AND id > 0 AND id > 490 AND name = 'x' | 0",
        "id > 490 | 9",
        "region <= 'odd' AND id > 490 | 9",
        "region IN ('even', 'odd') AND id > 490 | 9"
      })
  void answersRangesOfKeys(String condition, int rows) throws Exception {
    Sql session = open(Sql.batch(2), ", 'sink.order' = 'key'");

    assertThat(session.texts("SELECT id, name FROM t WHERE " + condition))
        .hasSize(rows)
        .doesNotHaveDuplicates();
  }

  /** The manifest has the number of all rows only. */
  @Tag("any-release")
  @Test
  void countsRowsOfRangesOfKeys() throws Exception {
    Sql session = open(Sql.batch(2), ", 'sink.order' = 'key'");

    assertThat(session.texts("SELECT COUNT(*) FROM t WHERE region = 'odd' AND id > 490"))
        .containsExactly("+I[5]");
    assertThat(session.texts("SELECT COUNT(*) FROM t WHERE id > 490")).containsExactly("+I[9]");
  }

  /** Constants have a type by their digits, which need not be that of the column. */
  @Tag("any-release")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "id > 490 | >(id, 490)",
        "490.0 <= id | <=(490.0:DECIMAL(4, 1), id)",
        "id BETWEEN 3 AND 11 | AND(>=(id, 3), <=(id, 11))",
        "id < 5000000000 | <(id, 5000000000",
        "id > 490.5 | =(region, "
      })
  void readsOnlyRangesOfKeys(String condition, String filter) throws Exception {
    Sql session = open(Sql.batch(1), ", 'sink.order' = 'key'");
    String rows = "SELECT COUNT(name) FROM t WHERE region = 'odd' AND ";

    assertThat(session.tables.explainSql(rows + condition))
        .containsPattern("filter=\\[[^]]*" + Pattern.quote(filter));
    assertThat(session.texts(rows + condition))
        .isEqualTo(
            session.texts(
                "SELECT COUNT(name) FROM t WHERE id + 0 = id AND "
                    + condition
                    + " AND region || '' = 'odd'"));
  }

  @Test
  void isBuiltAndReadThroughTheCatalog() throws Exception {
    Path warehouse = directory.resolve("warehouse");
    Sql session =
        Sql.batch(2)
            .numbers("n", 1_000)
            .run("CREATE CATALOG c WITH ('type' = 'bsdb', 'warehouse' = '%s')".formatted(warehouse))
            .run("CREATE DATABASE c.db")
            .run(
                """
                CREATE TABLE c.db.prices (item STRING, valid_from BIGINT, price BIGINT,
                  valid_at BIGINT METADATA FROM 'floor' VIRTUAL, PRIMARY KEY (item, valid_from) NOT ENFORCED)
                WITH ('sink.order' = 'key', 'sink.partitions' = '5')""")
            .run(
                "INSERT OVERWRITE c.db.prices SELECT IF(MOD(f0, 2) = 0, 'even', 'odd'), f0 - 500, f0 FROM n");

    assertThat(order(Table.at(warehouse.resolve("db/prices")))).isEqualTo(RecordOrder.KEY);
    assertThat(session.texts("SELECT COUNT(*), MIN(valid_from), SUM(price) FROM c.db.prices"))
        .containsExactly("+I[1000, -500, 499500]");
    assertThat(
            session.texts(
                """
                SELECT p.valid_at, p.valid_from FROM n
                JOIN c.db.prices FOR SYSTEM_TIME AS OF n.pt AS p ON p.item = 'odd' AND p.valid_at = n.f0
                WHERE n.f0 BETWEEN 8 AND 9"""))
        .containsExactly("+I[8, 7]", "+I[9, 9]");
    assertThat(session.texts("DESCRIBE c.db.prices").toString())
        .contains("METADATA FROM 'floor' VIRTUAL");
  }

  private static RecordOrder order(Table table) throws Exception {
    return table.manifest(table.requireCurrentVersion()).order();
  }

  @Test
  void aTableWithoutDeclarationIsReadByLeadingColumns() throws Exception {
    Sql session =
        Sql.batch(1)
            .numbers("n", 3)
            .run(
                "CREATE CATALOG c WITH ('type' = 'bsdb', 'warehouse' = '%s')".formatted(directory));

    assertThat(
            session.texts(
                "SELECT COUNT(*) FROM n JOIN c.db.t FOR SYSTEM_TIME AS OF n.pt AS t ON t.region = 'odd'"))
        .containsExactly("+I[1500]");
  }
}
