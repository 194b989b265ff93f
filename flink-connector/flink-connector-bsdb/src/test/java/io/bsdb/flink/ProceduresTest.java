package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(SharedCluster.class)
class ProceduresTest {
  /** Has a table with three versions, which each test gets a copy of. */
  @TempDir static Path built;

  @TempDir Path temporary;
  private Path warehouse;
  private Sql session;
  private Table table;
  private List<String> versions;

  private static Sql session(Path warehouse) throws Exception {
    return Sql.batch(1)
        .numbers("s", 50)
        .run("CREATE CATALOG c WITH ('type' = 'bsdb', 'warehouse' = '%s')".formatted(warehouse));
  }

  @BeforeAll
  static void build() throws Exception {
    Sql session =
        session(built)
            .run(
                "CREATE TABLE c.`default`.t (id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('sink.partitions' = '1')");
    for (int version = 1; version <= 3; version++) {
      session.run("INSERT OVERWRITE c.`default`.t SELECT f0, %d FROM s".formatted(version));
    }
  }

  @BeforeEach
  void copy() throws Exception {
    warehouse = temporary.resolve("warehouse");
    Copies.copy(built, warehouse);
    session = session(warehouse);
    table = Table.at(warehouse.resolve("default/t"));
    versions = table.versions();
  }

  @Test
  void listsProcedures() throws Exception {
    assertThat(session.texts("SHOW PROCEDURES IN c.sys"))
        .containsExactly(
            "+I[compact]",
            "+I[end_stream]",
            "+I[expire]",
            "+I[rollback]",
            "+I[rollback_to]",
            "+I[sweep]",
            "+I[verify]");
  }

  @Test
  void rollsBack() throws Exception {
    assertThat(session.texts("CALL c.sys.`rollback`('default.t')"))
        .containsExactly("+I[%s]".formatted(versions.get(1)));
    assertThat(session.texts("SELECT DISTINCT n FROM c.`default`.t")).containsExactly("+I[2]");

    session.run("CALL c.sys.rollback_to('default.t', '%s')".formatted(versions.get(0)));
    assertThat(table.currentVersion()).isEqualTo(versions.get(0));

    session.run("CALL c.sys.rollback_to(`table` => 'default.t', version => '3')");
    assertThat(table.currentVersion()).isEqualTo(versions.get(2));
  }

  @Test
  void rollsBackToWhatWasInServiceBefore() throws Exception {
    session.run("CALL c.sys.rollback_to('default.t')");
    session.run("INSERT OVERWRITE c.`default`.t SELECT f0, 4 FROM s");
    assertThat(session.texts("CALL c.sys.rollback_to('default.t')"))
        .as("not version 3, which was rolled back")
        .containsExactly("+I[%s]".formatted(versions.get(1)));
  }

  /** As what died while it replaced CURRENT leaves it in some file systems. */
  @Test
  void putsAVersionOfATableWithoutCurrentInService() throws Exception {
    Path directory = warehouse.resolve("default/t");
    Files.delete(directory.resolve("flink-table.json"));
    Files.delete(directory.resolve("CURRENT"));

    assertThatThrownBy(() -> session.texts("SELECT * FROM c.`default`.t"))
        .hasStackTraceContaining("CURRENT is missing, but the table has versions");
    session.run("CALL c.sys.rollback_to('default.t', '%s')".formatted(versions.get(2)));

    assertThat(session.texts("SELECT DISTINCT n FROM c.`default`.t")).containsExactly("+I[3]");
  }

  @Tag("any-release")
  @Test
  void expires() throws Exception {
    assertThat(session.texts("CALL c.sys.expire('default.t', 2)"))
        .containsExactly("+I[%s]".formatted(versions.get(0)));
    assertThat(table.versions()).isEqualTo(versions.subList(1, 3));
    assertThatThrownBy(() -> session.run("CALL c.sys.expire('default.t', 0)"))
        .hasStackTraceContaining("versions to keep: expected>=1 actual=0");
  }

