package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.SnapshotReader;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scripts in Flink's local executor. */
class SqlBuildTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"parquet", "csv"})
  void buildsATableOfFiles(String format) throws Exception {
    Path table = directory.resolve("t");
    String files =
        """
        CREATE TABLE files (id BIGINT, name STRING, price DECIMAL(9, 2)) WITH (
          'connector' = 'filesystem', 'path' = '%s', 'format' = '%s'); -- ; no end
        """
            .formatted(directory.resolve("files").toUri(), format);

    SqlBuild.run(
        files
            + "SET 'table.exec.resource.default-parallelism' = '1';"
            + "INSERT INTO files VALUES (1, 'a;b', 1.50), (2, CAST(NULL AS STRING), 2), (3, 'c', 3);"
            + "/* ; */ SELECT id, name, price * 2 AS twice FROM files WHERE id < 3;",
        table.toString(),
        List.of("id"),
        Map.of("sink.signature-bits", "12"),
        2);

    try (SnapshotReader reader = SnapshotReader.open(table)) {
      Schema schema = reader.manifest().schema();
      assertThat(schema).isNotNull();
      RowCodec codec = RowCodec.of(schema);
      byte[] key = codec.encodeKey(1L);
      byte[] value = reader.get(key);
      assertThat(value).isNotNull();
      assertThat(codec.decode(key, value).value("name")).isEqualTo("a;b");
      assertThat(codec.decode(key, value).value("twice")).hasToString("3.00");
      assertThat(reader.manifest().recordCount()).isEqualTo(2);
      assertThat(reader.manifest().options()).containsEntry("signatureBits", "12");
    }
    assertThat(Files.exists(directory.resolve("files"))).isTrue();
  }

  @Test
  void refusesScriptsThatMakeNoTable() {
    assertThatThrownBy(() -> run("CREATE TABLE x (a INT); INSERT INTO x SELECT 1"))
        .hasMessage("the last statement must be a SELECT: its rows become the table");
    assertThatThrownBy(() -> run(" -- nothing\n")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> run("SELECT 1 AS id"))
        .hasMessage("key column 'k' is not a column; the SELECT has [id]");
    assertThatThrownBy(() -> run("SELECT k FROM nowhere")).hasMessageContaining("nowhere");
    assertThatThrownBy(() -> run("SELECT CAST(NULL AS INT) AS k"))
        .hasStackTraceContaining("a null value is being written into it");
    assertThat(directory.resolve("t/CURRENT")).doesNotExist();
  }

  private void run(String script) throws Exception {
    SqlBuild.run(script, directory.resolve("t").toString(), List.of("k"), Map.of(), 1);
  }

  @Test
  void splitsAtSemicolonsOutsideOfQuotesAndComments() {
    assertThat(SqlBuild.statements("a ';' ''';' ; b `;` \"x;\" -- ;\n; /* ; */ c /*+ h */; ;"))
        .containsExactly("a ';' ''';'", "b `;` \"x;\"", "c /*+ h */");
    assertThat(SqlBuild.statements("SELECT/**/1; -- the end")).containsExactly("SELECT 1");
  }
}
