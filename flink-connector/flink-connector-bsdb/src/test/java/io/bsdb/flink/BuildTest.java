package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.table.Table;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.testkit.InService;
import io.bsdb.writer.options.Layout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(SharedCluster.class)
class BuildTest {
  @TempDir Path directory;

  private String ddl(String suffix, String... options) {
    return """
        CREATE TABLE t (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) %s
        WITH ('connector' = 'bsdb', 'path' = '%s'%s)"""
        .formatted(
            suffix,
            directory,
            Stream.of(options).map(option -> ", " + option).reduce("", String::concat));
  }

  @Test
  void publishesOneFilePerPartition() throws Exception {
    Sql.batch(3)
        .numbers("s", 1000)
        .run(ddl("", "'sink.partitions' = '7'"))
        .run("INSERT OVERWRITE t SELECT f0, 'x' FROM s");

    assertThat(InService.of(directory).recordCount()).isEqualTo(1000);
    assertThat(InService.of(directory).partitions()).hasSize(7);
    assertThat(InService.of(directory).properties()).isEmpty();
    try (Stream<Path> files =
        Files.list(directory.resolve("snapshots").resolve(InService.of(directory).version()))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(
              Stream.concat(
                      Stream.of("manifest.json"),
                      InService.of(directory).partitions().stream().map(PartitionFile::name))
                  .toList());
    }
    assertThat(directory.resolve("staging"))
        .satisfiesAnyOf(
            staging -> assertThat(staging).doesNotExist(),
            staging -> assertThat(staging).isEmptyDirectory());
  }

  @Tag("any-release")
  @Test
  void keepsTheTableIfTheQueryGivesNoRows() throws Exception {
    Sql session =
        Sql.batch(2).numbers("s", 10).run(ddl("")).run("INSERT OVERWRITE t SELECT f0, 'x' FROM s");
    String before = InService.of(directory).version();

    assertThatThrownBy(() -> session.run("INSERT OVERWRITE t SELECT f0, 'x' FROM s WHERE f0 < 0"))
        .hasStackTraceContaining("too few rows, so nothing was published: table=" + directory)
        .hasStackTraceContaining("lower 'sink.min-rows', to 0 for an empty table");
    assertThatThrownBy(
            () ->
                session.run(
                    "INSERT OVERWRITE t /*+ OPTIONS('sink.max-shrinkage' = '0.2') */ SELECT f0, 'x' FROM s WHERE f0 < 5"))
        .hasStackTraceContaining("if that is right, raise 'sink.max-shrinkage'");
    assertThat(Table.at(directory).storage().list("snapshots")).containsExactly(before);

    session.run(
        "INSERT OVERWRITE t /*+ OPTIONS('sink.min-rows' = '0') */ SELECT f0, 'x' FROM s WHERE f0 < 0");
    assertThat(InService.of(directory).recordCount()).isZero();
  }

  @Test
  void takesBucketsOfDdlAsPartitions() throws Exception {
    Sql.batch(2)
        .numbers("s", 100)
        .run(ddl("DISTRIBUTED BY HASH(id) INTO 3 BUCKETS", "'sink.parallelism' = '2'"))
        .run("INSERT OVERWRITE t SELECT f0, 'x' FROM s");

    assertThat(InService.of(directory).partitions()).hasSize(3);
    assertThat(InService.of(directory).recordCount()).isEqualTo(100);
  }

  @Tag("any-release")
  @Test
  void refusesContradictingPartitions() throws Exception {
    Sql session =
        Sql.batch(1)
            .numbers("s", 1)
            .run(ddl("DISTRIBUTED INTO 3 BUCKETS", "'sink.partitions' = '4'"));

    assertThatThrownBy(() -> session.run("INSERT OVERWRITE t SELECT f0, 'x' FROM s"))
        .hasStackTraceContaining(
            "DISTRIBUTED INTO 3 BUCKETS and 'sink.partitions' = '4' contradict each other");
  }

  @Test
  void refusesDistributionByOtherColumns() throws Exception {
    Sql session = Sql.batch(1).numbers("s", 1).run(ddl("DISTRIBUTED BY HASH(name) INTO 3 BUCKETS"));

    assertThatThrownBy(() -> session.run("INSERT OVERWRITE t SELECT f0, 'x' FROM s"))
        .hasStackTraceContaining(
            "rows are distributed by the hash of their whole primary key [id]");
  }

  @Tag("any-release")
  @Test
  void replacesTheTableAndKeepsSomeVersions() throws Exception {
    Sql session =
        Sql.batch(2)
            .numbers("s", 10)
            .run(ddl("", "'sink.partitions' = '2'", "'sink.retain-versions' = '2'"));

    for (int i = 1; i <= 3; i++) {
      session.run("INSERT OVERWRITE t SELECT f0, 'x' FROM s WHERE f0 < " + i);
      assertThat(InService.of(directory).recordCount()).isEqualTo(i);
    }

    assertThat(Table.at(directory).versions())
        .hasSize(2)
        .contains(InService.of(directory).version());
  }

