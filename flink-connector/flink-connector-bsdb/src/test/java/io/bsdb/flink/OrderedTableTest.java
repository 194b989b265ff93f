package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.table.RecordOrder;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A table in key order, built by another program: single keys and scans, as of any table. */
class OrderedTableTest {
  @RegisterExtension
  static final MiniClusterExtension CLUSTER = new MiniClusterExtension(Sql.cluster());

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
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (long id = -500; id < 500; id++) {
        writer.add(
            codec.encodeKey(id % 2 == 0 ? "even" : "odd", id), codec.encodeValue("name " + id));
      }
      writer.publish();
    }
  }

  @AfterEach
  void closesReaders() {
    assertThat(OpenReaders.count()).isZero();
  }

  private static Sql open(Sql session, String options) throws Exception {
    return session
        .numbers("s", 600)
        .run(
            """
            CREATE TABLE t (region STRING, id BIGINT, name STRING, PRIMARY KEY (region, id) NOT ENFORCED)
            WITH ('connector' = 'bsdb', 'path' = '%s'%s)"""
                .formatted(directory, options));
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

  @Test
  void isNotChangedRowByRow() throws Exception {
    Sql session = open(Sql.batch(1), "");

    assertThatThrownBy(() -> session.run("INSERT INTO t VALUES ('odd', 1, 'x')"))
        .hasStackTraceContaining("a table in key order cannot be changed row by row yet");
  }
}
