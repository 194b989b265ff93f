package io.bsdb.table;

import static io.bsdb.table.Builds.manifest;
import static io.bsdb.table.Builds.publish;
import static io.bsdb.table.Builds.together;
import static io.bsdb.table.Builds.writeFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
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

  private static void age(Path... paths) throws IOException {
    for (Path path : paths) {
      Files.setLastModifiedTime(path, FileTime.from(Instant.now().minus(Duration.ofDays(1))));
    }
  }
}
