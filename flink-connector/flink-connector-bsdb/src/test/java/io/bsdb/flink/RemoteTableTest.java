package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.flink.storage.NoRenameFileSystem;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tables on a file system that is not the local one. */
@ExtendWith({SharedCluster.class, OpenReaders.class})
class RemoteTableTest {
  private static final int PARTITIONS = 4;
  private static final String JOIN =
      "SELECT s.f0, d.name FROM s LEFT JOIN t FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0";

  @TempDir Path directory;

  private String ddl(String options) {
    return """
        CREATE TABLE t (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED)
        WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '%d', 'lookup.local-dir' = '%s'%s)"""
        .formatted(
            NoRenameFileSystem.path(directory.resolve("remote")),
            PARTITIONS,
            directory.resolve("local"),
            options);
  }

  private void publish(String name) throws Exception {
    Sql.batch(2)
        .numbers("n", 100)
        .run(ddl(""))
        .run("INSERT OVERWRITE t SELECT f0, '%s' FROM n".formatted(name));
  }

  @BeforeEach
  void build() throws Exception {
    var ofTestsBefore = NoRenameFileSystem.partitionsRead();
    publish("one");
    assertThat(NoRenameFileSystem.partitionsRead()).as("after %s", ofTestsBefore).isEmpty();
  }

  private Sql session(String options) throws Exception {
    return Sql.streaming(4).numbers("s", 101).run(ddl(options));
  }

  @Test
  void looksUpInOneCopyThatIsUsedAgain() throws Exception {
    assertThat(session("").texts(JOIN)).hasSize(101).contains("+I[99, one]", "+I[100, null]");
    assertThat(NoRenameFileSystem.partitionsRead()).hasSize(PARTITIONS).doesNotHaveDuplicates();

    assertThat(session("").texts(JOIN)).hasSize(101).contains("+I[99, one]", "+I[100, null]");
    assertThat(NoRenameFileSystem.partitionsRead()).isEmpty();
  }

  @Test
  void replacesTheCopyOfAnOlderVersion() throws Exception {
    session("").texts(JOIN);
    publish("two");

    assertThat(session("").texts(JOIN)).contains("+I[99, two]");
    Table remote = Table.at(directory.resolve("remote"));
    assertThat(remote.versions()).hasSize(2);
    Manifest current = remote.manifest(remote.requireCurrentVersion());
    try (Stream<Path> copies = Files.list(localCopy())) {
      assertThat(copies.map(file -> file.getFileName().toString()))
          .filteredOn(name -> name.endsWith(".bsdb"))
          .containsExactlyInAnyOrderElementsOf(
              current.partitions().stream().map(file -> file.fileId() + ".bsdb").toList());
    }
  }

  private Path localCopy() throws Exception {
    try (Stream<Path> entries = Files.list(directory.resolve("local"))) {
      return entries.toList().get(0);
    }
  }

  @Test
  void looksUpAsynchronouslyInCopies() throws Exception {
    assertThat(session(", 'lookup.async' = 'true'").texts(JOIN))
        .hasSize(101)
        .contains("+I[99, one]", "+I[100, null]");
  }

  @Test
  void scansEachPartitionThroughACopyOfItsOwn() throws Exception {
    Sql session = Sql.batch(3).run(ddl(""));

    assertThat(session.texts("SELECT COUNT(DISTINCT id), MIN(name) FROM t"))
        .containsExactly("+I[100, one]");
    assertThat(NoRenameFileSystem.partitionsRead()).hasSize(PARTITIONS).doesNotHaveDuplicates();
    try (Stream<Path> left = Files.list(directory.resolve("local"))) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void comparesAnInputThroughCopies() throws Exception {
    Table remote = Table.at(directory.resolve("remote"));
    Sql session = Sql.batch(3).numbers("n", 100).run(ddl(""));
    Manifest before = remote.manifest(remote.requireCurrentVersion());
    String insert =
        "INSERT OVERWRITE t /*+ OPTIONS('sink.publish' = 'auto') */ SELECT f0, %s FROM n WHERE f0 <> 7";

    session.run(insert.formatted("IF(f0 = 9, 'two', 'one')"));

    Manifest changed = remote.manifest(remote.requireCurrentVersion());
    // The sample of so few rows has all of them, and is compared in copies of its own.
    List<String> read = NoRenameFileSystem.partitionsRead();
    assertThat(read).hasSize(2 * PARTITIONS);
    assertThat(Set.copyOf(read)).hasSize(PARTITIONS);
    assertThat(changed.changes().count()).isEqualTo(2);
    assertThat(changed.recordCount()).isEqualTo(before.recordCount());
    String counts = "SELECT name, COUNT(*) FROM t GROUP BY name";
    assertThat(session.texts(counts)).containsExactly("+I[one, 98]", "+I[two, 1]");

    session.run(insert.formatted("IF(f0 = 9, 'nine', 'three')"));

    assertThat(remote.manifest(remote.requireCurrentVersion()).recordCount()).isEqualTo(99);
    assertThat(session.texts(counts)).containsExactly("+I[nine, 1]", "+I[three, 98]");
  }

  @Test
  void deletesWhatKilledScansLeftBehind() throws Exception {
    Path local = directory.resolve("local");
    Path abandoned = Files.createDirectories(local.resolve("scan-1/copy"));
    Path underWay = Files.createDirectory(local.resolve("scan-2"));
    Path other = Files.createDirectory(local.resolve("other"));
    FileTime old = FileTime.from(Instant.now().minus(Duration.ofDays(2)));
    for (Path path : List.of(abandoned, abandoned.getParent(), other)) {
      Files.setLastModifiedTime(path, old);
    }

    Sql.batch(1).run(ddl("")).texts("SELECT MAX(name) FROM t");

    try (Stream<Path> left = Files.list(local)) {
      assertThat(left).containsExactlyInAnyOrder(underWay, other);
    }
  }

  @Test
  void refusesAVersionLargerThanTheLimit() throws Exception {
    Sql session = session(", 'lookup.max-local-size' = '1 kb'");

    assertThatThrownBy(() -> session.texts(JOIN))
        .hasStackTraceContaining("no room for the copy of a table")
        .hasStackTraceContaining("limit=1024 bytes");
    assertThat(NoRenameFileSystem.partitionsRead()).isEmpty();
  }

  @Test
  void fetchesOnlyTheSharesOfTheKeysWhenShuffled() throws Exception {
    Sql session = session("");

    assertThat(
            session.texts(
                JOIN.replace("SELECT", "SELECT /*+ LOOKUP('table'='d', 'shuffle'='true') */")))
        .hasSize(101)
        .contains("+I[99, one]", "+I[100, null]");
    assertThat(NoRenameFileSystem.partitionsRead()).hasSize(PARTITIONS).doesNotHaveDuplicates();
  }
}
