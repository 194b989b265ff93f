package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.FaultyStorage;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Builds on a disk that fails: whatever it is, a sound version stays in service. */
class BuildFailureTest {
  private static final TestData OLD = TestData.random(1, 60, Lengths.FIXED, Lengths.FIXED, 20);
  private static final TestData NEW = TestData.random(2, 90, Lengths.FIXED, Lengths.FIXED, 20);
  private static final WriterOptions OPTIONS = WriterOptions.builder().partitions(3).build();

  @TempDir(factory = InMemory.class)
  Path directory;

  private Table table;
  private String oldVersion;

  @BeforeEach
  void publishTheOldVersion() throws Exception {
    table = Table.at(directory);
    oldVersion = OLD.publish(directory, OPTIONS).version();
  }

  private static Manifest build(Table table, TestData data) throws IOException {
    try (SnapshotWriter writer = SnapshotWriter.create(table, OPTIONS)) {
      addAll(writer, data);
      return writer.publish();
    }
  }

  private static void addAll(SnapshotWriter writer, TestData data) throws IOException {
    for (int i = 0; i < data.count(); i++) {
      writer.add(data.keys().get(i), data.values().get(i));
    }
  }

  private Table failing(FaultyStorage.Fault fault) {
    return Table.of(new FaultyStorage(table.storage(), fault));
  }

  /** Returns the table, where an operation fails so many times. */
  private Table failing(String failing, int times) {
    AtomicInteger failures = new AtomicInteger(times);
    return failing(
        (operation, path) -> {
          if (operation.equals(failing) && failures.getAndDecrement() > 0) {
            throw new Failure(operation, path);
          }
        });
  }

