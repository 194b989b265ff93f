package io.bsdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.examples.cluster.LocalFlink;
import io.bsdb.kstreams.LookupBuilder;
import io.bsdb.kstreams.SnapshotLookup;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Flink SQL builds, Kafka Streams looks up with Kafka's serdes, and the other way round. */
class KeysAgreeTest {
  /**
   * Keys of a type.
   *
   * @param present in SQL
   * @param absent in SQL
   */
  private record Keys<K>(
      String type, Serde<K> serde, String present, K key, String absent, K absentKey) {
    String table() {
      return "t_" + type;
    }

    String sql(String literal) {
      return "CAST(" + literal + " AS " + type + ")";
    }
  }

  private static final List<Keys<?>> ALL =
      List.of(
          new Keys<>("STRING", Serdes.String(), "'Zürich'", "Zürich", "'Zurich'", "Zurich"),
          new Keys<>(
              "BYTES",
              Serdes.ByteArray(),
              "x'0100ff'",
              new byte[] {1, 0, -1},
              "x'0100'",
              new byte[] {1, 0}),
          new Keys<>("SMALLINT", Serdes.Short(), "-300", (short) -300, "300", (short) 300),
          new Keys<>("INT", Serdes.Integer(), "-7", -7, "7", 7),
          new Keys<>(
              "BIGINT",
              Serdes.Long(),
              "-5000000000",
              -5_000_000_000L,
              "5000000000",
              5_000_000_000L),
          new Keys<>("FLOAT", Serdes.Float(), "-1.5", -1.5f, "1.5", 1.5f),
          new Keys<>("DOUBLE", Serdes.Double(), "-1e300", -1e300, "1e300", 1e300),
          new Keys<>("BOOLEAN", Serdes.Boolean(), "TRUE", true, "FALSE", false));

  @AutoClose private static LocalFlink flink;

  @TempDir private Path directory;

  @BeforeAll
  static void start() throws Exception {
    flink = LocalFlink.start(1);
  }

  private TableEnvironment environment(EnvironmentSettings.Builder mode) throws Exception {
    TableEnvironment environment =
        TableEnvironment.create(mode.withConfiguration(flink.configuration()).build());
    for (Keys<?> keys : ALL) {
      environment.executeSql(
          """
          CREATE TEMPORARY TABLE %s (id %s, name STRING, PRIMARY KEY (id) NOT ENFORCED)
          WITH ('connector' = 'bsdb', 'path' = '%s')"""
              .formatted(keys.table(), keys.type(), directory.resolve(keys.type())));
    }
    return environment;
  }

  private <K, V> LookupBuilder<K, V> lookup(String table) {
    return SnapshotLookup.<K, V>builder(table).table(directory.resolve(table));
  }

  @Test
  void looksUpWhatFlinkBuilt() throws Exception {
    TableEnvironment environment = environment(EnvironmentSettings.newInstance().inBatchMode());
    environment.executeSql(
        """
        CREATE TEMPORARY TABLE places (
          name STRING, country STRING, id BIGINT, PRIMARY KEY (country, id) NOT ENFORCED)
        WITH ('connector' = 'bsdb', 'path' = '%s')"""
            .formatted(directory.resolve("places")));
    StatementSet inserts = environment.createStatementSet();
    for (Keys<?> keys : ALL) {
      inserts.addInsertSql(
          "INSERT OVERWRITE %s SELECT %s, 'found'"
              .formatted(keys.table(), keys.sql(keys.present())));
    }
    inserts.addInsertSql("INSERT OVERWRITE places SELECT 'Bern', 'CH', CAST(7 AS BIGINT)");
    inserts.execute().await();

    for (Keys<?> keys : ALL) {
      assertFound(keys);
    }
    record PlaceKey(String country, long id) {}
    try (var places =
        this.<PlaceKey, String>lookup("places")
            .rows(
                (writer, key) -> writer.writeString(key.country()).writeLong(key.id()),
                row -> row.string("name"))
            .build()) {
      assertThat(places.get(new PlaceKey("CH", 7))).isEqualTo("Bern");
      assertThat(places.get(new PlaceKey("CH", 8))).isNull();
    }
  }

  private <K> void assertFound(Keys<K> keys) throws IOException {
    try (var rows = this.<K, String>lookup(keys.type()).rows(row -> row.string("name")).build();
        var bytes =
            this.<K, byte[]>lookup(keys.type()).serdes(keys.serde(), Serdes.ByteArray()).build()) {
      assertThat(rows.get(keys.key())).as(keys.type()).isEqualTo("found");
      assertThat(rows.get(keys.absentKey())).as(keys.type()).isNull();
      assertThat(bytes.get(keys.key())).as(keys.type()).isNotNull();
      assertThat(bytes.get(keys.absentKey())).as(keys.type()).isNull();
    }
  }

  @Test
  void flinkLooksUpWhatSerdesWrote() throws Exception {
    List<String> queries = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (Keys<?> keys : ALL) {
      if (keys.type().equals("BYTES")) {
        continue; // Flink's planner has no binary literals in VALUES
      }
      write(keys);
      queries.add(
          """
          SELECT '%s', s.place, t.name
          FROM (
            SELECT *, PROCTIME() AS pt
            FROM (VALUES ('present', %s), ('absent', %s)) AS v (place, id)
          ) AS s
          LEFT JOIN %s FOR SYSTEM_TIME AS OF s.pt AS t ON s.id = t.id"""
              .formatted(
                  keys.type(), keys.sql(keys.present()), keys.sql(keys.absent()), keys.table()));
      expected.add("+I[" + keys.type() + ", present, found]");
      expected.add("+I[" + keys.type() + ", absent, null]");
    }
    TableEnvironment environment = environment(EnvironmentSettings.newInstance().inStreamingMode());
    List<String> found = new ArrayList<>();
    try (CloseableIterator<Row> rows =
        environment.executeSql(String.join("\nUNION ALL\n", queries)).collect()) {
      rows.forEachRemaining(row -> found.add(row.toString()));
    }

    assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
  }

  private <K> void write(Keys<K> keys) throws IOException {
    Records.empty()
        .add(
            keys.serde().serializer().serialize("names", keys.key()),
            Serdes.String().serializer().serialize("names", "found"))
        .publish(directory.resolve(keys.type()), WriterOptions.defaults());
  }
}
