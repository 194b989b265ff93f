package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.table.Build;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.testkit.FaultyStorage;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.BuildWorker;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One snapshot built by several writers. */
class BuildWorkerTest {
  private static final int PARTITIONS = 6;
  private static final WriterOptions OPTIONS = WriterOptions.builder().minRows(0).build();
  private static final TestData DATA =
      TestData.random(1, 500, Lengths.VARYING, Lengths.VARYING, 50);

  @TempDir Path directory;
  private Path path;
  private Table table;
  private Build build;

  @BeforeEach
  void begin() throws IOException {
    path = directory.resolve("table");
    table = Table.at(path);
    build = table.begin();
  }

  private BuildWorker writer(String attempt) {
    return BuildWorker.create(
        table, build, PARTITIONS, attempt, directory.resolve("tmp-" + attempt), OPTIONS);
  }

  private static int partition(byte[] key) {
    return new Partitioning(PARTITIONS).partition(key);
  }

  /** Builds the partitions of {@code [from, to)}. */
  private List<PartitionFile> build(String attempt, int from, int to) throws IOException {
    try (BuildWorker writer = writer(attempt)) {
      for (int i = 0; i < DATA.count(); i++) {
        int partition = partition(DATA.keys().get(i));
        if (partition >= from && partition < to) {
          writer.add(DATA.keys().get(i), DATA.values().get(i));
        }
      }
      return writer.finish();
    }
  }

  private List<PartitionFile> buildAll() throws IOException {
    List<PartitionFile> files = new ArrayList<>(build("b", 3, 6));
    files.addAll(build("a", 0, 3));
    return files;
  }

  private Manifest publish(List<PartitionFile> files) throws IOException {
    return publish(table, files);
  }

  private Manifest publish(Table publisher, List<PartitionFile> files) throws IOException {
    return SnapshotPublisher.publish(publisher, build, PARTITIONS, files, OPTIONS);
  }

  private void assertServesAll() throws IOException {
    try (SnapshotReader reader = SnapshotReader.open(path)) {
      DATA.assertFoundIn(reader);
      DATA.assertNothingElseFoundIn(reader);
    }
    SnapshotVerifier.verify(path.resolve(build.directory()));
  }

  @Test
  void filesOfSeveralWritersMakeOneSnapshot() throws Exception {
    List<PartitionFile> files = buildAll();
    assertThat(files).extracting(PartitionFile::partition).containsExactly(3, 4, 5, 0, 1, 2);
    assertThat(files).extracting(PartitionFile::name).contains("part-00003-b.bsdb");
    Manifest manifest = publish(files);
    assertThat(manifest.partitions()).extracting(PartitionFile::partition).isSorted();
    assertThat(manifest.recordCount()).isEqualTo(500);
    assertServesAll();
  }

  @Test
  void publishingAgainGivesTheSameManifest() throws Exception {
    List<PartitionFile> files = buildAll();
    Manifest manifest = publish(files);
    assertThat(publish(files)).isEqualTo(manifest);
    assertServesAll();
  }

  @Test
  void partitionsWithoutAFileAreEmpty() throws Exception {
    Manifest manifest = publish(build("a", 0, 2));
    assertThat(manifest.partitions()).hasSize(PARTITIONS);
    try (SnapshotReader reader = SnapshotReader.open(path)) {
      for (int i = 0; i < DATA.count(); i++) {
        byte[] key = DATA.keys().get(i);
        assertThat(reader.get(key)).isEqualTo(partition(key) < 2 ? DATA.values().get(i) : null);
      }
    }
    SnapshotVerifier.verify(path.resolve(build.directory()));
  }

  @Test
  void nothingAtAllIsAnEmptySnapshot() throws Exception {
    assertThat(publish(List.of()).recordCount()).isZero();
    try (SnapshotReader reader = SnapshotReader.open(path)) {
      assertThat(TestData.scanned(reader)).isEmpty();
    }
  }

  @Test
  void twoFilesOfOnePartitionAreRefused() throws Exception {
    List<PartitionFile> files = buildAll();
    files.addAll(build("again", 4, 5));
    assertThatThrownBy(() -> publish(files))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("partition 4 was built twice: part-00004-b.bsdb and part-00004-again.bsdb");
    assertThat(table.currentVersion()).isNull();
  }