  @Tag("any-release")
  @Test
  void keepsWhatABuildSaysOfItself() throws Exception {
    Sql.batch(1)
        .numbers("s", 10)
        .run(ddl("", "'sink.partitions' = '1'", "'sink.properties' = 'owner:shop'"))
        .run(
            "INSERT OVERWRITE t /*+ OPTIONS('sink.source-positions' = 'orders-0:4711,orders-1:12') */ SELECT f0, 'x' FROM s");

    assertThat(InService.of(directory).sourcePositions())
        .isEqualTo(Map.of("orders-0", "4711", "orders-1", "12"));
    assertThat(InService.of(directory).properties()).isEqualTo(Map.of("owner", "shop"));
  }

  @Tag("any-release")
  @Test
  void publishesAnEmptyTable() throws Exception {
    Sql.batch(2)
        .numbers("s", 10)
        .run(ddl("", "'sink.partitions' = '2'", "'sink.min-rows' = '0'"))
        .run("INSERT OVERWRITE t SELECT f0, 'x' FROM s WHERE f0 < 0");

    assertThat(InService.of(directory).recordCount()).isZero();
    assertThat(InService.of(directory).partitions()).hasSize(2);
  }

  @Tag("any-release")
  @Test
  void sweepsWhatFailedBuildsLeftBehind() throws Exception {
    Path leftover = directory.resolve("staging/0a0a0a0a-0000-0000-0000-000000000000/spill");
    Files.createDirectories(leftover.getParent());
    Files.writeString(leftover, "x");
    Path incomplete = directory.resolve("snapshots/0000000001-0a0a0a0a/part-00000.bsdb");
    Files.createDirectories(incomplete.getParent());
    Files.writeString(incomplete, "x");

    Sql.batch(1)
        .numbers("s", 10)
        .run(ddl("", "'sink.partitions' = '1'", "'sink.staging-retention' = '0 s'"))
        .run("INSERT OVERWRITE t SELECT f0, 'x' FROM s");

    assertThat(leftover).doesNotExist();
    assertThat(incomplete).doesNotExist();
    assertThat(InService.of(directory).recordCount()).isEqualTo(10);
  }

  @Test
  void insertsIntoATable() throws Exception {
    Sql session = Sql.batch(2).numbers("s", 10).run(ddl("", "'sink.partitions' = '4'"));

    session.run("INSERT INTO t SELECT f0, 'x' FROM s");
    assertThat(InService.of(directory).recordCount()).isEqualTo(10);
    assertThat(InService.of(directory).hasChanges()).isFalse();

    session.run("INSERT INTO t SELECT f0 + 5, 'y' FROM s");
    session.run("INSERT INTO t SELECT f0, 'z' FROM s WHERE f0 < 0");
    assertThat(InService.of(directory).recordCount()).isEqualTo(10);
    assertThat(InService.of(directory).changes().count()).isEqualTo(10);
    assertThat(InService.of(directory).changes().streams()).isEmpty();
    assertThat(Table.at(directory).versions()).hasSize(2);
    assertThat(session.texts("SELECT name, COUNT(*) FROM t GROUP BY name"))
        .containsExactly("+I[x, 5]", "+I[y, 10]");
    assertThat(session.texts("SELECT COUNT(*), COUNT(id) FROM t")).containsExactly("+I[15, 15]");
    assertThat(session.texts("SELECT name FROM t WHERE id IN (4, 5, 14, 15)"))
        .containsExactly("+I[x]", "+I[y]", "+I[y]");

    session.run("INSERT OVERWRITE t SELECT f0, 'z' FROM s");
    assertThat(InService.of(directory).hasChanges()).isFalse();
    assertThat(session.texts("SELECT COUNT(*) FROM t")).containsExactly("+I[10]");
  }

  /** Of partitions without records in their files, too. */
  @Tag("any-release")
  @Test
  void countsAndScansChangesOverAnEmptyTable() throws Exception {
    Sql session =
        Sql.batch(1)
            .numbers("s", 10)
            .run(ddl("", "'sink.partitions' = '4'", "'sink.min-rows' = '0'"))
            .run("INSERT OVERWRITE t SELECT f0, 'x' FROM s WHERE f0 < 0")
            .run("INSERT INTO t SELECT f0, 'y' FROM s");

    assertThat(InService.of(directory).recordCount()).isZero();
    assertThat(session.texts("SELECT COUNT(*) FROM t")).containsExactly("+I[10]");
    assertThat(session.texts("SELECT DISTINCT name FROM t")).containsExactly("+I[y]");
    assertThat(session.texts("SELECT name FROM t WHERE id = 3")).containsExactly("+I[y]");
  }

