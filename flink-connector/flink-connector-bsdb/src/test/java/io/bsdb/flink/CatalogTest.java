package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.api.config.TableConfigOptions;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.stats.CatalogTableStatistics;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Databases and tables of a warehouse. */
@ExtendWith({SharedCluster.class, OpenReaders.class})
class CatalogTest extends CatalogFixture {
  @Test
  void showsTablesThatNobodyDeclared() throws Exception {
    Sql session = withCities();
    Files.createDirectories(warehouse.resolve("geo/.hidden"));
    Files.createDirectories(warehouse.resolve("geo/nothing"));
    Files.createDirectories(warehouse.resolve("other"));
    Files.writeString(warehouse.resolve("file"), "x");

    assertThat(session.texts("SHOW DATABASES IN c"))
        .containsExactly("+I[default]", "+I[geo]", "+I[other]");
    assertThat(session.texts("SHOW TABLES FROM c.geo")).containsExactly("+I[cities]");
    assertThat(session.texts("SHOW TABLES FROM c.other")).isEmpty();
    assertThat(session.texts("SHOW TABLES FROM c.`default`")).isEmpty();
    assertThat(session.texts("DESCRIBE c.geo.cities"))
        .containsExactly(
            "+I[area, DECIMAL(10, 2), true, null, null, null]",
            "+I[id, BIGINT, false, PRI(id), null, null]",
            "+I[name, STRING, false, null, null, null]");
    assertThat(session.texts("SELECT COUNT(*), MAX(name), SUM(area) FROM c.geo.cities"))
        .containsExactly("+I[100, new 99, 250.00]");
    assertThat(
            session.texts(
                "SELECT d.name FROM s JOIN c.geo.cities FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0 WHERE s.f0 = 7"))
        .containsExactly("+I[new 7]");
  }

  @Tag("any-release")
  @Test
  void rebuildsATableAsItWasBuilt() throws Exception {
    withCities().run("INSERT OVERWRITE c.geo.cities SELECT 'x', f0, 1 FROM s WHERE f0 < 5");

    assertThat(current("geo/cities").recordCount()).isEqualTo(5);
    assertThat(current("geo/cities").partitions()).hasSize(3);
    assertThat(current("geo/cities").options())
        .containsEntry("layout", "compressed")
        .containsEntry("perfectHash", "pilot-dense")
        .containsEntry("signatureBits", "16");
    assertThat(table("geo/cities").versions()).hasSize(3);
  }

  @Tag("any-release")
  @Test
  void showsPlainBytesAndKeepsThem() throws Exception {
    Records.of("k", "v").publish(warehouse.resolve("default/plain"), WriterOptions.defaults());

    assertThat(
            batch()
                .texts(
                    "SELECT CAST(`key` AS STRING), CAST(`value` AS STRING) FROM c.`default`.plain"))
        .containsExactly("+I[k, v]");
    assertThatThrownBy(
            () -> batch().run("INSERT OVERWRITE c.`default`.plain SELECT * FROM c.`default`.plain"))
        .hasStackTraceContaining("table c.default.plain was built from plain bytes")
        .hasStackTraceContaining("'path' = '%s'".formatted(warehouse.resolve("default/plain")));
  }

