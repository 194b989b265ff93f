package io.bsdb.table;

import static io.bsdb.table.Builds.manifest;
import static io.bsdb.table.Builds.publish;
import static io.bsdb.table.Builds.together;
import static io.bsdb.table.Builds.writeFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.table.storage.ForwardingStorage;
import io.bsdb.table.storage.TableStorage;
import java.io.FileNotFoundException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TableTest {
  @TempDir Path directory;
  private Table table;

  @BeforeEach
  void open() {
    table = Table.at(directory.resolve("t"));
  }

  @Test
  void aTableThatIsNotThereHasNoVersions() throws Exception {
    assertThat(table.currentVersion()).isNull();
    assertThat(table.versions()).isEmpty();
    assertThat(table.sweep(Duration.ZERO)).isEmpty();
    assertThat(table.prune(1)).isEmpty();
    assertThatThrownBy(table::requireCurrentVersion)
        .isInstanceOf(NoSuchFileException.class)
        .hasMessage(
            directory.resolve("t")
                + "/CURRENT: no snapshot has been published here; build one, or check the path");
  }

  @Test
  void rollsBackAndForward() throws Exception {
    Build first = publish(table);
    Build second = publish(table);
    table.rollback(first.version());
    assertThat(table.currentVersion()).isEqualTo(first.version());
    table.rollback(second.version());
    assertThat(table.currentVersion()).isEqualTo(second.version());
    assertThatThrownBy(() -> table.rollback("0000000009-00000000"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "no such version: 0000000009-00000000; the table %s has [%s, %s]",
            directory.resolve("t"), first.version(), second.version());
    table.rollback(first.version());
    assertThat(publish(table).version()).startsWith("0000000003-");
  }

  /** Some file systems open whatever they are asked for, and look when it is read. */
  @Test
  void takesAFileThatIsMissedWhenItIsReadForMissing() throws Exception {
    TableStorage late =
        new ForwardingStorage(table.storage()) {
          @Override
          public InputStream open(String path) {
            return new FilterInputStream(InputStream.nullInputStream()) {
              @Override
              public int read(byte[] target, int offset, int length) throws IOException {
                throw new FileNotFoundException(path);
              }
            };
          }
        };

    assertThat(Table.of(late).currentVersion()).isNull();
  }

  @Test
  void namesADamagedCurrent() throws Exception {
    publish(table);
    Path current = directory.resolve("t").resolve("CURRENT");
    for (String content :
        new String[] {
          "", "\n", "x\n", "0000000001-0a1b2c3d", "0000000001-0a1b2c3d\r\n", "../x\n"
        }) {
      Files.writeString(current, content);
      assertThatThrownBy(table::currentVersion)
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessage(
              "CURRENT does not name a version: file=%s expected=a version and a line feed"
                  + " actual='%s'; put the newest version in service: bsdb rollback --table '%s' %s",
              current,
              content.replace("\r", "\\u000d").replace("\n", "\\u000a"),
              directory.resolve("t"),
              table.versions().get(0));
    }
    Files.write(current, new byte[1 << 20]);
    assertThatThrownBy(table::currentVersion)
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("file too long: file=%s expected<=4096; put the", current);
    table.rollback(table.versions().get(0));
    assertThat(table.currentVersion()).isEqualTo(table.versions().get(0));
  }

  @Test
  void refusesNamesThatAreNoVersions() {
    for (String name : new String[] {"", "..", "../0000000001-0a1b2c3d", "1-0a1b2c3d"}) {
      assertThatThrownBy(() -> table.manifest(name))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("not a version's name: '%s', expected like 0000000001-0a1b2c3d", name);
    }
  }

  @Test
  void refusesAManifestOfAnotherVersion() throws Exception {
    Build first = publish(table);
    Build second = publish(table);
    table.storage().replace(second.directory() + "/manifest.json", manifest(first).encode());
    assertThatThrownBy(() -> table.manifest(second.version()))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageStartingWith("manifest belongs to another version: file=");
  }

  @Test
  void aFileIsCreatedOnce() throws Exception {
    Build build = table.begin();
    writeFile(table, build);
    assertThatThrownBy(() -> writeFile(table, build))
        .isInstanceOf(FileAlreadyExistsException.class)
        .hasMessageContaining("part-00000.bsdb");
  }

  @Test
  void replacingLeavesNoTemporaryFile() throws Exception {
    for (int i = 0; i < 3; i++) {
      table.storage().replace("a/b", ("content " + i).getBytes(StandardCharsets.UTF_8));
    }
    assertThat(table.storage().list("a")).containsExactly("b");
    assertThat(table.storage().read("a/b", 9))
        .asString(StandardCharsets.UTF_8)
        .isEqualTo("content 2");
    assertThat(table.storage().list("a/b")).isEmpty();
    assertThat(table.storage().list("c")).isEmpty();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aDirectoryThatCannotBeMadeDurableIsNamed() {
    TableStorage storage = Table.at(Path.of("/proc")).storage();
    assertThatThrownBy(() -> storage.syncDirectory("self"))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("directory cannot be made durable: file=/proc/self: ");
  }

  @Test
  void deletesTogetherWithOthers() throws Exception {
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < 20; i++) {
        table.storage().replace("x/d%d/f".formatted(i), new byte[1]);
      }
      together(4, i -> table.storage().delete("x"));
      assertThat(table.storage().list("x")).isEmpty();
    }
  }

  @Test
  void worksOnAnotherFileSystem() throws Exception {
    URI uri = URI.create("jar:" + directory.resolve("table.zip").toUri());
    try (FileSystem zip = FileSystems.newFileSystem(uri, Map.of("create", "true"))) {
      Table inZip = Table.at(zip.getPath("/tables/t"));
      Build first = publish(inZip);
      Build second = publish(inZip);
      publish(inZip);
      inZip.rollback(first.version());
      assertThat(inZip.currentVersion()).isEqualTo(first.version());
      assertThat(inZip.prune(1)).containsExactly(second.version());
      Build dead = inZip.begin();
      writeFile(inZip, dead);
      assertThat(inZip.sweep(Duration.ofSeconds(-10))).containsExactly(dead.directory());
      assertThat(inZip.versions()).hasSize(2).doesNotContain(second.version());
      assertThat(inZip.manifest(first.version())).isEqualTo(manifest(first));
      try (Stream<Path> entries = Files.list(zip.getPath("/tables/t"))) {
        assertThat(entries.map(Path::toString))
            .containsExactlyInAnyOrder("/tables/t/CURRENT", "/tables/t/snapshots");
      }
    }
  }
}
