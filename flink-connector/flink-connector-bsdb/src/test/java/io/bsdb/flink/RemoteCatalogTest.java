package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.storage.NoRenameFileSystem;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.StreamProgress;
import io.bsdb.table.manifest.StreamProgress.Checkpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.util.FileUtils;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A catalog whose warehouse is not in the local file system. */
@ExtendWith(SharedCluster.class)
class RemoteCatalogTest {
  /** Has a table with two versions, which each test gets a copy of. */
  @TempDir static Path built;

  @TempDir Path warehouse;

  @BeforeAll
  static void build() throws Exception {
    use(Sql.batch(2).numbers("s", 10), built)
        .run("CREATE DATABASE c.geo")
        .run(
            "CREATE TABLE c.geo.cities (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) DISTRIBUTED INTO 3 BUCKETS")
        .run("INSERT OVERWRITE c.geo.cities SELECT f0, 'old' FROM s WHERE f0 < 4")
        .run("INSERT OVERWRITE c.geo.cities SELECT f0, 'new' FROM s");
  }

  @BeforeEach
  void copy() throws Exception {
    Copies.copy(built.resolve("geo"), warehouse.resolve("geo"));
  }

  private Sql use(Sql session) throws Exception {
    return use(session, warehouse);
  }

  private static Sql use(Sql session, Path warehouse) throws Exception {
    return session.run(
        "CREATE CATALOG c WITH ('type' = 'bsdb', 'warehouse' = '%s')"
            .formatted(NoRenameFileSystem.path(warehouse)));
  }

  @Test
  void scansAndLooksUp() throws Exception {
    Sql session = use(Sql.streaming(2).numbers("s", 5));

    assertThat(session.texts("SHOW TABLES FROM c.geo")).containsExactly("+I[cities]");
    assertThat(
            session.texts(
                "SELECT s.f0, d.name FROM s JOIN c.geo.`cities$v1` FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0"))
        .hasSize(4)
        .contains("+I[3, old]");
    assertThat(session.texts("SELECT name FROM c.geo.cities WHERE id = 9"))
        .containsExactly("+I[new]");
    assertThat(session.texts("SELECT sequence, records FROM c.geo.`cities$snapshots`"))
        .containsExactly("+I[1, 4]", "+I[2, 10]");
  }

