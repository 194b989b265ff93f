package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Each mistake with a catalog gets one message that says what is wrong, where, and what to do. */
@ExtendWith(SharedCluster.class)
class CatalogBadInputTest {
  private static final String COLUMNS = "(id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED)";

  @TempDir Path warehouse;
  private Sql session;

  @BeforeEach
  void build() throws Exception {
    session =
        Sql.batch(1)
            .numbers("s", 5)
            .run("CREATE CATALOG c WITH ('type' = 'bsdb', 'warehouse' = '%s')".formatted(warehouse))
            .run("USE CATALOG c")
            .run("CREATE TABLE declared " + COLUMNS + " WITH ('sink.partitions' = '1')")
            .run("CREATE TABLE t " + COLUMNS + " WITH ('sink.partitions' = '1')")
            .run("INSERT OVERWRITE t SELECT f0, 1 FROM default_catalog.default_database.s");
    Files.delete(warehouse.resolve("default/t/flink-table.json"));
  }

  private AbstractThrowableAssert<?, ?> assertFails(String statement) {
    return (AbstractThrowableAssert<?, ?>)
        assertThatThrownBy(() -> session.texts(statement)).as(statement);
  }

  private Path manifest() throws IOException {
    Path table = warehouse.resolve("default/t");
    return table
        .resolve("snapshots")
        .resolve(Table.at(table).requireCurrentVersion())
        .resolve("manifest.json");
  }

  @Test
  void noWarehouse() throws Exception {
    Path file = Files.writeString(warehouse.resolve("file"), "x");
    assertFails("CREATE CATALOG d WITH ('type' = 'bsdb', 'warehouse' = '%s')".formatted(file))
        .hasStackTraceContaining(
            "catalog d: 'warehouse' = '%s' is a file; expected a directory".formatted(file));
    assertFails("CREATE CATALOG d WITH ('type' = 'bsdb', 'warehouse' = '%s/x')".formatted(file))
        .hasStackTraceContaining(
            "catalog d: 'warehouse' = '%s/x' is no directory that could be read or created"
                .formatted(file));
    assertFails("CREATE CATALOG d WITH ('type' = 'bsdb', 'warehouse' = 's3://bucket/x')")
        .hasStackTraceContaining("Could not find a file system implementation for scheme 's3'");
    assertFails("CREATE CATALOG d WITH ('type' = 'bsdb')")
        .hasStackTraceContaining("One or more required options are missing")
        .hasStackTraceContaining("warehouse");
  }

  @Test
  void emptyWarehouse() {
    assertFails("CREATE CATALOG d WITH ('type' = 'bsdb', 'warehouse' = '')")
        .hasStackTraceContaining(
            "catalog d: 'warehouse' is empty; expected the directory of the databases");
  }

  @Test
  void warehouseThatIsATable() {
    assertFails(
            "CREATE CATALOG d WITH ('type' = 'bsdb', 'warehouse' = '%s/default/t')"
                .formatted(warehouse))
        .hasStackTraceContaining("catalog d: 'warehouse' = '%s/default/t".formatted(warehouse))
        .hasStackTraceContaining("is the directory of a table; a warehouse holds databases");
  }

  @Test
  void versionInAHint() throws Exception {
    String version = Table.at(warehouse.resolve("default/t")).requireCurrentVersion();
    String hint = " /*+ OPTIONS('snapshot.version' = '%s') */ ".formatted(version);

    for (String query :
        new String[] {
          "SELECT * FROM t" + hint,
          "SELECT t.n FROM default_catalog.default_database.s JOIN t%sFOR SYSTEM_TIME AS OF s.pt ON t.id = s.f0"
              .formatted(hint)
        }) {
      assertFails(query)
          .hasStackTraceContaining("table c.default.t: the hint 'snapshot.version' = '" + version)
          .hasStackTraceContaining("write `t$v%s`".formatted(version));
    }
    assertThat(session.texts("SELECT COUNT(*) FROM `t$v%s`".formatted(version)))
        .containsExactly("+I[5]");
    assertThat(session.texts("SELECT COUNT(*) FROM t /*+ OPTIONS('lookup.access' = 'direct') */"))
        .containsExactly("+I[5]");
  }

  @Test
  void anotherVersionInAHintThanInTheName() throws Exception {
    Table table = Table.at(warehouse.resolve("default/t"));
    String first = table.requireCurrentVersion();
    session.run("INSERT OVERWRITE t SELECT f0, 2 FROM default_catalog.default_database.s");
    String second = table.requireCurrentVersion();
    String hint = "` /*+ OPTIONS('snapshot.version' = '%s') */ ";
    String time = table.manifest(first).createdAt().toString();

    for (String name : new String[] {"t$v1", "t$v" + first, "t$at" + time}) {
      String query = "SELECT MAX(n) FROM `" + name + hint;
      assertFails(query.formatted(second))
          .hasStackTraceContaining(
              "table c.default.%s is not version %s, which the hint 'snapshot.version' asks for"
                  .formatted(name, second))
          .hasStackTraceContaining("write `t$v%s`".formatted(second));
      assertThat(session.texts(query.formatted(first))).containsExactly("+I[1]");
      for (String noName : new String[] {"1", "2", "x-1", ""}) {
        assertFails(query.formatted(noName))
            .hasStackTraceContaining("is not version %s, which the hint".formatted(noName));
      }
    }
  }