  @Test
  void declaresATableAndFillsItLater() throws Exception {
    batch()
        .run("CREATE DATABASE c.shop")
        .run(
            """
            CREATE TABLE c.shop.goods (
              id BIGINT, region STRING, price DECIMAL(10, 2) COMMENT 'in CHF',
              gross AS price * 2, version STRING METADATA FROM 'snapshot-version' VIRTUAL,
              PRIMARY KEY (region, id) NOT ENFORCED
            ) COMMENT 'what we sell' DISTRIBUTED BY HASH(region, id) INTO 5 BUCKETS
            WITH ('sink.layout' = 'compact', 'lookup.refresh-interval' = '7 s')""");

    assertThat(warehouse.resolve("shop/goods/flink-table.json")).content().contains("compact");
    assertThat(table("shop/goods").currentVersion()).isNull();
    Sql later = batch();
    assertThat(later.texts("SHOW TABLES FROM c.shop")).containsExactly("+I[goods]");
    assertThat(later.texts("SHOW CREATE TABLE c.shop.goods"))
        .singleElement()
        .asString()
        .contains("what we sell", "in CHF", "INTO 5 BUCKETS", "'lookup.refresh-interval' = '7 s'")
        .contains("'path' = '%s'".formatted(warehouse.resolve("shop/goods")));
    assertThatThrownBy(() -> later.texts("SELECT * FROM c.shop.goods"))
        .hasStackTraceContaining("no snapshot has been published here; build one");

    later.run("INSERT OVERWRITE c.shop.goods SELECT f0, 'CH', 1.25 FROM s");

    String version = current("shop/goods").version();
    assertThat(current("shop/goods").partitions()).hasSize(5);
    assertThat(current("shop/goods").options()).containsEntry("layout", "compact");
    assertThat(batch().texts("SELECT * FROM c.shop.goods WHERE id = 3"))
        .containsExactly("+I[3, CH, 1.25, 2.50, %s]".formatted(version));
    assertThat(
            batch()
                .texts(
                    "SELECT d.gross FROM s JOIN c.shop.goods FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0 AND d.region = 'CH' WHERE s.f0 = 3"))
        .containsExactly("+I[2.50]");
  }

  @Test
  void declaresATableLikeAnother() throws Exception {
    withCities()
        .run("CREATE TABLE c.geo.towns LIKE c.geo.cities")
        .run("INSERT OVERWRITE c.geo.towns SELECT * FROM c.geo.cities WHERE id < 3");

    assertThat(current("geo/towns").recordCount()).isEqualTo(3);
    assertThat(current("geo/towns").options()).containsEntry("layout", "compressed");
    assertThat(current("geo/cities").recordCount()).isEqualTo(100);
  }

  /** To Flink it is CREATE TABLE, and then a plain INSERT, unless it is to be atomic. */
  @Test
  void createTableAsBuildsATable() throws Exception {
    Sql session = batch();

    session.run(
        "CREATE TABLE c.`default`.made (PRIMARY KEY (id) NOT ENFORCED) AS SELECT f0 AS id, 'x' AS name FROM s");

    assertThat(session.texts("SHOW TABLES FROM c.`default`")).containsExactly("+I[made]");
    assertThat(current("default/made").hasChanges()).isFalse();
    assertThat(session.texts("SELECT COUNT(*), MAX(name) FROM c.`default`.made"))
        .containsExactly("+I[100, x]");
  }

  @Tag("any-release")
  @Test
  void keepsAlteredOptions() throws Exception {
    withCities()
        .run("ALTER TABLE c.geo.cities SET ('sink.partitions' = '2')")
        .run("INSERT OVERWRITE c.geo.cities SELECT 'x', f0, 1 FROM s");

    assertThat(current("geo/cities").partitions()).hasSize(2);
    assertThat(current("geo/cities").options()).containsEntry("layout", "compressed");
  }

  @Test
  void dropsTablesAndDatabases() throws Exception {
    Sql session = withCities();
    Files.createDirectory(warehouse.resolve("geo/cities/staging"));
    assertThatThrownBy(() -> session.run("DROP DATABASE c.geo"))
        .hasStackTraceContaining("Database geo in catalog c is not empty");

    session.run("DROP TABLE c.geo.cities");

    assertThat(warehouse.resolve("geo")).isEmptyDirectory();
    assertThat(session.texts("SHOW TABLES FROM c.geo")).isEmpty();
    session.run("DROP TABLE IF EXISTS c.geo.cities").run("DROP DATABASE c.geo");
    assertThat(warehouse).isEmptyDirectory();
    withCities().run("DROP DATABASE c.geo CASCADE");
    assertThat(warehouse).isEmptyDirectory();
  }

  @Tag("any-release")
  @Test
  void leavesFilesThatAreNotItsOwn() throws Exception {
    Sql session = withCities();
    Path notes = Files.writeString(warehouse.resolve("geo/cities/notes.txt"), "x");

    session.run("DROP TABLE c.geo.cities");

    assertThat(warehouse.resolve("geo/cities"))
        .isDirectoryContaining(notes::equals)
        .isDirectoryNotContaining(file -> !file.equals(notes));
    assertThatThrownBy(() -> session.run("DROP DATABASE c.geo CASCADE"))
        .hasStackTraceContaining("the directory holds files that are no tables, and stays");
  }

