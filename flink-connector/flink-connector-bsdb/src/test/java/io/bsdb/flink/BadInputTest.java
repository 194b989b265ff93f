package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.table.api.ValidationException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Each mistake and each damage gets one message that says what is wrong, where, and what to do. */
@ExtendWith({SharedCluster.class, OpenReaders.class})
class BadInputTest {
  private static final String LOOKUP =
      "SELECT s.f0, d.name FROM s LEFT JOIN d FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0";

  @TempDir Path directory;
  private Sql session;

  @BeforeEach
  void build() throws Exception {
    Sql.batch(1)
        .numbers("s", 100)
        .run(
            "CREATE TABLE t (id BIGINT, name STRING, n INT NOT NULL, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '1')"
                .formatted(directory))
        .run("INSERT OVERWRITE t SELECT f0, 'x', 1 FROM s");
    session = Sql.streaming(1).numbers("s", 100);
  }

  private void declare(String columns, String... options) throws Exception {
    declareAt(directory.toString(), columns, options);
  }

  private void declareAt(String path, String columns, String... options) throws Exception {
    session.run(
        "CREATE TABLE d (%s) WITH ('connector' = 'bsdb', 'path' = '%s'%s)"
            .formatted(
                columns, path, options.length == 0 ? "" : ", " + String.join(", ", options)));
  }

  private AbstractThrowableAssert<?, ?> assertFails(String query) {
    return (AbstractThrowableAssert<?, ?>) assertThatThrownBy(() -> session.texts(query));
  }

  private Path snapshot() throws IOException {
    return directory.resolve("snapshots").resolve(Table.at(directory).requireCurrentVersion());
  }

  @Test
  void missingTable() throws Exception {
    declareAt(
        directory.resolve("nowhere").toString(),
        "id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED");

    assertFails(LOOKUP)
        .hasStackTraceContaining(
            "table default_catalog.default_database.d cannot be opened: path=" + directory)
        .hasStackTraceContaining(
            "no such table directory; check the path, or build the table first");
  }

  @Test
  void tableWithoutSnapshot() throws Exception {
    Path empty = Files.createDirectory(directory.resolve("empty"));
    declareAt(empty.toString(), "id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED");

    assertFails(LOOKUP).hasStackTraceContaining("no snapshot has been published here");
  }

  @Test
  void pathElsewhere() throws Exception {
    declareAt("s3://bucket/table", "id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED");

    assertFails(LOOKUP)
        .hasStackTraceContaining("Could not find a file system implementation for scheme 's3'");
  }

  @Test
  void noDirectory() throws Exception {
    String columns = "id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED";
    declareAt("", columns);
    assertFails(LOOKUP)
        .hasStackTraceContaining(
            "table default_catalog.default_database.d: 'path' is empty; expected the table's directory");

    session.run("DROP TABLE d");
    declare(columns);
    for (String copies : new String[] {"", "file:///data", "s3://bucket/data"}) {
      assertFails(
              LOOKUP.replace(
                  "JOIN d", "JOIN d /*+ OPTIONS('lookup.local-dir' = '%s') */".formatted(copies)))
          .hasStackTraceContaining(
              "'lookup.local-dir' = '%s' is no local path; expected a directory of the task managers"
                  .formatted(copies));
    }
  }

  @Test
  void columnOfAnotherType() throws Exception {
    declare("id BIGINT, name INT, PRIMARY KEY (id) NOT ENFORCED");

    assertFails(LOOKUP)
        .hasStackTraceContaining(
            "the DDL of table default_catalog.default_database.d does not match the snapshot")
        .hasStackTraceContaining(
            "column 'name': snapshot has STRING, DDL declares INT. Change the DDL, or rebuild the table with INSERT OVERWRITE");
  }

  @Test
  void nullableColumnDeclaredNotNull() throws Exception {
    declare("id BIGINT, name STRING NOT NULL, PRIMARY KEY (id) NOT ENFORCED");

    assertFails(LOOKUP)
        .hasStackTraceContaining(
            "column 'name': snapshot has STRING, DDL declares STRING NOT NULL");
  }

  @Test
  void columnThatIsNotThere() throws Exception {
    declare("id BIGINT, name STRING, more INT, PRIMARY KEY (id) NOT ENFORCED");

    assertFails(LOOKUP)
        .hasStackTraceContaining("column 'more': not in the snapshot, DDL declares INT");
  }

  @Test
  void anotherPrimaryKey() throws Exception {
    declare("id BIGINT, name STRING, PRIMARY KEY (name) NOT ENFORCED");

    assertFails("SELECT d.id FROM s JOIN d FOR SYSTEM_TIME AS OF s.pt AS d ON d.name = 'x'")
        .hasStackTraceContaining("primary key: snapshot has [id], DDL declares [name]");
  }

  @Test
  void notNullColumnDeclaredNullableIsFine() throws Exception {
    declare("id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED");

    assertThat(
            session.texts(
                "SELECT SUM(d.n) FROM s JOIN d FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0"))
        .contains("+U[100]");
  }

