package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.Table;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables are built from files of every format that Flink's file connector commonly reads. */
@ExtendWith(SharedCluster.class)
class InputFormatsTest {
  private static final String COLUMNS =
      """
      id BIGINT, name STRING, price DECIMAL(10, 2), active BOOLEAN, score DOUBLE,
      born DATE, seen TIMESTAMP(3), n INT""";

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "parquet, 'parquet.utc-timezone' = 'true'",
        "csv, 'csv.null-literal' = 'none'",
        "json, 'json.fail-on-missing-field' = 'true'",
        "avro, 'avro.codec' = 'deflate'"
      })
  void buildsFrom(String format, String option) throws Exception {
    Path files = directory.resolve("files");
    Sql session =
        Sql.batch(2)
            .numbers("s", 500)
            .run(
                "CREATE TABLE files (%s) WITH ('connector' = 'filesystem', 'path' = '%s', 'format' = '%s', %s)"
                    .formatted(COLUMNS, files.toUri(), format, option))
            .run(
                "CREATE TABLE t (%s, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '3')"
                    .formatted(COLUMNS, directory.resolve("t")))
            .run(
                """
                INSERT INTO files
                SELECT f0, NULLIF('näme ' || CAST(f0 AS STRING), 'näme 7'), CAST(f0 / 8.0 AS DECIMAL(10, 2)), MOD(f0, 2) = 0,
                  CAST(f0 AS DOUBLE) / 3, DATE '2024-02-29', TIMESTAMP '2024-02-29 12:34:56.789', CAST(NULLIF(f0, 8) AS INT)
                FROM s""");
    try (Stream<Path> written = Files.list(files)) {
      assertThat(written).isNotEmpty();
    }

    session.run("INSERT OVERWRITE t SELECT * FROM files");

    Table table = Table.at(directory.resolve("t"));
    assertThat(table.manifest(table.requireCurrentVersion()).recordCount()).isEqualTo(500);
    List<String> rows = session.texts("SELECT * FROM files");
    assertThat(rows)
        .contains(
            "+I[7, null, 0.88, false, 2.3333333333333335, 2024-02-29, 2024-02-29T12:34:56.789, 7]",
            "+I[8, näme 8, 1.00, true, 2.6666666666666665, 2024-02-29, 2024-02-29T12:34:56.789, null]");
    assertThat(session.texts("SELECT * FROM t")).isEqualTo(rows);
    assertThat(
            session.texts(
                "SELECT d.* FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0"))
        .isEqualTo(rows);
  }
}