  @Test
  void aPartitionOutOfRangeIsRefused() throws Exception {
    List<PartitionFile> files = buildAll();
    assertThatThrownBy(() -> SnapshotPublisher.publish(table, build, 5, files, OPTIONS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no such partition: expected 0 to 4, actual 5: part-00005-b.bsdb");
  }

  @Test
  void filesOfFailedAttemptsAreDeleted() throws Exception {
    build("failed", 0, 4);
    publish(buildAll());
    assertThat(table.storage().list(build.directory()))
        .hasSize(PARTITIONS + 1)
        .contains("manifest.json")
        .noneMatch(name -> name.contains("failed"));
    assertServesAll();
  }

  @Test
  void aFileThatIsGoneIsNotPublished() throws Exception {
    List<PartitionFile> files = buildAll();
    Path gone = path.resolve(build.directory()).resolve(files.get(2).name());
    Files.delete(gone);
    assertThatThrownBy(() -> publish(files))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessage(
            gone
                + ": a file of this version is gone, perhaps swept as left behind; nothing was published, run this again; if the same file is missing then, the version in service has lost it: build the table from all rows");
    assertThat(table.currentVersion()).isNull();
  }

  @Test
  void aBuildThatLostTheRacePublishesNothing() throws Exception {
    List<PartitionFile> files = buildAll();
    Manifest winner = DATA.publish(path, OPTIONS);
    assertThatThrownBy(() -> publish(files)).isInstanceOf(PublishConflictException.class);
    assertThat(table.currentVersion()).isEqualTo(winner.version());
    table.abort(build);
    assertThat(table.versions()).containsExactly(winner.version());
  }

  /** It may have been in service; whether it was cannot be told. */
  @Test
  void publishingAgainAfterARollbackChangesNoFileOfTheSnapshot() throws Exception {
    Manifest parent = DATA.publish(path, OPTIONS);
    build = table.begin();
    List<PartitionFile> files = build("a", 0, 3);
    Manifest manifest = publish(files);
    List<Path> present;
    try (Stream<Path> entries = Files.list(path.resolve(build.directory()))) {
      present = entries.toList();
    }
    for (Path file : present) {
      Files.setLastModifiedTime(file, FileTime.fromMillis(0));
    }
    Path unnamed = path.resolve(build.directory()).resolve("of-a-writer-that-ran-again.bsdb");
    Files.createFile(unnamed);
    table.rollback(parent.version());
    assertThat(publish(files)).isEqualTo(manifest);
    assertThat(unnamed).doesNotExist();
    assertThat(present)
        .hasSize(PARTITIONS + 1)
        .allSatisfy(
            file -> assertThat(Files.getLastModifiedTime(file)).isEqualTo(FileTime.fromMillis(0)));
    assertThat(table.currentVersion()).isEqualTo(build.version());
  }

  /** As a committer that only seemed to be dead: each has written the empty partitions. */
  @Test
  void publishersOfOneBuildKeepTheirEmptyFilesApart() throws Exception {
    List<PartitionFile> files = build("a", 0, 2);
    Table killed =
        Table.of(new FaultyStorage(table.storage(), (operation, path) -> failAtLock(operation)));
    Table slow =
        Table.of(
            new FaultyStorage(
                table.storage(),
                (operation, path) -> {
                  if (operation.equals("lock")) {
                    assertThatThrownBy(() -> publish(killed, files)).hasMessage("killed");
                  }
                }));
    Manifest manifest = publish(slow, files);
    assertThat(publish(files)).isEqualTo(manifest);
    assertThat(table.storage().list(build.directory())).hasSize(PARTITIONS + 1);
    SnapshotVerifier.verify(path.resolve(build.directory()));
  }

  private static void failAtLock(String operation) throws IOException {
    if (operation.equals("lock")) {
      throw new IOException("killed");
    }
  }

  @Test
  void emptyPartitionsTakeLittleMemory() throws Exception {
    long before = OffHeap.bytes();
    SnapshotPublisher.publish(table, build, 64, List.of(), OPTIONS);
    assertThat(OffHeap.bytes() - before).isLessThan(32 << 20);
  }

  @Test
  void aWriterLeavesTheFilesThatAnotherCreatedUnderItsNames() throws Exception {
    List<PartitionFile> files = buildAll();
    assertThatThrownBy(() -> build("a", 0, 3)).isInstanceOf(FileAlreadyExistsException.class);
    publish(files);
    assertServesAll();
  }

  @Test
  void aWriterClosedBeforeItsEndDeletesItsFiles() throws Exception {
    try (BuildWorker writer = writer("a")) {
      writer.add(new byte[] {1}, new byte[0]);
      writer.add(new byte[] {1}, new byte[0]);
      assertThatThrownBy(writer::finish).hasMessageStartingWith("duplicate key: '.' (hex 01)");
    }
    assertThat(table.storage().list(build.directory())).isEmpty();
    BuildWorker writer = writer("b");
    writer.add(new byte[] {1}, new byte[0]);
    List<PartitionFile> files = writer.finish();
    writer.close();
    assertThat(table.storage().list(build.directory())).containsExactly(files.get(0).name());
    assertThatThrownBy(writer::finish)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the writer is closed");
  }

  @Test
  void refusesArgumentsThatMakeNoFiles() {
    for (int partitions : new int[] {0, -1, 65_537}) {
      assertThatThrownBy(
              () -> BuildWorker.create(table, build, partitions, "a", directory, OPTIONS))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("partitions out of range: expected 1 to 65536, actual " + partitions);
    }
    for (String suffix : new String[] {"../x", "a/b", "a b", "x".repeat(101)}) {
      assertThatThrownBy(() -> BuildWorker.create(table, build, 1, suffix, directory, OPTIONS))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("actual '%s'", suffix);
    }
  }
}