  private void assertServes(TestData data) throws IOException {
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      assertThat(TestData.scanned(reader)).isEqualTo(data.asMap());
      data.assertFoundIn(reader);
    }
    SnapshotVerifier.verify(directory.resolve("snapshots").resolve(table.currentVersion()));
  }

  private static final class Failure extends IOException {
    private static final long serialVersionUID = 1L;

    Failure(String operation, String path) {
      super("No space left on device (injected): " + operation + " " + path);
    }
  }

  private int operationsOfABuild() throws IOException {
    AtomicInteger count = new AtomicInteger();
    Table counting = failing((operation, path) -> count.incrementAndGet());
    build(counting, NEW);
    table.rollback(oldVersion);
    table.prune(1);
    return count.get();
  }

  @Test
  void oneFailureAnywhereLeavesASoundVersionInService() throws Exception {
    int operations = operationsOfABuild();
    assertThat(operations).isGreaterThan(20);
    int failed = 0;
    for (int failing = 1; failing <= operations; failing++) {
      AtomicInteger rest = new AtomicInteger(failing);
      Table faulty =
          failing(
              (operation, path) -> {
                if (rest.decrementAndGet() == 0) {
                  throw new Failure(operation, path);
                }
              });
      Throwable failure = catchThrowable(() -> build(faulty, NEW));
      if (failure != null) {
        failed++;
        assertThat(failure).hasMessageContaining("injected");
        assertThat(failure).isInstanceOf(IOException.class);
      }
      assertOldOrNewServes(failure);
    }
    assertThat(failed).isGreaterThan(20);
  }

  @Test
  void aFirstBuildThatFailsLeavesATableWithoutVersions() {
    Table empty = Table.at(directory.resolve("empty"));
    FaultyStorage full =
        new FaultyStorage(
            empty.storage(),
            (operation, path) -> {
              if (operation.equals("replace") && path.endsWith("/manifest.json")) {
                throw new Failure(operation, path);
              }
            });
    assertThatThrownBy(() -> build(Table.of(full), NEW)).hasMessageContaining("injected");
    assertThatThrownBy(empty::requireCurrentVersion)
        .hasMessageEndingWith(
            "CURRENT: no snapshot has been published here; build one, or check the path");
    assertThat(directory.resolve("empty/snapshots")).isEmptyDirectory();
  }

  @Test
  void aStorageThatDiesAnywhereLeavesASoundVersionInService() throws Exception {
    int operations = operationsOfABuild();
    for (int failing = 1; failing <= operations; failing++) {
      AtomicInteger rest = new AtomicInteger(failing);
      Table dying =
          failing(
              (operation, path) -> {
                if (rest.decrementAndGet() <= 0) {
                  throw new Failure(operation, path);
                }
              });
      Throwable failure = catchThrowable(() -> build(dying, NEW));
      assertThat(failure).isInstanceOf(IOException.class).hasMessageContaining("injected");
      assertOldOrNewServes(failure);
    }
  }

  /** After the failure, and also after a sweep and another build; then back to the old version. */
  private void assertOldOrNewServes(Throwable failure) throws IOException {
    boolean old = oldVersion.equals(table.currentVersion());
    assertThat(old).isEqualTo(failure != null && !isAfterSwap(failure));
    assertServes(old ? OLD : NEW);
    table.sweep(Duration.ofSeconds(-10));
    assertServes(old ? OLD : NEW);
    assertNothingLeftBehind();
    build(table, NEW);
    assertServes(NEW);
    table.rollback(oldVersion);
    table.prune(1);
    assertThat(table.versions()).hasSize(2).startsWith(oldVersion); // and the newest
  }

  private static boolean isAfterSwap(Throwable failure) {
    return failure.getMessage().contains("replaced CURRENT")
        || failure.getMessage().contains("delete staging");
  }

  private void assertNothingLeftBehind() throws IOException {
    List<String> versions = table.versions();
    assertThat(table.storage().list("snapshots")).isEqualTo(versions);
    assertThat(table.storage().list("staging")).isEmpty();
    try (Stream<Path> entries = Files.list(directory)) {
      assertThat(entries.map(entry -> entry.getFileName().toString()))
          .isSubsetOf("CURRENT", "LOCK", "snapshots", "staging");
    }
  }

  @Test
  void aFailedBuildDeletesItsFilesWhenClosed() throws Exception {
    Table faulty =
        failing(
            (operation, path) -> {
              if (operation.equals("commit") && path.contains("part-00002")) {
                throw new Failure(operation, path);
              }
            });
    assertThatThrownBy(() -> build(faulty, NEW))
        .isInstanceOf(Failure.class)
        .hasMessageContaining("commit snapshots/");
    assertThat(table.storage().list("snapshots")).containsExactly(oldVersion);
    assertThat(table.storage().list("staging")).isEmpty();
  }

  @Test
  void aWriterThatFailedGoesNoFurther() throws Exception {
    try (SnapshotWriter writer = SnapshotWriter.create(failing("write", 1), OPTIONS)) {
      addAll(writer, NEW);
      assertThatThrownBy(writer::publish).isInstanceOf(Failure.class);
      assertThatThrownBy(writer::publish)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the writer has failed, and records may be lost: close it and build again");
      assertThatThrownBy(() -> writer.add(new byte[1], new byte[1]))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("the writer has failed");
    }
    assertServes(OLD);
  }

  @Test
  void publishingMayBeTriedAgain() throws Exception {
    try (SnapshotWriter writer = SnapshotWriter.create(failing("replace", 2), OPTIONS)) {
      addAll(writer, NEW);
      assertThatThrownBy(writer::publish).isInstanceOf(Failure.class);
      assertThatThrownBy(writer::publish).isInstanceOf(Failure.class);
      assertServes(OLD);
      writer.publish();
      assertServes(NEW);
      assertThatThrownBy(writer::publish)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the writer is already published");
    }
    assertServes(NEW);
  }

  @Test
  void aSpillDirectoryThatCannotBeMadeFailsTheBuild() throws Exception {
    Path file = Files.writeString(directory.resolve("no-directory"), "");
    assertThatThrownBy(
            () ->
                SnapshotWriter.create(
                    table, OPTIONS.toBuilder().temporaryDirectory(file.resolve("x")).build()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no-directory");
    assertServes(OLD);
  }

  @Test
  void aWriterRefusesRecordsOnceClosedOrPublished() throws Exception {
    SnapshotWriter writer = SnapshotWriter.create(directory, OPTIONS);
    writer.add(new byte[1], new byte[1]);
    writer.publish();
    assertThatThrownBy(() -> writer.add(new byte[2], new byte[1]))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the writer is finished");
    writer.close();
    writer.close();
    assertThatThrownBy(() -> writer.add(new byte[2], new byte[1]))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the writer is closed");
    assertThatThrownBy(writer::publish)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the writer is closed");
  }

  @Test
  void aBuildClosedWithoutPublishingLeavesNothing() throws Exception {
    try (SnapshotWriter writer = SnapshotWriter.create(directory, OPTIONS)) {
      byte[] value = new byte[1 << 20];
      for (int i = 0; i < 8; i++) {
        writer.add(new byte[] {(byte) i}, value);
      }
      assertThat(table.storage().list("staging")).hasSize(1);
    }
    assertNothingLeftBehind();
    assertServes(OLD);
  }
}
