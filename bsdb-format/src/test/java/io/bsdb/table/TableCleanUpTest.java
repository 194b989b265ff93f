package io.bsdb.table;

import static io.bsdb.table.Builds.manifest;
import static io.bsdb.table.Builds.publish;
import static io.bsdb.table.Builds.together;
import static io.bsdb.table.Builds.writeFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.table.storage.ForwardingStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What prune and sweep delete. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TableCleanUpTest {
  @TempDir Path directory;
  private Table table;

  @BeforeEach
  void open() {
    table = Table.at(directory.resolve("t"));
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
            assertTheVersionInServiceHasAManifest();
          }
        });
    assertThat(table.versions()).contains(table.currentVersion());
  }

  private void assertTheVersionInServiceHasAManifest() throws IOException {
    String version = table.requireCurrentVersion();
    try {
      assertThat(table.manifest(version)).isNotNull();
    } catch (NoSuchFileException e) {
      assertThat(table.currentVersion()).as("in service without a manifest").isNotEqualTo(version);
    }
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
    // By its number the newest tells that versions were rolled back.
    assertThat(table.prune(1)).containsExactly(versions.get(3));
    assertThat(table.pruneByWeight(Duration.ZERO, 0)).isEmpty();
    assertThat(table.versions()).containsExactly(versions.get(1), versions.get(4));
    assertThat(table.storage().list("snapshots")).containsExactly(versions.get(1), versions.get(4));
    assertThat(table.currentVersion()).isEqualTo(versions.get(1));
    String next = publish(table).version();
    assertThat(table.prune(1)).containsExactly(versions.get(1), versions.get(4));
    assertThat(table.versions()).containsExactly(next);
    assertThatThrownBy(() -> table.prune(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("versions to keep: expected>=1 actual=0");
  }

  /** Two versions have the same partition file. */
  @Test
  void wherePruningFailsEachCompleteVersionHasItsFiles() throws Exception {
    for (int most = 0; most < 4; most++) {
      table = Table.at(directory.resolve("fails-" + most));
      publish(table);
      table.edit(old -> old.with(old.partitions(), Map.of("source", "1"), old.changes()));
      publish(table);
      AtomicInteger left = new AtomicInteger(most);
      Table failing =
          Table.of(
              new ForwardingStorage(table.storage()) {
                @Override
                public void delete(String path) throws IOException {
                  if (left.getAndDecrement() == 0) {
                    throw new IOException("cannot be deleted: " + path);
                  }
                  super.delete(path);
                }
              });
      assertThatThrownBy(() -> failing.prune(1)).hasMessageStartingWith("cannot be deleted: ");
      for (String version : table.versions()) {
        for (String file : table.manifest(version).filesToKeep()) {
          assertThat(directory.resolve("fails-" + most).resolve(file)).exists();
        }
      }
      table.prune(1);
      table.sweep(Duration.ofSeconds(-10));
      assertThat(table.storage().list("snapshots")).containsExactly(table.currentVersion());
    }
  }

  /** Until then readers found it, and they still open its files. */
  @Test
  void theAgeOfAVersionCountsFromWhenItWasReplaced() throws Exception {
    String old = publish(table).version();
    age(directory.resolve("t/snapshots").resolve(old).resolve("manifest.json"));
    String next = publish(table).version();
    String newest = publish(table).version();
    assertThat(table.prune(1, Duration.ofHours(1))).isEmpty();
    assertThat(table.pruneByWeight(Duration.ofHours(1), Long.MAX_VALUE)).isEmpty();
    age(directory.resolve("t/snapshots").resolve(next).resolve("manifest.json"));
    assertThat(table.prune(1, Duration.ofHours(1))).containsExactly(old);
    age(directory.resolve("t/snapshots").resolve(newest).resolve("manifest.json"));
    assertThat(table.pruneByWeight(Duration.ofHours(1), Long.MAX_VALUE)).containsExactly(next);
  }

  @Test
  void aVersionPublishedWhileTheClockWasAheadKeepsNoneOfThoseBeforeIt() throws Exception {
    List<String> versions = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      versions.add(publish(table).version());
    }
    ageManifests(versions.toArray(String[]::new));
    Path ahead = directory.resolve("t/snapshots").resolve(versions.get(1));
    Files.setLastModifiedTime(
        ahead.resolve("manifest.json"), FileTime.from(Instant.now().plus(Duration.ofDays(1000))));
    assertThat(table.pruneByWeight(Duration.ofHours(1), Long.MAX_VALUE))
        .isEqualTo(versions.subList(0, 3));
  }

  /** What took its place has the number of none of those that were published after it. */
  @Test
  void aVersionThatWasPutBackInServiceIsSparedOnceItIsReplaced() throws Exception {
    String old = publish(table).version();
    String undone = publish(table).version();
    String newest = publish(table).version();
    ageManifests(old, undone, newest);
    table.rollback(old);
    assertThat(table.prune(1, Duration.ofHours(1))).as("in service just now").isEmpty();
    age(directory.resolve("t/CURRENT"));
    assertThat(table.prune(1, Duration.ofHours(1))).containsExactly(undone);
    String next = publish(table).version();
    assertThat(table.prune(1, Duration.ofHours(1))).isEmpty();
    assertThat(table.versions()).containsExactly(old, newest, next);
    ageManifests(next);
    age(directory.resolve("t/CURRENT"));
    assertThat(table.prune(1, Duration.ofHours(1))).containsExactly(old, newest);
  }

  /** Its process was killed before it named the version in CURRENT. */
  @Test
  void aVersionIsNotReplacedByOneThatWasNeverInService() throws Exception {
    String old = publish(table).version();
    String killed = publish(table).version();
    table.rollback(old);
    ageManifests(old, killed);
    age(directory.resolve("t/CURRENT"));
    String next = publish(table).version();
    assertThat(table.prune(1, Duration.ofHours(1))).isEmpty();
    ageManifests(next);
    age(directory.resolve("t/CURRENT"));
    assertThat(table.prune(1, Duration.ofHours(1))).containsExactly(old, killed);
  }

  private void ageManifests(String... versions) throws IOException {
    for (String version : versions) {
      age(directory.resolve("t/snapshots").resolve(version).resolve("manifest.json"));
    }
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
    String next = "CURRENT." + UUID.randomUUID() + ".tmp";
    Path stray = Files.writeString(root.resolve(next), "x");
    Path users = Files.writeString(root.resolve("CURRENT.mine.tmp"), "x");
    Path notes = Files.createDirectories(root.resolve("staging").resolve("notes"));
    age(stray, users, notes, staged, staged.getParent());
    age(root.resolve(old.directory()).resolve("part-00000.bsdb"), root.resolve(old.directory()));
    age(root.resolve(complete.directory()).resolve("part-00000.bsdb"));
    assertThat(table.sweep(Duration.ofHours(2)))
        .containsExactlyInAnyOrder(old.directory(), old.stagingDirectory(), next);
    assertThat(table.storage().list("snapshots")).contains(complete.version(), young.version());
    assertThat(root.resolve(old.directory())).doesNotExist();
    assertThat(users).exists();
    assertThat(notes).exists();
    assertThat(table.sweep(Duration.ofSeconds(-5))).containsExactly(young.directory());
    assertThat(table.versions()).containsExactly(complete.version());
  }

  /** A build is published while sweep, which takes it for dead, looks at it. */
  @Test
  void sweepingAndPublishingOneBuildEndsWithAllOfItOrNothing() throws Exception {
    Build parent = publish(table);
    Build build = table.begin();
    writeFile(table, build);
    AtomicReference<IOException> refusal = new AtomicReference<>();
    Thread publishing =
        new Thread(
            () -> {
              try {
                table.publish(build, manifest(build));
              } catch (IOException e) {
                refusal.set(e);
              }
            },
            "test-publish");
    Table sweeping =
        Table.of(
            new ForwardingStorage(table.storage()) {
              @Override
              public Instant lastModified(String path) throws IOException {
                Instant modified = super.lastModified(path);
                publishing.start();
                while (publishing.isAlive() && publishing.getState() != Thread.State.WAITING) {
                  Thread.onSpinWait();
                }
                return modified;
              }
            });
    assertThat(sweeping.sweep(Duration.ofSeconds(-10))).containsExactly(build.directory());
    publishing.join();
    assertThat(refusal.get()).isInstanceOf(NoSuchFileException.class);
    assertThat(table.currentVersion()).isEqualTo(parent.version());
  }

  @Test
  void sweepLeavesWhatIsNoVersion() throws Exception {
    Path archive = directory.resolve("t").resolve("snapshots").resolve("archive");
    Files.createDirectories(archive);
    Files.writeString(archive.resolve("kept"), "x");
    assertThat(table.sweep(Duration.ofSeconds(-10))).isEmpty();
    assertThat(archive.resolve("kept")).exists();
  }

  /** A staging directory on another disk, perhaps, and perhaps another table's. */
  @Test
  void doesNotSweepThroughALink() throws Exception {
    Build dead = table.begin();
    Path staged = Files.createDirectories(elsewhere("staging").resolve(dead.id().toString()));
    Path kept = Files.writeString(staged.resolve("spill"), "x");
    assertThatThrownBy(() -> table.sweep(Duration.ofSeconds(-10)))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "not deleted, for it is reached through a symbolic link: file=%s link=%s; delete it yourself,"
                + " or make the whole table directory the link",
            directory.resolve("t").resolve(dead.stagingDirectory()),
            directory.resolve("t").resolve("staging"));
    assertThat(kept).exists();
  }

  @Test
  void sweepsALinkButNothingBehindIt() throws Exception {
    publish(table);
    Path other = Files.createDirectories(directory.resolve("other"));
    Path kept = Files.writeString(other.resolve("part-00000.bsdb"), "x");
    Build dead = table.begin();
    Path root = directory.resolve("t");
    Files.createSymbolicLink(root.resolve(dead.directory()), other);
    Files.createSymbolicLink(
        Files.createDirectories(root.resolve("staging")).resolve(dead.id().toString()), other);
    assertThat(table.sweep(Duration.ofSeconds(-10)))
        .containsExactlyInAnyOrder(dead.directory(), dead.stagingDirectory());
    assertThat(kept).exists();
    assertThat(root.resolve(dead.directory())).doesNotExist();
  }

  /** Such as a temporary directory where {@code /tmp} is a link. */
  @Test
  void deletesAWholeDirectoryBelowALink() throws Exception {
    Path real = Files.createDirectories(directory.resolve("real"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), real);
    Table below = Table.at(link.resolve("copies"));
    publish(below);
    assertThat(real.resolve("copies")).isNotEmptyDirectory();
    below.storage().delete("");
    assertThat(real).isEmptyDirectory();
  }

  @Test
  void doesNotPruneThroughALink() throws Exception {
    Build old = publish(table);
    Build current = publish(table);
    Path version = directory.resolve("t").resolve(old.directory());
    Path moved = Files.move(version, directory.resolve("moved"));
    Files.createSymbolicLink(version, moved);
    assertThat(table.versions()).containsExactly(old.version(), current.version());
    assertThatThrownBy(() -> table.prune(1))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "not deleted, for it is reached through a symbolic link: file="
                + version.resolve("manifest.json"));
    assertThat(moved.resolve("manifest.json")).exists();
    assertThat(moved.resolve("part-00000.bsdb")).exists();
  }

  /** Reading and building go on; only deleting does not. */
  @Test
  void buildsBehindALinkButDoesNotDeleteThere() throws Exception {
    Path snapshots = elsewhere("snapshots");
    Build old = publish(table);
    Build current = publish(table);
    assertThat(table.currentVersion()).isEqualTo(current.version());
    assertThat(table.versions()).containsExactly(old.version(), current.version());
    assertThatThrownBy(() -> table.prune(1)).hasMessageContaining("symbolic link");
    assertThat(snapshots.resolve(old.version()).resolve("manifest.json")).exists();
  }

  @Test
  void keepsAllForTheLongestDuration() throws Exception {
    Duration longest = Duration.ofSeconds(Long.MAX_VALUE);
    publish(table);
    publish(table);
    writeFile(table, table.begin());
    publish(table);
    assertThat(table.prune(1, longest)).isEmpty();
    assertThat(table.pruneByWeight(longest, Long.MAX_VALUE)).isEmpty();
    assertThat(table.sweep(longest)).isEmpty();
  }

  @Test
  void aTableDirectoryMayBeALink() throws Exception {
    Path real = Files.createDirectories(directory.resolve("real"));
    Files.createSymbolicLink(directory.resolve("t"), real);
    Build old = publish(table);
    Build current = publish(table);
    assertThat(table.prune(1)).containsExactly(old.version());
    assertThat(table.versions()).containsExactly(current.version());
  }

  /** A directory of the table that is a link. */
  private Path elsewhere(String name) throws IOException {
    Path target = Files.createDirectories(directory.resolve("elsewhere"));
    Files.createDirectories(directory.resolve("t"));
    Files.createSymbolicLink(directory.resolve("t").resolve(name), target);
    return target;
  }

  private static void age(Path... paths) throws IOException {
    for (Path path : paths) {
      Files.setLastModifiedTime(path, FileTime.from(Instant.now().minus(Duration.ofDays(1))));
    }
  }
}