  @Tag("any-release")
  @Test
  void verifies() throws Exception {
    Manifest manifest = table.manifest(versions.get(2));
    assertThat(session.texts("CALL c.sys.verify('default.t')"))
        .containsExactly("+I[%s, 50, %d]".formatted(versions.get(2), manifest.length()));
    Path file =
        warehouse
            .resolve("default/t/snapshots")
            .resolve(versions.get(2))
            .resolve(manifest.partitions().get(0).name());
    byte[] content = Files.readAllBytes(file);
    content[4096 + 30] ^= 1;
    Files.write(file, content);

    assertThatThrownBy(() -> session.run("CALL c.sys.verify('default.t')"))
        .hasStackTraceContaining("checksum mismatch: file=" + file);
    assertThat(session.texts("CALL c.sys.verify('default.t', '2')"))
        .singleElement()
        .asString()
        .contains(versions.get(1));
  }

  @Tag("any-release")
  @Test
  void compacts() throws Exception {
    assertThat(session.texts("CALL c.sys.compact('default.t')"))
        .containsExactly("+I[%s, 0, 0]".formatted(versions.get(2)));
    session.run("INSERT INTO c.`default`.t SELECT f0 + 45, 4 FROM s WHERE f0 < 10");

    assertThat(session.texts("CALL c.sys.compact('default.t')"))
        .containsExactly("+I[%s, 0, 0]".formatted(table.currentVersion()));
    assertThat(session.texts("CALL c.sys.compact('default.t', 0.0)"))
        .singleElement()
        .asString()
        .endsWith(", 1, 0]");

    Manifest manifest = table.manifest(table.requireCurrentVersion());
    assertThat(manifest.hasChanges()).isFalse();
    assertThat(manifest.recordCount()).isEqualTo(55);
    assertThat(session.texts("SELECT COUNT(*), SUM(n) FROM c.`default`.t"))
        .containsExactly("+I[55, 175]");
    session.run("CALL c.sys.verify('default.t')").run("DROP TABLE c.`default`.t");
    assertThat(warehouse.resolve("default/t")).doesNotExist();
  }

  @Tag("any-release")
  @Test
  void sweeps() throws Exception {
    Path leftover =
        Files.createDirectories(
            warehouse.resolve("default/t/staging/0d0d0d0d-0000-0000-0000-000000000000"));

    assertThat(session.texts("CALL c.sys.sweep('default.t')")).isEmpty();
    assertThat(session.texts("CALL c.sys.sweep('default.t', '0 s')"))
        .containsExactly("+I[staging/0d0d0d0d-0000-0000-0000-000000000000]");
    assertThat(leftover).doesNotExist();
  }

  @Tag("any-release")
  @Test
  void refusesArgumentsThatMeanNothing() {
    String[][] calls = {
      {"expire(CAST(NULL AS STRING), 1)", "'null' names no table; expected 'database.table'"},
      {"expire('default.t', CAST(NULL AS INT))", "argument 'keep' is NULL; expected a value"},
      {"end_stream('default.t', CAST(NULL AS STRING))", "argument 'stream' is NULL"},
      {"sweep('default.t', 'soon')", "argument 'age' = 'soon' is no duration, such as '2 d'"},
      {"sweep('default.t', '')", "argument 'age' = '' is no duration"},
    };
    for (String[] call : calls) {
      assertThatThrownBy(() -> session.run("CALL c.sys." + call[0]))
          .as(call[0])
          .hasStackTraceContaining(call[1]);
    }
  }

  @Tag("any-release")
  @Test
  void refusesWhatIsNoTable() {
    assertThatThrownBy(() -> session.run("CALL c.sys.verify('t')"))
        .hasStackTraceContaining("'t' names no table; expected 'database.table'");
    assertThatThrownBy(() -> session.run("CALL c.sys.verify('default.nowhere')"))
        .hasStackTraceContaining("no such table: 'default.nowhere' in catalog c with warehouse ");
    assertThatThrownBy(() -> session.run("CALL c.sys.verify('x/y.t')"))
        .hasStackTraceContaining("no such table: 'x/y.t'");
    assertThatThrownBy(() -> session.run("CALL c.sys.shrink('default.t')"))
        .hasStackTraceContaining("No match found for function signature shrink");
  }
}