  /** A drop that fails at each of its steps can be finished, in each way that there is. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "DROP TABLE c.geo.cities",
        "DROP TABLE IF EXISTS c.geo.cities",
        "CREATE TABLE c.geo.cities (id INT, PRIMARY KEY (id) NOT ENFORCED)",
        "CREATE TABLE IF NOT EXISTS c.geo.cities (id INT, PRIMARY KEY (id) NOT ENFORCED)",
        "DROP DATABASE c.geo CASCADE"
      })
  void finishesADropThatWasInterrupted(String finish) throws Exception {
    Sql session = use(Sql.streaming(2));
    Path table = warehouse.resolve("geo/cities");
    Path copy = warehouse.resolveSibling("copy");
    Copies.copy(table, copy);
    List<String> uses =
        List.of(
            "SELECT * FROM c.geo.cities",
            "INSERT INTO c.geo.cities VALUES (1, 'x')",
            "ALTER TABLE c.geo.cities SET ('sink.partitions' = '2')",
            "CALL c.sys.compact('geo.cities')");
    for (int step = 0; dropIsInterrupted(session, step); step++) {
      if (Files.exists(table.resolve("DROPPED"))) {
        assertThat(session.texts("SHOW TABLES FROM c.geo")).containsExactly("+I[cities]");
        String use = uses.get(step % uses.size());
        assertThatThrownBy(() -> session.run(use))
            .hasStackTraceContaining("DROP TABLE of geo.cities was interrupted");
        session.run(finish);
      }
      assertThat(table.resolve("DROPPED")).doesNotExist();
      assertThat(table.resolve("snapshots")).doesNotExist();
      FileUtils.deleteDirectory(table.toFile());
      Copies.copy(copy, table);
    }
    assertThat(table).doesNotExist();
  }

  private static boolean dropIsInterrupted(Sql session, int step) throws Exception {
    AtomicInteger left = new AtomicInteger(step);
    NoRenameFileSystem.deleting(
        name -> {
          if (left.getAndDecrement() <= 0) {
            throw new IOException("interrupted");
          }
        });
    try {
      session.run("DROP TABLE c.geo.cities");
      return false;
    } catch (Exception e) {
      assertThat(e).hasStackTraceContaining("interrupted");
      return true;
    } finally {
      NoRenameFileSystem.deleting(name -> {});
    }
  }

  @Test
  void runsProcedures() throws Exception {
    Sql session = use(Sql.streaming(1));
    Table table = Table.at(warehouse.resolve("geo/cities"));
    String first = table.versions().get(0);

    assertThat(session.texts("CALL c.sys.verify('geo.cities', '2')").get(0))
        .startsWith("+I[%s, 10, ".formatted(table.versions().get(1)));
    assertThat(session.texts("CALL c.sys.rollback_to('geo.cities', '1')"))
        .containsExactly("+I[%s]".formatted(first));
    assertThat(table.currentVersion()).isEqualTo(first);

    Path file = warehouse.resolve("geo/cities/snapshots").resolve(first).resolve("manifest.json");
    Files.writeString(file, Files.readString(file).replace("blocked", "compact"));
    assertThatThrownBy(
            () -> session.texts("CALL c.sys.verify('geo.cities', '%s')".formatted(first)))
        .hasStackTraceContaining("CorruptSnapshotException");
  }

  @Test
  void compacts() throws Exception {
    Sql session = use(Sql.batch(2).numbers("s", 6));
    session.run("INSERT INTO c.geo.cities SELECT f0 + 6, 'changed' FROM s");
    assertThat(session.texts("CALL c.sys.compact('geo.cities', 0.0)"))
        .singleElement()
        .asString()
        .endsWith(", 2, 0]");
    Table table = Table.at(warehouse.resolve("geo/cities"));
    Manifest manifest = table.manifest(table.requireCurrentVersion());
    assertThat(manifest.changes().segments()).isEmpty();
    assertThat(manifest.recordCount()).isEqualTo(12);
    assertThat(session.texts("SELECT name, COUNT(*) FROM c.geo.cities GROUP BY name"))
        .containsExactlyInAnyOrder("+I[new, 6]", "+I[changed, 6]");
  }

  /** Only the job of a recorded stream may change a table in object storage, until it is ended. */
  @Test
  void changesATableOnceItsStreamIsEnded() throws Exception {
    Sql session = use(Sql.batch(1).numbers("s", 6));
    Table table = Table.at(warehouse.resolve("geo/cities"));
    String built = table.requireCurrentVersion();
    session.run("INSERT INTO c.geo.cities SELECT f0, 'streamed' FROM s");
    StreamProgress progress = new StreamProgress(new Checkpoint(new UUID(0, 1), 7));
    table.edit(
        inService ->
            inService.with(
                inService.partitions(), Map.of(), inService.changes().with("a", progress)));
    List<String> refused =
        List.of(
            "INSERT INTO c.geo.cities SELECT f0, 'into' FROM s",
            "CALL c.sys.compact('geo.cities', 0.0)",
            "CALL c.sys.rollback_to('geo.cities', '1')",
            "CALL c.sys.expire('geo.cities', 1)");
    for (String statement : refused) {
      assertThatThrownBy(() -> session.run(statement))
          .hasStackTraceContaining("only the job that streams into the table may change it")
          .hasStackTraceContaining("CALL sys.end_stream('database.table', 'a')");
    }
    String overwrite = "INSERT OVERWRITE c.geo.cities SELECT f0, 'over' FROM s";
    assertThatThrownBy(() -> session.run(overwrite)).hasStackTraceContaining("streams=[a]");

    String streamed = table.requireCurrentVersion();
    session.run(
        "CALL c.sys.rollback_to(`table` => 'geo.cities', version => '%s', `stream` => 'a')"
            .formatted(built));
    assertThat(table.currentVersion()).isEqualTo(built);
    session.run("CALL c.sys.rollback_to('geo.cities', '%s')".formatted(streamed));
    assertThatThrownBy(() -> session.run("CALL c.sys.end_stream('geo.cities', 'b')"))
        .hasStackTraceContaining("no such stream: 'b'");
    assertThat(session.texts("CALL c.sys.end_stream('geo.cities', 'a')"))
        .containsExactly("+I[%s]".formatted(table.currentVersion()));

    for (String statement : refused) {
      session.run(statement);
    }
    session.run(overwrite);
    assertThat(session.texts("SELECT DISTINCT name FROM c.geo.cities")).containsExactly("+I[over]");
  }

  @Test
  void dropsTables() throws Exception {
    Sql session = use(Sql.streaming(1));
    for (String leftByACrash : List.of("CURRENT.next", "flink-table.json.next")) {
      Files.createFile(warehouse.resolve("geo/cities").resolve(leftByACrash));
    }

    session.run("DROP TABLE c.geo.cities");

    assertThat(session.texts("SHOW TABLES FROM c.geo")).isEmpty();
    assertThat(warehouse.resolve("geo/cities")).doesNotExist();
    session.run("DROP DATABASE c.geo");
    assertThat(warehouse.resolve("geo")).doesNotExist();
  }
}
