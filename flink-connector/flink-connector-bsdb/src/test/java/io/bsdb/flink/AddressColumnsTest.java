package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.SnapshotReader;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import io.bsdb.row.text.ValueParser;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Columns of IP addresses, which SQL has as bytes and numbers, and other programs as text. */
@ExtendWith(SharedCluster.class)
class AddressColumnsTest {
  private static final String COLUMNS =
      "(first BINARY(16), v4 BIGINT, name STRING, PRIMARY KEY (first) NOT ENFORCED)";

  @TempDir Path warehouse;

  private Sql session() throws Exception {
    return Sql.batch(1)
        .run("CREATE CATALOG c WITH ('type' = 'bsdb', 'warehouse' = '%s')".formatted(warehouse))
        .run("USE CATALOG c");
  }

  private Path table() {
    return warehouse.resolve("default/t");
  }

  private Schema schema() throws IOException {
    Table table = Table.at(table());
    Manifest manifest = table.manifest(table.requireCurrentVersion());
    return manifest.schema();
  }

  private static final String INSERT =
      "INSERT OVERWRITE t VALUES (CAST(X'00000000000000000000ffff0a000001' AS BINARY(16)), CAST(3232235777 AS BIGINT), 'a')";

  @Test
  void areAddressesForOtherPrograms() throws Exception {
    session()
        .run("CREATE TABLE t " + COLUMNS + " WITH ('sink.ip-columns' = 'first;v4')")
        .run(INSERT);

    assertThat(schema().columns().get(0).declaration()).isEqualTo("`first` IP NOT NULL");
    assertThat(schema().columns().get(1).declaration()).isEqualTo("`v4` IPV4");
    RowJsonWriter json = RowJsonWriter.of(schema());
    try (SnapshotReader reader = SnapshotReader.open(table())) {
      byte[] key =
          RowCodec.of(schema())
              .encodeKey(ValueParser.parseKey(schema().columns().subList(0, 1), "10.0.0.1"));
      assertThat(json.row(key, reader.get(key)))
          .isEqualTo("{\"first\": \"10.0.0.1\", \"v4\": \"192.168.1.1\", \"name\": \"a\"}");
    }
  }

  /** As another program builds it: without a declaration. */
  @Test
  void staySoWhenATableIsBuiltAnew() throws Exception {
    session()
        .run("CREATE TABLE t " + COLUMNS + " WITH ('sink.ip-columns' = 'first;v4')")
        .run(INSERT);
    Files.delete(table().resolve("flink-table.json"));

    session().run("INSERT OVERWRITE t SELECT first, v4, 'b' FROM t");

    assertThat(schema().columns()).filteredOn(column -> column.type().isAddress()).hasSize(2);
    assertThat(session().texts("SELECT name FROM t WHERE v4 = 3232235777"))
        .containsExactly("+I[b]");
  }

  @Test
  void areBytesOrNumbers() throws Exception {
    Sql session = session();
    assertThatThrownBy(
            () -> session.run("CREATE TABLE t " + COLUMNS + " WITH ('sink.ip-columns' = 'name')"))
        .hasStackTraceContaining(
            "column 'name': IP addresses are BINARY(16), or BIGINT for IPv4; this is STRING");
    assertThatThrownBy(
            () -> session.run("CREATE TABLE t " + COLUMNS + " WITH ('sink.ip-columns' = 'x')"))
        .hasStackTraceContaining(
            "there is no column 'x' to hold IP addresses; expected one of [first, v4, name]");
  }
}
