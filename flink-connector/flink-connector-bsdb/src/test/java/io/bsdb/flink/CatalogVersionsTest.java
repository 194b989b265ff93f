package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.writer.DeltaWriter;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Versions of tables and their changes, by name and by time. */
@ExtendWith({SharedCluster.class, OpenReaders.class})
class CatalogVersionsTest extends CatalogFixture {
  private Instant builtAt(String path, int version) throws IOException {
    return table(path).manifest(table(path).versions().get(version)).createdAt();
  }

  @Tag("any-release")
  @Test
  void listsVersions() throws Exception {
    Sql session = withCities();
    List<String> versions = table("geo/cities").versions();
    Manifest old = table("geo/cities").manifest(versions.get(0));

    List<Row> rows =
        session.query(
            "SELECT version, sequence, created_at, records, size_in_bytes, partitions, in_service, options['layout'] FROM c.geo.`cities$snapshots`");

    assertThat(rows)
        .containsExactly(
            Row.of(versions.get(0), 1L, old.createdAt(), 10L, old.length(), 3, false, "compressed"),
            Row.of(
                versions.get(1),
                2L,
                current("geo/cities").createdAt(),
                100L,
                current("geo/cities").length(),
                3,
                true,
                "compressed"));
    assertThat(
            use(Sql.streaming(1))
                .texts("SELECT source_positions, properties FROM c.geo.`cities$snapshots`"))
        .containsExactly("+I[{}, {}]", "+I[{}, {}]");
  }

  @Tag("any-release")
  @Test
  void listsChanges() throws Exception {
    Sql session = withCities();
    String folded = "SELECT number, puts, deletes, folded FROM c.geo.`cities$segments`";
    assertThat(session.query(folded)).isEmpty();
    try (DeltaWriter writer = DeltaWriter.create(table("geo/cities"))) {
      writer.delete(new byte[] {1, 2, 3});
      writer.publish();
    }

    assertThat(session.query(folded)).containsExactly(Row.of(1L, 0L, 1L, false));
    assertThat(
            session.texts(
                "SELECT segments, puts, deletes FROM c.geo.`cities$snapshots` WHERE in_service"))
        .containsExactly("+I[1, 0, 1]");
    session.texts("CALL c.sys.compact('geo.cities', CAST(0 AS DOUBLE))");
    assertThat(session.query(folded)).containsExactly(Row.of(1L, 0L, 1L, true));
    assertThat(use(Sql.streaming(1)).query("SELECT file FROM c.geo.`cities$segments`")).hasSize(1);
  }

  /** Flink merges two lookup joins on one table that differ in hints only (FLINK-40678). */
  @Test
  void looksUpTwoVersionsOfOneTable() throws Exception {
    withCities();
    String full = table("geo/cities").versions().get(1);

    List<String> rows =
        use(Sql.streaming(2).numbers("s", 2))
            .texts(
                """
                SELECT a.name, b.name, d.name FROM s
                JOIN c.geo.`cities$v1` FOR SYSTEM_TIME AS OF s.pt AS a ON a.id = s.f0
                JOIN c.geo.`cities$v%s` FOR SYSTEM_TIME AS OF s.pt AS b ON b.id = s.f0
                JOIN c.geo.cities FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0"""
                    .formatted(full));

    assertThat(rows).containsExactly("+I[old 0, new 0, new 0]", "+I[old 1, new 1, new 1]");
  }

  @Tag("any-release")
  @Test
  void showsAVersionWithTheColumnsThatItHad() throws Exception {
    Sql session =
        withCities()
            .run(
                """
                CREATE TABLE more (id BIGINT, more INT, PRIMARY KEY (id) NOT ENFORCED)
                WITH ('connector' = 'bsdb', 'path' = '%s')"""
                    .formatted(warehouse.resolve("geo/cities")))
            .run("INSERT OVERWRITE more SELECT f0, 1 FROM s");

    assertThat(session.texts("SELECT * FROM c.geo.cities WHERE id = 3"))
        .containsExactly("+I[3, 1]");
    assertThat(session.texts("SELECT * FROM c.geo.`cities$v1` WHERE id = 3"))
        .containsExactly("+I[old 3, 3, 1.50]");
  }

  /** Options of the table may be about columns that a version does not have, or later versions. */
  @Test
  void readsAVersionWhateverTheTableHasBecome() throws Exception {
    Sql session =
        withCities()
            .run("ALTER TABLE c.geo.cities ADD (ip BINARY(16))")
            .run("ALTER TABLE c.geo.cities SET ('sink.ip-columns' = 'ip', 'scan.follow' = 'true')");

    for (String version : List.of("v1", "at" + builtAt("geo/cities", 0))) {
      assertThat(session.texts("SELECT * FROM c.geo.`cities$%s` WHERE id = 3".formatted(version)))
          .containsExactly("+I[old 3, 3, 1.50]");
    }
  }

  @Test
  void readsTheVersionsOfTimes() throws Exception {
    Sql session = withCities();
    Instant first = builtAt("geo/cities", 0);
    Instant second = builtAt("geo/cities", 1);

    assertThat(
            session.texts(
                """
                SELECT MAX(a.name), MAX(b.name), MAX(d.name)
                FROM c.geo.`cities$at%s` AS a
                JOIN c.geo.`cities$at%s` AS b ON a.id = b.id
                JOIN c.geo.`cities$at%s` AS d ON a.id = d.id"""
                    .formatted(first, second.minusMillis(1), second)))
        .containsExactly("+I[old 9, old 9, new 9]");
    assertThatThrownBy(
            () ->
                session.texts("SELECT * FROM c.geo.`cities$at%s`".formatted(first.minusMillis(1))))
        .hasStackTraceContaining("no version of table " + warehouse.resolve("geo/cities"))
        .hasStackTraceContaining(
            "the oldest, %s, was built at %s"
                .formatted(table("geo/cities").versions().get(0), first));
  }

  @Tag("any-release")
  @Test
  void looksUpTheVersionsOfTimes() throws Exception {
    withCities();

    List<String> rows =
        use(Sql.streaming(2).numbers("s", 2))
            .texts(
                """
                SELECT a.name, d.name FROM s
                JOIN c.geo.`cities$at%s` FOR SYSTEM_TIME AS OF s.pt AS a ON a.id = s.f0
                JOIN c.geo.cities FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0"""
                    .formatted(builtAt("geo/cities", 0)));

    assertThat(rows).containsExactly("+I[old 0, new 0]", "+I[old 1, new 1]");
  }

  @Test
  void namesTheTableToReadInsteadOfATime() throws Exception {
    withCities();
    for (Sql session : List.of(batch(), use(Sql.streaming(1)))) {
      session.run("USE CATALOG c");
      assertThatThrownBy(
              () ->
                  session.texts(
                      "SELECT * FROM geo.cities FOR SYSTEM_TIME AS OF TIMESTAMP '2026-11-20 08:30:00'"))
          .hasStackTraceContaining(
              "c.geo.cities: FOR SYSTEM_TIME AS OF a constant is not supported; write `cities$at2026-11-20T08:30:00Z`");
      assertThatThrownBy(
              () ->
                  session.texts(
                      "SELECT * FROM geo.`cities$v1` FOR SYSTEM_TIME AS OF TIMESTAMP '2026-11-20 08:30:00'"))
          .hasStackTraceContaining("leave it out, as the name selects the version");
    }
  }
}