  @Test
  void listsTablesBesideADirectoryOfSomethingElse() throws Exception {
    Sql session = withCities();
    Path other = Files.createDirectory(warehouse.resolve("geo/photos"));
    Files.createFile(other.resolve("snapshots"));

    assertThat(session.texts("SHOW TABLES FROM c.geo")).containsExactly("+I[cities]");
  }

  @Test
  void tellsStatistics() throws Exception {
    Sql session = withCities();
    Manifest manifest = current("geo/cities");
    CatalogTableStatistics statistics = statistics(session);

    assertThat(statistics.getRowCount()).isEqualTo(100);
    assertThat(statistics.getFileCount()).isEqualTo(3);
    assertThat(statistics.getTotalSize()).isEqualTo(manifest.length()).isPositive();
    assertThat(statistics.getRawDataSize()).isBetween(800L, statistics.getTotalSize());
    assertThat(
            session.tables.explainSql(
                "SELECT a.id FROM c.geo.cities AS a JOIN c.geo.`cities$v1` AS b ON a.id = b.id"))
        .contains("build=[right]");
    assertThat(
            session.tables.explainSql(
                "SELECT a.id FROM c.geo.`cities$v1` AS a JOIN c.geo.cities AS b ON a.id = b.id"))
        .contains("build=[left]");

    session.run(
        "INSERT INTO c.geo.cities (id, name, area) VALUES (7, 'x', 1.0), (1000, 'y', 1.0), (1001, 'z', 1.0)");
    session.run("DELETE FROM c.geo.cities WHERE id = 8");
    CatalogTableStatistics changed = statistics(session);
    assertThat(changed.getRowCount()).as("the row that was changed counts twice").isEqualTo(103);
    assertThat(changed.getFileCount()).isGreaterThan(3);
    assertThat(changed.getRawDataSize()).isGreaterThan(statistics.getRawDataSize());
  }

  private static CatalogTableStatistics statistics(Sql session) throws Exception {
    return session
        .tables
        .getCatalog("c")
        .orElseThrow()
        .getTableStatistics(new ObjectPath("geo", "cities"));
  }

  @Tag("any-release")
  @Test
  void createsAWarehouseThatIsMissing() throws Exception {
    Path missing = warehouse.resolve("not/there");
    Sql session =
        Sql.batch(1)
            .run("CREATE CATALOG d WITH ('type' = 'bsdb', 'warehouse' = '%s')".formatted(missing));

    assertThat(missing).isEmptyDirectory();
    assertThat(session.texts("SHOW DATABASES IN d")).containsExactly("+I[default]");
    assertThatThrownBy(() -> session.tables.getCatalog("d").orElseThrow().listTables("geo"))
        .hasMessageContaining("Database geo does not exist in Catalog d with warehouse " + missing);
  }

  @Test
  void readsAddedColumnsAsNullUntilTheyAreBuilt() throws Exception {
    Sql session =
        withCities()
            .run("ALTER TABLE c.geo.cities ADD (mayor STRING, twins ARRAY<INT>)")
            .run("ALTER TABLE c.geo.cities RENAME twins TO sisters");
    String lookup =
        "SELECT s.f0, d.mayor, d.name FROM s LEFT JOIN c.geo.cities FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0 %s WHERE s.f0 = 7";

    assertThat(batch().texts("SELECT mayor, id, sisters FROM c.geo.cities WHERE name = 'new 7'"))
        .containsExactly("+I[null, 7, null]");
    assertThat(batch().texts("SELECT mayor FROM c.geo.cities WHERE id = 7"))
        .containsExactly("+I[null]");
    assertThat(batch().texts(lookup.formatted(""))).containsExactly("+I[7, null, new 7]");
    assertThat(batch().texts(lookup.formatted("AND d.mayor = 'x'")))
        .containsExactly("+I[7, null, null]");

    session.run(
        "INSERT OVERWRITE c.geo.cities (name, id, mayor) SELECT 'built', f0, 'x' FROM s WHERE f0 < 9");
    assertThat(batch().texts(lookup.formatted("AND d.mayor = 'x'")))
        .containsExactly("+I[7, x, built]");
    assertThatThrownBy(() -> session.run("ALTER TABLE c.geo.cities RENAME mayor TO head"))
        .hasStackTraceContaining("column 'head': not in the snapshot");
  }