  @Test
  void noPrimaryKey() throws Exception {
    declare("id BIGINT, name STRING");

    assertFails(LOOKUP)
        .hasStackTraceContaining(
            "table default_catalog.default_database.d has no primary key; declare the columns that identify a row: PRIMARY KEY (…) NOT ENFORCED");
  }

  @Test
  void typeThatCannotBeAKey() throws Exception {
    declare("id ARRAY<INT>, name STRING, PRIMARY KEY (id) NOT ENFORCED");

    assertFails("SELECT d.name FROM s JOIN d FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = ARRAY[1]")
        .hasStackTraceContaining("cannot be in a primary key");
  }

  @Test
  void partOfTheKeyOnly() throws Exception {
    declare("id BIGINT, name STRING, n INT NOT NULL, PRIMARY KEY (id, name, n) NOT ENFORCED");

    assertFails("SELECT d.name FROM s JOIN d FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0")
        .rootCause()
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining(
            "a lookup in table default_catalog.default_database.d must compare every column of its primary key [id, name, n] by '='; not compared: 'name' (STRING) 'n' (INT)");
  }

  @Test
  void widerTypeOnTheOtherSide() throws Exception {
    declare("id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED");

    assertFails("SELECT d.name FROM s JOIN d FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0")
        .rootCause()
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("not compared: 'id' (INT)")
        .hasMessageContaining("cast the other side instead: ON d.`id` = CAST(… AS INT)");
  }

  /** Flink infers that the table's columns are equal, and filters by that. */
  @Test
  void twoColumnsComparedWithTheSameOne() throws Exception {
    session = Sql.batch(1).numbers("s", 100);
    declare("n INT NOT NULL, name STRING, id BIGINT, PRIMARY KEY (id) NOT ENFORCED");
    String join =
        "SELECT d.name FROM s JOIN d FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0 AND d.n ";

    assertFails(join + "= s.f0")
        .hasStackTraceContaining("not compared: 'id' (BIGINT)")
        .hasStackTraceContaining(
            "Or the other side is compared with another column, too, and Flink keeps one of these comparisons, as in inner joins of batch jobs; write that one with BETWEEN … AND …");
    assertThat(session.texts(join + "BETWEEN s.f0 AND s.f0")).containsExactly("+I[x]");
  }

  @Test
  void fieldInsideOfAColumn() throws Exception {
    declare("id BIGINT, r ROW<x BIGINT>, PRIMARY KEY (id) NOT ENFORCED");

    assertFails("SELECT d.id FROM s JOIN d FOR SYSTEM_TIME AS OF s.pt AS d ON d.r.x = s.f0")
        .hasStackTraceContaining("must compare every column of its primary key [id]");
  }

  @Test
  void unknownOption() throws Exception {
    declare("id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED", "'lookup.cash' = 'x'");

    assertFails(LOOKUP).hasStackTraceContaining("lookup.cash");
  }

  @Test
  void newerFormatVersion() throws Exception {
    Path manifest = snapshot().resolve("manifest.json");
    Files.writeString(
        manifest,
        Files.readString(manifest)
            .replaceFirst("\"formatVersion\" : \\d+", "\"formatVersion\" : 999"));
    declare("id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED");

    assertFails(LOOKUP)
        .hasStackTraceContaining("manifest has format version 999, this bsdb reads version");
  }

  @Test
  void damagedManifest() throws Exception {
    Path manifest = snapshot().resolve("manifest.json");
    Files.writeString(
        manifest,
        Files.readString(manifest).replaceFirst("\"recordCount\" : 100", "\"recordCount\" : 101"));
    declare("id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED");

    assertFails(LOOKUP).hasStackTraceContaining("manifest checksum mismatch: file=" + manifest);
  }

  @Test
  void missingPartitionFile() throws Exception {
    String name = partition().getFileName().toString();
    Files.delete(partition());
    declare("id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED");

    assertFails(LOOKUP).hasStackTraceContaining(name);
  }

  private Path partition() throws IOException {
    Table table = Table.at(directory);
    return snapshot()
        .resolve(table.manifest(table.requireCurrentVersion()).partitions().get(0).name());
  }

  @Test
  void failedBuildKeepsTheVersionInService() throws Exception {
    String before = Table.at(directory).requireCurrentVersion();
    Sql batch =
        Sql.batch(1)
            .numbers("s", 100)
            .run(
                "CREATE TABLE d (id BIGINT, name STRING, n INT NOT NULL, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'bsdb', 'path' = '%s')"
                    .formatted(directory));

    assertThatThrownBy(
            () -> batch.run("INSERT OVERWRITE d SELECT f0, 'y', CAST(1 / (f0 - 50) AS INT) FROM s"))
        .hasStackTraceContaining("/ by zero");
    assertThat(Table.at(directory).requireCurrentVersion()).isEqualTo(before);
    declare("id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED");
    assertThat(session.texts(LOOKUP)).hasSize(100).first().isEqualTo("+I[0, x]");
  }
}