  @Test
  void noSuchTable() {
    assertFails("SELECT * FROM nowhere").hasStackTraceContaining("Object 'nowhere' not found");
    assertFails("SELECT * FROM `nowhere$v1`")
        .hasStackTraceContaining("Object 'nowhere$v1' not found");
    assertFails("SELECT * FROM `$v1`").hasStackTraceContaining("Object '$v1' not found");
    assertFails("DROP TABLE nowhere").hasStackTraceContaining("'c.default.nowhere' does not exist");
    assertFails("SHOW TABLES FROM c.nowhere")
        .hasStackTraceContaining("Database 'c'.'nowhere' doesn't exist");
  }

  @Test
  void notATableDirectory() throws Exception {
    Path other = Files.createDirectories(warehouse.resolve("default/other"));
    Files.writeString(other.resolve("data.csv"), "x");
    String message =
        "not a table directory, because nothing was published or declared in it: %s has neither CURRENT nor flink-table.json; build the table, or check the path"
            .formatted(other);

    assertFails("SELECT * FROM other").hasStackTraceContaining(message);
    assertFails("CREATE TABLE other " + COLUMNS).hasStackTraceContaining(message);
    assertFails("CALL sys.verify('default.other')").hasStackTraceContaining(message);
    assertThat(other.resolve("data.csv")).exists();
  }

  @Test
  void damagedManifest() throws Exception {
    String text = Files.readString(manifest());
    Files.writeString(manifest(), text.replace("BIGINT", "BIGENT"));

    for (String query :
        new String[] {"SELECT * FROM t", "DESCRIBE `t$v1`", "SELECT * FROM `t$snapshots`"}) {
      assertFails(query).hasStackTraceContaining("manifest checksum mismatch: file=" + manifest());
    }
    assertFails("CALL sys.verify('default.t')")
        .hasStackTraceContaining("manifest checksum mismatch");
    assertThat(session.texts("SHOW TABLES")).containsExactly("+I[declared]", "+I[t]");
  }

  @Test
  void damagedCurrent() throws Exception {
    Files.writeString(warehouse.resolve("default/t/CURRENT"), "x\n");

    assertFails("SELECT * FROM t")
        .hasStackTraceContaining("CURRENT does not name a version")
        .hasStackTraceContaining("c.default.t: ");
    session.run("CALL sys.rollback_to('default.t', '1')");
    assertThat(session.texts("SELECT COUNT(*) FROM t")).containsExactly("+I[5]");
  }

  @Test
  void damagedDeclaration() throws Exception {
    Path file = warehouse.resolve("default/declared/flink-table.json");
    String text = Files.readString(file);

    Files.writeString(file, text.replace("BIGINT", "INT"));
    assertFails("SELECT * FROM declared")
        .hasStackTraceContaining("declaration of a table checksum mismatch: file=" + file);
    Files.writeString(file, "{");
    assertFails("SELECT * FROM declared")
        .hasStackTraceContaining(
            "declaration of a table does not end with a checksum, perhaps it was cut off: file="
                + file);
    Files.writeString(file, text.replace("\"formatVersion\" : 1", "\"formatVersion\" : 2"));
    assertFails("SELECT * FROM declared")
        .hasStackTraceContaining(
            "declaration of a table has format version 2, this bsdb reads version 1: file=" + file);
  }

  @Test
  void unknownVersion() throws Exception {
    String versions = Table.at(warehouse.resolve("default/t")).versions().toString();

    assertFails("SELECT * FROM `t$v42`")
        .hasStackTraceContaining("no version 42 of table")
        .hasStackTraceContaining("there are " + versions);
    assertFails("SELECT * FROM `t$v0000000001-00000000`")
        .hasStackTraceContaining("no version 0000000001-00000000 of table");
    assertFails("CALL sys.rollback_to('default.t', '42')")
        .hasStackTraceContaining("no version 42 of table");
    assertFails("CALL sys.rollback_to('default.t')")
        .hasStackTraceContaining("there is no version before 0000000001-");
    assertFails("SELECT * FROM `t$atnoon`")
        .hasStackTraceContaining(
            "'noon' is no time; expected one in UTC, such as 2026-11-20T08:30:00Z");
    assertFails("SELECT * FROM `t$history`")
        .hasStackTraceContaining("no such part of a table: 't$history'; after the '$' stands");
  }

