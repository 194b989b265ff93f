package io.bsdb.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Manifest;
import io.bsdb.format.PartitionFile;
import java.io.FileNotFoundException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TableTest {
  @TempDir Path directory;
  private Table table;

  @BeforeEach
  void open() {
    table = Table.at(directory.resolve("t"));
  }

  private static Manifest manifest(Build build) {
    return new Manifest(
        build.id(),
        build.version(),
        build.parent(),
        Instant.parse("2026-01-02T03:04:05Z"),
        null,
        Map.of(),
        List.of(new PartitionFile(0, "part-00000.bsdb", 10, 0, 0, 0, 0)),
        Map.of(),
        Map.of());
  }

  private static void writeFile(Table table, Build build) throws IOException {
    try (TableStorage.Output output =
        table.storage().create(build.directory() + "/part-00000.bsdb")) {
      output.write(ByteBuffer.allocate(10));
      output.commit();
    }
  }

  private static Build publish(Table table) throws IOException {
    Build build = table.begin();
    writeFile(table, build);
    assertThat(table.publish(build, manifest(build))).isEqualTo(Table.Published.NOW);
    return build;
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
  void versionsFollowEachOther() throws Exception {
    Build first = publish(table);
    Build second = publish(table);
    assertThat(first.version()).matches("0000000001-[0-9a-f]{8}");
    assertThat(second.version()).matches("0000000002-[0-9a-f]{8}");
    assertThat(first.parent()).isNull();
    assertThat(second.parent()).isEqualTo(first.version());
    assertThat(table.currentVersion()).isEqualTo(second.version());
    assertThat(table.versions()).containsExactly(first.version(), second.version());
    assertThat(table.manifest(first.version())).isEqualTo(manifest(first));
  }

  @Test
  void publishingTheSameBuildAgainChangesNothing() throws Exception {
    Build build = publish(table);
    assertThat(table.publish(build, manifest(build))).isEqualTo(Table.Published.BEFORE);
    assertThat(table.versions()).containsExactly(build.version());
  }

  @Test
  void aBuildThatWasSupersededIsKnownAsPublished() throws Exception {
    Build build = publish(table);
    Build next = publish(table);
    publish(table);
    assertThat(table.publish(build, manifest(build))).isEqualTo(Table.Published.BEFORE);
    table.abort(build);
    assertThat(table.versions()).hasSize(3).startsWith(build.version());
    table.prune(1);
    assertThat(table.wasPublished(next)).isTrue();
    assertThat(table.wasPublished(build)).isFalse();
  }

  @Test
  void aBuildWithAManifestThatNeverWasInServiceIsNotPublished() throws Exception {
    Build parent = publish(table);
    Build killed = table.begin();
    writeFile(table, killed);
    table.storage().replace(killed.directory() + "/manifest.json", manifest(killed).encode());
    assertThat(table.wasPublished(killed)).isFalse();
    Build other = publish(table);
    assertThat(other.parent()).isEqualTo(parent.version());
    assertThatThrownBy(() -> table.publish(killed, manifest(killed)))
        .isInstanceOf(PublishConflictException.class);
  }

  @Test
  void ofTwoBuildsTheSecondToPublishIsRefused() throws Exception {
    Build parent = publish(table);
    Build winner = table.begin();
    Build loser = table.begin();
    writeFile(table, winner);
    writeFile(table, loser);
    table.publish(winner, manifest(winner));
    assertThatThrownBy(() -> table.publish(loser, manifest(loser)))
        .isInstanceOf(PublishConflictException.class)
        .hasMessage(
            "another build published first: table=%s in service when this build began=%s in service"
                + " now=%s; nothing was replaced, run this build again",
            directory.resolve("t"), parent.version(), winner.version());
    assertThat(table.currentVersion()).isEqualTo(winner.version());
    assertThat(table.versions()).containsExactly(parent.version(), winner.version());
    table.abort(loser);
    assertThat(table.storage().list(loser.directory())).isEmpty();
  }

  @Test
  void ofManyBuildsAtOnceExactlyOnePublishes() throws Exception {
    for (int round = 0; round < 10; round++) {
      AtomicInteger won = new AtomicInteger();
      AtomicInteger lost = new AtomicInteger();
      List<Build> builds = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        builds.add(table.begin());
        writeFile(table, builds.get(i));
      }
      together(
          8,
          i -> {
            try {
              table.publish(builds.get(i), manifest(builds.get(i)));
              won.incrementAndGet();
            } catch (PublishConflictException e) {
              table.abort(builds.get(i));
              lost.incrementAndGet();
            }
          });
      assertThat(won).hasValue(1);
      assertThat(lost).hasValue(7);
      assertThat(table.versions()).hasSize(round + 1).contains(table.currentVersion());
    }
  }

  private interface Step {
    void run(int number) throws Exception;
  }

  private static void together(int threads, Step step) throws Exception {
    AtomicInteger named = new AtomicInteger();
    ExecutorService executor =
        Executors.newFixedThreadPool(
            threads, task -> new Thread(task, "test-" + named.getAndIncrement()));
    try {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int number = i;
        tasks.add(
            () -> {
              step.run(number);
              return null;
            });
      }
      for (Future<Void> done : executor.invokeAll(tasks)) {
        done.get();
      }
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void pruningAndSweepingAtOnceWithPublishingLosesNothing() throws Exception {
    publish(table);
    together(
        6,
        thread -> {
          for (int i = 0; i < 15; i++) {
            if (thread == 0) {
              table.prune(1);
            } else if (thread == 1) {
              table.sweep(Duration.ofHours(1));
            } else {
              Build build = table.begin();
              writeFile(table, build);
              try {
                table.publish(build, manifest(build));
              } catch (PublishConflictException e) {
                table.abort(build);
              }
            }
            assertThat(table.manifest(table.requireCurrentVersion())).isNotNull();
          }
        });
    assertThat(table.versions()).contains(table.currentVersion());
  }

  /** Another process that gets the lock while this one is about to publish. */
  @Test
  void pruneBetweenTheStepsOfPublishingDoesNotDeleteWhatIsPublished() throws Exception {
    publish(table);
    Table pruning =
        Table.of(
            new ForwardingStorage(table.storage()) {
              @Override
              public void exclusively(Action action) throws IOException {
                table.prune(1);
                super.exclusively(action);
              }
            });
    Build build = publish(pruning);
    assertThat(table.currentVersion()).isEqualTo(build.version());
    assertThat(table.manifest(build.version())).isEqualTo(manifest(build));
    assertThat(table.storage().list(build.directory()))
        .containsExactly("manifest.json", "part-00000.bsdb");
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

  @Test
  void prunesTheOldestButNeverTheOneInService() throws Exception {
    List<String> versions = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      versions.add(publish(table).version());
    }
    table.rollback(versions.get(1));
    assertThat(table.prune(10)).isEmpty();
    assertThat(table.prune(3)).containsExactly(versions.get(0), versions.get(2));
    assertThat(table.versions()).containsExactly(versions.get(1), versions.get(3), versions.get(4));
    assertThat(table.prune(1)).containsExactly(versions.get(3), versions.get(4));
    assertThat(table.versions()).containsExactly(versions.get(1));
    assertThat(table.storage().list("snapshots")).containsExactly(versions.get(1));
    assertThat(table.currentVersion()).isEqualTo(versions.get(1));
    assertThatThrownBy(() -> table.prune(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("versions to keep: expected>=1 actual=0");
  }

  @Test
  void sweepsWhatIsOldAndIncomplete() throws Exception {
    Build complete = publish(table);
    Build old = table.begin();
    writeFile(table, old);
    Build young = table.begin();
    writeFile(table, young);
    Path root = directory.resolve("t");
    Path staged = root.resolve(old.stagingDirectory()).resolve("spill");
    Files.createDirectories(staged.getParent());
    Files.writeString(staged, "x");
    Path stray = Files.writeString(root.resolve("CURRENT.1234.tmp"), "x");
    Path users = Files.writeString(root.resolve("README.tmp"), "x");
    age(stray, users, staged, staged.getParent());
    age(root.resolve(old.directory()).resolve("part-00000.bsdb"), root.resolve(old.directory()));
    age(root.resolve(complete.directory()).resolve("part-00000.bsdb"));
    assertThat(table.sweep(Duration.ofHours(2)))
        .containsExactlyInAnyOrder(old.directory(), old.stagingDirectory(), "CURRENT.1234.tmp");
    assertThat(table.storage().list("snapshots")).contains(complete.version(), young.version());
    assertThat(root.resolve(old.directory())).doesNotExist();
    assertThat(users).exists();
    assertThat(table.sweep(Duration.ofSeconds(-5))).containsExactly(young.directory());
    assertThat(table.versions()).containsExactly(complete.version());
  }

  private static void age(Path... paths) throws IOException {
    for (Path path : paths) {
      Files.setLastModifiedTime(path, FileTime.from(Instant.now().minus(Duration.ofDays(1))));
    }
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
    for (String content : new String[] {"", "\n", "x\n", "0000000001-0a1b2c3d", "../x\n"}) {
      Files.writeString(current, content);
      assertThatThrownBy(table::currentVersion)
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessage(
              "CURRENT does not name a version: file=%s content='%s'; roll back to a version of"
                  + " 'bsdb versions'",
              current, content.strip());
    }
    Files.write(current, new byte[1 << 20]);
    assertThatThrownBy(table::currentVersion)
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessage("file too long: file=%s expected<=4096", current);
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
  void abortNeverDeletesTheVersionInService() throws Exception {
    Build build = publish(table);
    table.abort(build);
    assertThat(table.currentVersion()).isEqualTo(build.version());
    assertThat(table.manifest(build.version())).isEqualTo(manifest(build));
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
      inZip.rollback(first.version());
      assertThat(inZip.currentVersion()).isEqualTo(first.version());
      assertThat(inZip.prune(1)).containsExactly(second.version());
      Build dead = inZip.begin();
      writeFile(inZip, dead);
      assertThat(inZip.sweep(Duration.ofSeconds(-10))).containsExactly(dead.directory());
      assertThat(inZip.versions()).containsExactly(first.version());
      assertThat(inZip.manifest(first.version())).isEqualTo(manifest(first));
      try (Stream<Path> entries = Files.list(zip.getPath("/tables/t"))) {
        assertThat(entries.map(Path::toString))
            .containsExactlyInAnyOrder("/tables/t/CURRENT", "/tables/t/snapshots");
      }
    }
  }

  /** As by the same code under another class loader. */
  @Test
  void aLockHeldElsewhereInTheProcessIsWaitedFor() throws Exception {
    Build build = table.begin();
    writeFile(table, build);
    Path lock = directory.resolve("t").resolve("LOCK");
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread publishing =
        new Thread(
            () -> {
              try {
                table.publish(build, manifest(build));
              } catch (Throwable e) {
                failure.set(e);
              }
            },
            "test-publish");
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = channel.lock()) {
      assertThat(held.isValid()).isTrue();
      publishing.start();
      while (publishing.getState() != Thread.State.TIMED_WAITING && publishing.isAlive()) {
        Thread.onSpinWait();
      }
      assertThat(table.currentVersion()).isNull();
    }
    publishing.join();
    assertThat(failure.get()).isNull();
    assertThat(table.currentVersion()).isEqualTo(build.version());
  }
}
