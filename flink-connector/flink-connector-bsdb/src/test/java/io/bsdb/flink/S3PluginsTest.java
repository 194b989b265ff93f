package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.flink.storage.FileSystemStorage;
import io.bsdb.flink.storage.S3Server;
import io.bsdb.table.Table;
import io.bsdb.table.storage.TableStorage;
import io.bsdb.testkit.InService;
import io.bsdb.testkit.Utf8;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A warehouse in S3, through each of the plugins that Flink has for it. */
@Timeout(300)
@ExtendWith(SharedCluster.class)
class S3PluginsTest {
  private static final String WAREHOUSE = "s3://" + S3Server.BUCKET + "/warehouse";

  /** From JDK 24 on, flink-s3-fs-hadoop does not run: it has Hadoop 3.3, see docs/flink.md. */
  private static List<String> plugins() {
    return Runtime.version().feature() < 24
        ? List.of("hadoop", "presto", "native")
        : List.of("presto", "native");
  }

  @ParameterizedTest
  @MethodSource("plugins")
  void buildsChangesAndReadsATable(String plugin) throws Exception {
    try (S3Server server = S3Server.through(plugin)) {
      Sql session = Sql.batch(1).numbers("s", 10);
      session.run(
          "CREATE CATALOG c WITH ('type' = 'bsdb', 'warehouse' = '%s')".formatted(WAREHOUSE));

      session.run("CREATE DATABASE c.geo");
      assertThat(session.texts("SHOW DATABASES IN c")).contains("+I[geo]");
      session.run(
          "CREATE TABLE c.geo.cities (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) DISTRIBUTED INTO 2 BUCKETS");
      session.run("INSERT OVERWRITE c.geo.cities SELECT f0, 'old' FROM s");
      session.run("INSERT INTO c.geo.cities SELECT f0, 'changed' FROM s WHERE f0 < 3");

      assertThat(session.texts("SELECT name, COUNT(*) FROM c.geo.cities GROUP BY name"))
          .containsExactly("+I[changed, 3]", "+I[old, 7]");
      assertThat(
              session.texts(
                  "SELECT d.name FROM s JOIN c.geo.cities FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0 WHERE s.f0 = 9"))
          .containsExactly("+I[old]");
      session.run("CALL c.sys.compact('geo.cities', 0.0)");
      session.run("CALL c.sys.expire('geo.cities', 1)");
      assertThat(session.texts("SELECT sequence, records FROM c.geo.`cities$snapshots`"))
          .containsExactly("+I[3, 10]");
      assertThat(server.deleted()).noneMatch(key -> key.endsWith("/CURRENT"));
      session.run("DROP TABLE c.geo.cities");
      session.run("DROP DATABASE c.geo");
      assertThat(session.texts("SHOW DATABASES IN c")).containsExactly("+I[default]");
      assertThat(server.keys()).noneMatch(key -> key.contains("geo"));
    }
  }

  /** As of a table with more than a thousand versions. */
  @ParameterizedTest
  @MethodSource("plugins")
  void listsAndDeletesWhatTakesManyPages(String plugin) throws Exception {
    try (S3Server server = S3Server.through(plugin)) {
      server.pageSize(3);
      TableStorage storage = new FileSystemStorage(WAREHOUSE + "/t");
      List<String> names = new ArrayList<>();
      for (int i = 10; i < 20; i++) {
        names.add("f" + i);
        storage.replace("d/f" + i, Utf8.bytes("x"));
        storage.replace("e/f" + i + "/manifest", Utf8.bytes("x"));
      }
      assertThat(storage.list("d")).isEqualTo(names);
      assertThat(storage.list("e")).isEqualTo(names);
      assertThat(storage.list("")).containsExactly("d", "e");
      storage.delete("e");
      assertThat(storage.list("")).containsExactly("d");
      assertThat(server.keys()).hasSize(names.size());
    }
  }

  /** Statements that change rows, reloads, and a query that follows what they do. */
  @Test
  void changesAndFollowsATable() throws Exception {
    try (S3Server server = S3Server.through("native")) {
      String catalog =
          "CREATE CATALOG c WITH ('type' = 'bsdb', 'warehouse' = '%s')".formatted(WAREHOUSE);
      Sql batch = Sql.batch(1).numbers("s", 8).run(catalog);
      batch.run(
          """
          CREATE TABLE c.`default`.t (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) DISTRIBUTED INTO 2 BUCKETS
          WITH ('sink.min-rows' = '0', 'lookup.refresh-interval' = '50 ms')""");
      String reload =
          "INSERT OVERWRITE c.`default`.t /*+ OPTIONS('sink.publish' = '%s') */ SELECT f0, '%s' FROM s WHERE f0 < %d";
      batch.run(reload.formatted("all", "a", 8));
      Table table = Table.of(new FileSystemStorage(WAREHOUSE + "/default/t"));

      Sql streaming = Sql.streaming(1).run(catalog);
      try (CloseableIterator<Row> followed =
          streaming
              .tables
              .executeSql("SELECT * FROM c.`default`.t /*+ OPTIONS('scan.follow' = 'true') */")
              .collect()) {
        assertThat(next(followed, 8)).hasSize(8).contains("+I[7, a]");

        batch.run("UPDATE c.`default`.t SET name = 'b' WHERE id = 1 AND name = 'a'");
        assertThat(next(followed, 2)).containsExactly("-U[1, a]", "+U[1, b]");
        batch.run("DELETE FROM c.`default`.t WHERE id = 2");
        assertThat(next(followed, 1)).containsExactly("-D[2, a]");
        batch.run("DELETE FROM c.`default`.t WHERE name = 'b'");
        assertThat(next(followed, 1)).containsExactly("-D[1, b]");

        batch.run(reload.formatted("changes", "a", 7));
        assertThat(next(followed, 3)).containsExactly("+I[1, a]", "+I[2, a]", "-D[7, a]");
        assertThat(InService.of(table).hasChanges()).isTrue();
        batch.run(reload.formatted("auto", "a", 8));
        assertThat(next(followed, 1)).containsExactly("+I[7, a]");
        assertThat(InService.of(table).hasChanges()).isTrue();
        batch.run(reload.formatted("auto", "c", 3));
        assertThat(next(followed, 11))
            .contains("-U[0, a]", "+U[0, c]", "-U[2, a]", "+U[2, c]", "-D[3, a]", "-D[7, a]");
        assertThat(InService.of(table).hasChanges()).isFalse();

        batch.run("TRUNCATE TABLE c.`default`.t");
        assertThat(next(followed, 3)).containsExactly("-D[0, c]", "-D[1, c]", "-D[2, c]");
      }
    }
  }

  /** The next rows, sorted by key; those of a version come partition by partition. */
  private static List<String> next(Iterator<Row> rows, int count) {
    return Stream.generate(rows::next)
        .limit(count)
        .sorted(Comparator.comparing(row -> row.<Long>getFieldAs(0)))
        .map(Row::toString)
        .toList();
  }
}