  @Test
  void twoVersionsOfOneNumber() throws Exception {
    Path twin = warehouse.resolve("default/t/snapshots/0000000001-00000000");
    Files.createDirectory(twin);
    Files.copy(manifest(), twin.resolve("manifest.json"));

    assertFails("SELECT * FROM `t$v1`")
        .hasStackTraceContaining("several versions 1 of table")
        .hasStackTraceContaining("write one of them out");
  }

  @Test
  void writesToWhatCannotBeWritten() {
    String rows = " SELECT f0, 1 FROM default_catalog.default_database.s";

    assertFails("INSERT OVERWRITE `t$v1`" + rows)
        .hasStackTraceContaining("is version 0000000001-")
        .hasStackTraceContaining("and cannot be written");
    assertFails("INSERT OVERWRITE `t$snapshots` SELECT * FROM `t$snapshots`")
        .hasStackTraceContaining("can only be used as a source");
    assertFails("DROP TABLE `t$v1`").hasStackTraceContaining("'t$v1' cannot be the name of a");
  }

  @Test
  void declarationsThatCannotBeKept() {
    assertFails("CREATE TABLE x (id BIGINT)").hasStackTraceContaining("has no primary key");
    assertFails("CREATE TABLE x (id ARRAY<INT>, PRIMARY KEY (id) NOT ENFORCED)")
        .hasStackTraceContaining("cannot be in a primary key");
    assertFails("CREATE TABLE x " + COLUMNS + " WITH ('sink.layuot' = 'compact')")
        .hasStackTraceContaining("sink.layuot");
    assertFails("CREATE TABLE x " + COLUMNS + " WITH ('sink.memory' = '32 mb')")
        .hasStackTraceContaining(
            "table c.default.x: a 'sink.' option is wrong: option of a build 'memory'='33554432': memory bytes out of range: expected 67108864 to");
    for (int parallelism : new int[] {-1, 0, 32_769}) {
      assertFails(
              "CREATE TABLE x " + COLUMNS + " WITH ('sink.parallelism' = '" + parallelism + "')")
          .hasStackTraceContaining(
              "'sink.parallelism': expected 1 to 32768, actual " + parallelism);
    }
    assertFails("CREATE TABLE x " + COLUMNS + " WITH ('sink.retain-versions' = '0')")
        .hasStackTraceContaining(
            "table c.default.x: a 'sink.' option is wrong: retain-versions: expected>=1")
        .hasStackTraceContaining("actual=0");
    assertFails("CREATE TABLE x " + COLUMNS + " WITH ('sink.keep-changes-after' = '7')")
        .hasStackTraceContaining(
            "table c.default.x: 'sink.keep-changes-after' = '7' is no version; expected its full name");
    assertFails("CREATE TABLE x LIKE `t$v1`")
        .hasStackTraceContaining("'snapshot.version' = '0000000001-")
        .hasStackTraceContaining("after LIKE, EXCLUDING OPTIONS does so");
    String unknown = "column 'm': no such metadata: 'version'; expected one of [snapshot-version, ";
    assertFails("CREATE TABLE x (m STRING METADATA FROM 'version' VIRTUAL) LIKE declared")
        .hasStackTraceContaining(unknown);
    assertFails("ALTER TABLE t ADD (m STRING METADATA FROM 'version' VIRTUAL)")
        .hasStackTraceContaining(unknown);
    assertFails("CREATE TABLE x " + COLUMNS + " WITH ('connector' = 'filesystem')")
        .hasStackTraceContaining("keeps tables of this type only");
    assertFails("CREATE TABLE x " + COLUMNS + " WITH ('path' = '/elsewhere')")
        .hasStackTraceContaining("the tables of a catalog lie in its warehouse, this one at '")
        .hasStackTraceContaining("leave 'path' out");
    assertFails("CREATE TABLE x " + COLUMNS + " PARTITIONED BY (n)")
        .hasStackTraceContaining("use DISTRIBUTED INTO n BUCKETS");
    assertFails("CREATE TABLE `../x` " + COLUMNS)
        .hasStackTraceContaining("'../x' cannot be the name of a database or table");
    assertFails("CREATE DATABASE `a/b`")
        .hasStackTraceContaining("'a/b' cannot be the name of a database or table");
    assertFails("CREATE DATABASE d COMMENT 'x'")
        .hasStackTraceContaining("a database is a directory, which keeps no comment");
    assertFails("CREATE VIEW v AS SELECT 1").hasStackTraceContaining("use CREATE TEMPORARY VIEW");
    assertFails("CREATE MODEL m WITH ('provider' = 'x')")
        .hasStackTraceContaining("a catalog of type 'bsdb' keeps no models");
    assertFails("ALTER TABLE t RENAME TO u").hasStackTraceContaining("does not rename tables");
    assertFails("CREATE TABLE t " + COLUMNS).hasStackTraceContaining("already exists");
    assertThat(warehouse.resolve("default/x")).doesNotExist();
  }
}