  @Tag("any-release")
  @Test
  void refusesColumnsThatWereNotAdded() throws Exception {
    Sql session =
        withCities()
            .run(
                """
                CREATE TABLE typo (id BIGINT, nmae STRING, PRIMARY KEY (id) NOT ENFORCED)
                WITH ('connector' = 'bsdb', 'path' = '%s')"""
                    .formatted(warehouse.resolve("geo/cities")));
    Map<String, String> refused =
        Map.of(
            "RENAME name TO title", "column 'title': not in the snapshot",
            "ADD (mayor STRING NOT NULL)", "column 'mayor': not in the snapshot",
            "MODIFY name BIGINT",
                "column 'name': snapshot has STRING NOT NULL, DDL declares BIGINT");

    refused.forEach(
        (change, reason) ->
            assertThatThrownBy(() -> session.run("ALTER TABLE c.geo.cities " + change))
                .hasStackTraceContaining(
                    "ALTER TABLE is refused, because nobody could read version")
                .hasStackTraceContaining(reason));

    assertThat(session.texts("SELECT name FROM c.geo.cities WHERE id = 7"))
        .containsExactly("+I[new 7]");
    assertThatThrownBy(() -> session.texts("SELECT * FROM typo"))
        .hasStackTraceContaining("column 'nmae': not in the snapshot");
  }

  private static Sql atomic(Sql session) {
    session.tables.getConfig().set(TableConfigOptions.TABLE_RTAS_CTAS_ATOMICITY_ENABLED, true);
    return session;
  }

  private static String createAs(String select) {
    return """
        CREATE TABLE c.`default`.made (n AS id + 1, PRIMARY KEY (id) NOT ENFORCED) COMMENT 'made at once'
        DISTRIBUTED BY HASH(id) INTO 5 BUCKETS WITH ('sink.layout' = 'compact')
        AS SELECT %s"""
        .formatted(select);
  }

  @Test
  void createsATableOfAQuery() throws Exception {
    Sql session = atomic(batch()).run(createAs("f0 AS id, 'x' AS name FROM s"));

    assertThat(session.texts("SELECT n, id, name FROM c.`default`.made WHERE id = 7"))
        .containsExactly("+I[8, 7, x]");
    assertThat(session.texts("SHOW CREATE TABLE c.`default`.made"))
        .singleElement()
        .asString()
        .contains("made at once", "INTO 5 BUCKETS", "compact");
    assertThat(current("default/made").partitions()).hasSize(5);
    assertThatThrownBy(() -> session.run(createAs("f0 AS id FROM s")))
        .hasStackTraceContaining("table c.default.made: CREATE TABLE … AS SELECT takes no table");
    assertThat(session.texts("SELECT COUNT(name) FROM c.`default`.made"))
        .containsExactly("+I[100]");
  }

  @Test
  void leavesNothingOfATableWhoseQueryFails() throws Exception {
    for (String select :
        List.of("MOD(f0, 2) AS id FROM s", "f0 AS id, 1 / (f0 - 50) AS name FROM s")) {
      Sql session = atomic(batch());
      assertThatThrownBy(() -> session.run(createAs(select))).isNotNull();
      assertThat(session.texts("SHOW TABLES FROM c.`default`")).isEmpty();
      assertThat(warehouse.resolve("default/made")).doesNotExist();
    }
    Sql stream = atomic(use(Sql.streaming(1).numbers("s", 100)));
    assertThatThrownBy(() -> stream.run(createAs("f0 AS id FROM s")))
        .hasStackTraceContaining("is built as a whole, from a bounded input, by a batch job");
    assertThat(warehouse.resolve("default/made")).doesNotExist();
  }
}
