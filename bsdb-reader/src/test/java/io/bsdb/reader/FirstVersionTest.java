package io.bsdb.reader;

import static io.bsdb.reader.NumberedVersions.key;
import static io.bsdb.reader.NumberedVersions.versionOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.follow.OnMissing;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tables of which nothing, or nothing yet, has been published. */
@ExtendWith(NothingLeftOpen.class)
@Timeout(120)
class FirstVersionTest {
  @TempDir Path table;
  private NumberedVersions versions;

  @BeforeEach
  void begin() {
    versions = new NumberedVersions(table);
  }

  @Test
  void saysWhatIsMissing() throws Exception {
    Path absent = table.resolve("absent");
    assertThatThrownBy(() -> TableReader.follow(absent, ReaderOptions.defaults()))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessage(absent + ": no such table directory; check the path, or build the table first");
    Path file = Files.createFile(table.resolve("file"));
    assertThatThrownBy(() -> SnapshotReader.open(file)).isInstanceOf(NotDirectoryException.class);
    assertThatThrownBy(() -> TableReader.follow(table, ReaderOptions.defaults()))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("no snapshot has been published here");
    versions.publishNext();
    assertThatThrownBy(() -> TableReader.builder(table).pin("0000000009-00000000").open())
        .isInstanceOf(NoSuchFileException.class)
        .hasMessage(table + ": there is no version 0000000009-00000000");
  }

  @Test
  void saysWhyATableCannotBeReached() throws Exception {
    Path loop = Files.createSymbolicLink(table.resolve("loop"), table.resolve("loop"));
    ReaderOptions options = ReaderOptions.defaults();
    assertThatThrownBy(() -> TableReader.follow(loop, options))
        .hasMessageContaining("Too many levels of symbolic links");
    assertThatThrownBy(() -> SnapshotReader.open(loop, options))
        .hasMessageContaining("Too many levels of symbolic links");
  }

  @Test
  void waitsForTheFirstVersion() throws Exception {
    CompletableFuture<TableReader> opening =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return TableReader.builder(table)
                    .onMissing(OnMissing.waitFor(Duration.ofSeconds(Long.MAX_VALUE)))
                    .refreshEvery(Duration.ofMillis(2))
                    .open();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    Manifest first = versions.publishNext();
    try (TableReader live = opening.get(60, TimeUnit.SECONDS)) {
      assertThat(live.version()).isEqualTo(first.version());
    }
  }

  @Test
  void waitingForTheFirstVersionEndsWithAnInterrupt() {
    Thread.currentThread().interrupt();
    OnMissing wait = OnMissing.waitFor(Duration.ofDays(1));
    assertThatThrownBy(() -> TableReader.builder(table).onMissing(wait).open())
        .isInstanceOf(InterruptedIOException.class)
        .hasMessageContaining(table.toString());
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void failsIfNoFirstVersionComesInTime() {
    OnMissing wait = OnMissing.waitFor(Duration.ofMillis(5));
    assertThatThrownBy(() -> TableReader.builder(table).onMissing(wait).open())
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining(table.toString())
        .hasMessageEndingWith("; waited PT0.005S");
    assertThatThrownBy(() -> OnMissing.waitFor(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("time to wait for the first version: expected>0 actual=PT-1S");
  }

  @Test
  void beginsEmptyIfItMay() throws Exception {
    try (TableReader live =
        TableReader.builder(table).refreshEvery(Duration.ZERO).onMissing(OnMissing.EMPTY).open()) {
      assertThat(live.refresh()).isFalse();
      assertThat(live.get(key(1))).isNull();
      assertThat(live.get(key(1), ByteBuffer.allocate(9))).isEqualTo(TableReader.NOT_FOUND);
      assertThat(live.getAll(List.of(key(1), key(2)))).containsExactly(null, null);
      String message = "table " + table + ": no version has been published yet";
      assertThatThrownBy(live::lease).hasMessage(message);
      assertThatThrownBy(live::version).hasMessage(message);
      assertThatThrownBy(live::manifest).hasMessage(message);
      Manifest first = versions.publishNext();
      assertThat(live.refresh()).isTrue();
      assertThat(live.version()).isEqualTo(first.version());
      assertThat(versionOf(live.get(key(1)), 1)).isEqualTo(1);
    }
  }

  @Test
  void beginsEmptyWithoutThePinnedVersionAndStaysWithItThen() throws Exception {
    Manifest first = versions.publishNext();
    Path directory = table.resolve("snapshots").resolve(first.version());
    Path away = Files.move(directory, table.resolve("away"));
    try (TableReader live =
        TableReader.builder(table)
            .refreshEvery(Duration.ZERO)
            .pin(first.version())
            .onMissing(OnMissing.EMPTY)
            .open()) {
      assertThat(live.isEmpty()).isTrue();
      versions.publishNext();
      assertThat(live.refresh()).isFalse();
      Files.move(away, directory);
      assertThat(live.refresh()).isTrue();
      assertThat(live.isEmpty()).isFalse();
      assertThat(live.version()).isEqualTo(first.version());
      assertThat(live.refresh()).isFalse();
    }
  }
}