  @Test
  void refusesToBuildFromStreams() throws Exception {
    Sql session = Sql.streaming(1).numbers("s", 10).run(ddl(""));

    assertThatThrownBy(() -> session.run("INSERT OVERWRITE t SELECT f0, 'x' FROM s"))
        .hasStackTraceContaining("SET 'execution.runtime-mode' = 'batch' and use INSERT OVERWRITE");
    assertThat(Table.at(directory).currentVersion()).isNull();
  }

  @Test
  void refusesNullInKey() throws Exception {
    Sql session = Sql.batch(1).numbers("s", 10).run(ddl("", "'sink.partitions' = '1'"));

    assertThatThrownBy(() -> session.run("INSERT OVERWRITE t SELECT NULLIF(f0, 7), 'x' FROM s"))
        .hasStackTraceContaining(
            "Column 'id' is NOT NULL, however, a null value is being written into it");
    assertThat(Table.at(directory).currentVersion()).isNull();
  }

  @Tag("any-release")
  @Test
  void refusesEmptyKeyAndShowsTheRow() throws Exception {
    Sql session =
        Sql.batch(1)
            .numbers("s", 10)
            .run(
                "CREATE TABLE byName (name STRING, n BIGINT, PRIMARY KEY (name) NOT ENFORCED) WITH ('connector' = 'bsdb', 'path' = '%s')"
                    .formatted(directory));

    assertThatThrownBy(
            () ->
                session.run(
                    "INSERT OVERWRITE byName SELECT IF(f0 = 7, '', CAST(f0 AS STRING)), f0 FROM s"))
        .hasStackTraceContaining(
            "a row cannot be written to table default_catalog.default_database.byName: key is 0 bytes long, must be 1 to 65535; row=(name='', n=7)");
  }

  @Tag("any-release")
  @Test
  void failsOnDuplicateKeysAndKeepsTheVersionInService() throws Exception {
    Sql session = Sql.batch(2).numbers("s", 100).run(ddl("", "'sink.partitions' = '4'"));
    session.run("INSERT OVERWRITE t SELECT f0, 'x' FROM s");
    String before = InService.of(directory).version();

    assertThatThrownBy(
            () -> session.run("INSERT OVERWRITE t SELECT IF(f0 = 7, 42, f0), 'y' FROM s"))
        .hasStackTraceContaining(
            "two rows have the same primary key: table=default_catalog.default_database.t key={\"id\": 42}; remove one of them, or set 'sink.duplicates' = 'first' or 'last'");
    assertThat(InService.of(directory).version()).isEqualTo(before);
    assertThat(Table.at(directory).versions()).containsExactly(before);
  }

  @Test
  void keepsFirstOrLastOfDuplicates() throws Exception {
    for (String which : List.of("first", "last")) {
      List<String> rows =
          Sql.batch(1)
              .numbers("s", 1)
              .run(ddl("", "'sink.partitions' = '1'", "'sink.duplicates' = '" + which + "'"))
              .run("INSERT OVERWRITE t VALUES (1, 'first'), (2, 'x'), (1, 'y'), (1, 'last')")
              .texts(
                  "SELECT d.name FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0 + 1");

      assertThat(rows).containsExactly("+I[%s]".formatted(which));
    }
  }

  @Tag("any-release")
  @Test
  void refusesWrongOptions() throws Exception {
    Sql session = Sql.batch(1).numbers("s", 1).run(ddl("", "'sink.signature-bits' = '33'"));

    assertThatThrownBy(() -> session.run("INSERT OVERWRITE t SELECT f0, 'x' FROM s"))
        .hasStackTraceContaining(
            "a 'sink.' option is wrong: option of a build 'signature-bits'='33': signature bits out of range: expected 0 to 32, actual 33");
  }

  @Tag("any-release")
  @Test
  void saysWhatIsMissingForSux4j() throws Exception {
    Sql session = Sql.batch(1).numbers("s", 1).run(ddl("", "'sink.perfect-hash' = 'sux4j'"));

    assertThatThrownBy(() -> session.run("INSERT OVERWRITE t SELECT f0, 'x' FROM s"))
        .hasStackTraceContaining(
            "'sink.perfect-hash' = 'sux4j' needs it.unimi.dsi:sux4j and its dependencies beside the connector");
  }

  @Tag("any-release")
  @Test
  void buildsEveryLayout() throws Exception {
    for (Layout layout : Layout.values()) {
      List<String> rows =
          Sql.batch(2)
              .numbers("s", 300)
              .run(
                  ddl(
                      "",
                      "'sink.partitions' = '2'",
                      "'sink.layout' = '" + layout.label() + "'",
                      "'sink.keys' = 'omitted'",
                      "'sink.signature-bits' = '32'"))
              .run("INSERT OVERWRITE t SELECT f0 * 2, 'name ' || CAST(f0 AS STRING) FROM s")
              .texts(
                  "SELECT COUNT(*), COUNT(d.id), SUM(CHAR_LENGTH(d.name)) FROM s LEFT JOIN t FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0");

      assertThat(rows).as(layout.label()).containsExactly("+I[300, 150, 1090]");
    }
  }
}
