package io.bsdb.table;

import static io.bsdb.table.Builds.manifest;
import static io.bsdb.table.Builds.publish;
import static io.bsdb.table.Builds.writeFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Table directories with things in them that no bsdb put there. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileTableTest {
  @TempDir Path directory;
  private Path root;
  private Table table;

  @BeforeEach
  void open() {
    root = directory.resolve("t");
    table = Table.at(root);
  }

  private Path manifestOf(Build build) {
    return root.resolve(build.directory()).resolve("manifest.json");
  }

  @Test
  void showsADamagedCurrentWithoutWhatATerminalWouldInterpret() throws Exception {
    publish(table);
    Files.writeString(root.resolve("CURRENT"), "\u001b[31m\u202Eevil\u0007" + "x".repeat(4000));
    assertThatThrownBy(table::currentVersion)
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessage(
            "CURRENT does not name a version: file=%s expected=a version and a line feed"
                + " actual='\\u001b[31m\\u202eevil\\u0007%s… (4011 characters)'; put the newest version in service: bsdb rollback --table '%s' %s",
            root.resolve("CURRENT"), "x".repeat(189), root, table.versions().get(0));
  }

  @Test
  void quotesTheDirectoryOfACommandAsAShellNeedsIt() throws Exception {
    Table named = Table.at(directory.resolve("it's mine"));
    publish(named);
    Files.delete(directory.resolve("it's mine/CURRENT"));
    assertThatThrownBy(named::currentVersion)
        .hasMessageEndingWith(
            "bsdb rollback --table '%s/it'\\''s mine' %s", directory, named.versions().get(0));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void doesNotReadDevicesPipesAndDirectories() throws Exception {
    Build build = publish(table);
    for (Path file : new Path[] {root.resolve("CURRENT"), manifestOf(build)}) {
      byte[] sound = Files.readAllBytes(file);
      Files.delete(file);
      Files.createSymbolicLink(file, Path.of("/dev/zero"));
      assertRefused(build, file, "a pipe or a device");
      Files.delete(file);
      assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
      assertRefused(build, file, "a pipe or a device");
      Files.delete(file);
      Files.createDirectory(file);
      assertRefused(build, file, "a directory");
      Files.delete(file);
      Files.write(file, sound);
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void namesWhatIsInPlaceOfTheVersions() throws Exception {
    publish(table);
    Path snapshots = root.resolve("snapshots");
    Files.move(snapshots, directory.resolve("moved"));
    assertThat(new ProcessBuilder("mkfifo", snapshots.toString()).start().waitFor()).isZero();
    assertNoVersions(snapshots);
    Files.createSymbolicLink(snapshots, directory.resolve("not mounted"));
    assertNoVersions(snapshots);
    Files.writeString(snapshots, "a file");
    Files.delete(root.resolve("CURRENT"));
    assertNoVersions(snapshots);
  }

  private void assertNoVersions(Path snapshots) throws IOException {
    assertThatThrownBy(table::versions)
        .isInstanceOf(NotDirectoryException.class)
        .hasMessage(snapshots.toString());
    assertThatThrownBy(table::currentVersion)
        .isInstanceOf(NotDirectoryException.class)
        .hasMessage(snapshots.toString());
    Files.delete(snapshots);
  }

  @Test
  void saysHowToMendADirectoryInPlaceOfCurrent() throws Exception {
    String version = publish(table).version();
    Path current = root.resolve("CURRENT");
    Files.delete(current);
    Files.createDirectory(current);
    assertThatThrownBy(table::currentVersion)
        .hasMessage(
            "not a regular file: file=%s actual=a directory; move it away; put the newest version in service: bsdb rollback --table '%s' %s",
            current, root, version);
    Files.move(current, directory.resolve("moved"));
    table.rollback(version);
    assertThat(table.currentVersion()).isEqualTo(version);
  }

  private void assertRefused(Build build, Path file, String what) {
    assertThatThrownBy(
            () -> {
              table.currentVersion();
              table.manifest(build.version());
            })
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("not a regular file: file=%s actual=%s", file, what);
  }

  @Test
  void readsTheManifestOfASnapshotBySnapshotDirectory() throws Exception {
    Build build = publish(table);
    Path snapshot = root.resolve(build.directory());
    assertThat(Table.manifestIn(snapshot)).isEqualTo(manifest(build));
    Files.delete(snapshot.resolve("manifest.json"));
    assertThatThrownBy(() -> Table.manifestIn(snapshot))
        .hasMessage(
            "%s: the snapshot was never completed or has been deleted; see 'bsdb versions'",
            snapshot.resolve("manifest.json"));
  }

  @Test
  void doesNotReadFilesThatAreTooLong() throws Exception {
    Build build = publish(table);
    try (var file = Files.newByteChannel(manifestOf(build), StandardOpenOption.WRITE)) {
      file.position(Manifest.MAX_LENGTH).write(ByteBuffer.allocate(1));
    }
    assertThatThrownBy(() -> table.manifest(build.version()))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessage("file too long: file=%s expected<=67108864", manifestOf(build));
  }

  /** One that is its own parent, and two that are each other's. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void doesNotFollowParentsInCircles(int length) throws Exception {
    Build first = publish(table);
    Build stale = table.begin();
    writeFile(table, stale);
    Build last = length == 1 ? first : publish(table);
    Build forged = new Build(first.id(), first.version(), last.version());
    Files.write(manifestOf(first), manifest(forged).encode());
    Build other = new Build(stale.id(), stale.version(), "0000000001-ffffffff");
    assertThatThrownBy(() -> table.publish(other, manifest(other)))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessage(
            "a version cannot follow one that is not older: file=%s parent=%s; roll back to a version"
                + " of 'bsdb versions', and delete this one",
            manifestOf(first), last.version());
  }

  @Test
  void anIncompleteVersionTakesNoNumber() throws Exception {
    Build first = publish(table);
    Files.createDirectories(root.resolve("snapshots").resolve("9999999999-aaaaaaaa"));
    Build next = publish(table);
    assertThat(next.version()).startsWith("0000000002-");
    assertThat(table.versions()).containsExactly(first.version(), next.version());
  }

  @Test
  void saysThatNoNumberIsLeft() throws Exception {
    Build last = new Build(UUID.randomUUID(), "9999999999-aaaaaaaa", null);
    writeFile(table, last);
    Files.write(manifestOf(last), manifest(last).encode());
    Files.writeString(root.resolve("CURRENT"), last.version() + "\n");
    assertThatThrownBy(table::begin)
        .isInstanceOf(IOException.class)
        .hasMessage(
            "no number is left for another version: table=%s newest version=9999999999-aaaaaaaa;"
                + " delete it if it is not this table's, else build into a new directory",
            root);
  }

  @Test
  void doesNotPublishUnderANameThatIsNoVersion() throws Exception {
    Build build = new Build(UUID.randomUUID(), "10000000000-aaaaaaaa", null);
    assertThatThrownBy(() -> table.publish(build, manifest(build)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "not a version's name: '10000000000-aaaaaaaa', expected like 0000000001-0a1b2c3d");
    assertThat(root).doesNotExist();
  }

  @Test
  void doesNotPublishWhatNoReaderWouldTake() throws Exception {
    Build build = table.begin();
    writeFile(table, build);
    Manifest sound = manifest(build);
    assertUnpublished(build, with(sound, Map.of("note", "\ud800")), "half a surrogate pair");
    Build other = new Build(build.id(), "0000000007-0a1b2c3d", null);
    assertUnpublished(build, manifest(other), "manifest belongs to another version");
    assertThat(table.publish(build, sound)).isEqualTo(Table.Published.NOW);
  }

  private void assertUnpublished(Build build, Manifest manifest, String message)
      throws IOException {
    assertThatThrownBy(() -> table.publish(build, manifest))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("no reader could read this version, so it was not published: ")
        .hasMessageContaining(message);
    assertThat(table.currentVersion()).isNull();
    assertThat(table.versions()).isEmpty();
  }

  private static Manifest with(Manifest manifest, Map<String, String> properties) {
    return new Manifest(
        manifest.identity(),
        manifest.schema(),
        manifest.options(),
        manifest.partitions(),
        properties,
        manifest.sourcePositions());
  }

  @Test
  void namesAFileWhereADirectoryIsWanted() throws Exception {
    Files.writeString(root, "no table");
    assertThatThrownBy(() -> table.prune(1))
        .isInstanceOf(NotDirectoryException.class)
        .hasMessageContaining(root.toString());
    assertThatThrownBy(table::currentVersion)
        .isInstanceOf(IOException.class)
        .hasMessage("file cannot be opened: file=%s: Not a directory", root.resolve("CURRENT"));
  }

  @Test
  void saysWhyAFileCannotBeCreated() throws Exception {
    Path data = Files.writeString(Files.createDirectories(root).resolve("data"), "no directory");
    assertThatThrownBy(() -> table.storage().create("data/x.seg"))
        .isInstanceOf(NotDirectoryException.class)
        .hasMessage(data.toString());
  }

  /** Its owner's memory, of which nothing is mapped at 0: reading it fails. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void namesTheFileThatCannotBeRead() {
    TableStorage process = Table.at(Path.of("/proc/self")).storage();
    assertThatThrownBy(() -> process.read("mem", 100))
        .isInstanceOf(IOException.class)
        .hasMessage("file cannot be read: file=/proc/self/mem: Input/output error");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void namesAPipeInPlaceOfTheLock() throws Exception {
    Files.createDirectories(root);
    Path lock = root.resolve("LOCK");
    assertThat(new ProcessBuilder("mkfifo", lock.toString()).start().waitFor()).isZero();
    assertThatThrownBy(() -> table.sweep(Duration.ZERO))
        .hasMessage("not a regular file: file=%s actual=a pipe or a device; move it away", lock);
  }
}
