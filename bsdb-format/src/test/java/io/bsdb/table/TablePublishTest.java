package io.bsdb.table;

import static io.bsdb.table.Builds.manifest;
import static io.bsdb.table.Builds.publish;
import static io.bsdb.table.Builds.together;
import static io.bsdb.table.Builds.writeFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.io.IORunnable;
import io.bsdb.table.storage.DirectoryLock;
import io.bsdb.table.storage.ForwardingStorage;
import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What comes into service, and in which order. */
@Timeout(120)
class TablePublishTest {
  @TempDir Path directory;
  private Table table;

  @BeforeEach
  void open() {
    table = Table.at(directory.resolve("t"));
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

  /** Another process that gets the lock while this one is about to publish. */
  @Test
  void pruneBetweenTheStepsOfPublishingDoesNotDeleteWhatIsPublished() throws Exception {
    publish(table);
    Table pruning = Table.of(new BeforeTheLock(table.storage(), () -> table.prune(1)));
    Build build = publish(pruning);
    assertThat(table.currentVersion()).isEqualTo(build.version());
    assertThat(table.manifest(build.version())).isEqualTo(manifest(build));
    assertThat(table.storage().list(build.directory()))
        .containsExactly("manifest.json", "part-00000.bsdb");
  }

  /** Another process that gets the lock while this one is about to roll back. */
  @Test
  void aVersionThatIsPrunedMeanwhileIsNotRolledBackTo() throws Exception {
    Build old = publish(table);
    Build current = publish(table);
    Table late = Table.of(new BeforeTheLock(table.storage(), () -> table.prune(1)));
    assertThatThrownBy(() -> late.rollback(old.version()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "no such version: %s; the table %s has [%s]",
            old.version(), directory.resolve("t"), current.version());
    assertThat(table.currentVersion()).isEqualTo(current.version());
  }

  @Test
  void aBuildWhoseFilesAreSweptMeanwhileIsNotPublished() throws Exception {
    Build parent = publish(table);
    Build build = table.begin();
    writeFile(table, build);
    Table late =
        Table.of(new BeforeTheLock(table.storage(), () -> table.sweep(Duration.ofSeconds(-10))));
    assertThatThrownBy(() -> late.publish(build, manifest(build)))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessage(
            "%s/%s/part-00000.bsdb: a file of this version is gone, perhaps swept as left behind; nothing"
                + " was published, run this again; if the same file is missing then, the version in"
                + " service has lost it: build the table from all rows",
            directory.resolve("t"), build.directory());
    assertThat(table.currentVersion()).isEqualTo(parent.version());
    assertThat(table.versions()).containsExactly(parent.version());
  }

  @Test
  void whoPublishesABuildThatAnotherPublishesMeanwhileFindsItPublished() throws Exception {
    publish(table);
    Build build = table.begin();
    writeFile(table, build);
    Table late =
        Table.of(new BeforeTheLock(table.storage(), () -> table.publish(build, manifest(build))));
    assertThat(late.publish(build, manifest(build))).isEqualTo(Table.Published.BEFORE);
    assertThat(table.currentVersion()).isEqualTo(build.version());
  }

  @Test
  void aBuildSortsAfterItsParentWhateverIsPublishedWhenItBegins() throws Exception {
    publish(table);
    AtomicBoolean done = new AtomicBoolean();
    Table late =
        Table.of(
            new ForwardingStorage(table.storage()) {
              @Override
              public List<String> list(String path) throws IOException {
                List<String> names = super.list(path);
                if (done.compareAndSet(false, true)) {
                  publish(table);
                }
                return names;
              }
            });
    Build build = late.begin();
    assertThat(build.version().substring(0, 10)).isGreaterThan(build.parent().substring(0, 10));
  }

  /** Publishes through a storage that fails before or after it replaces {@code CURRENT}. */
  private Build publishAndFail(IORunnable before, IORunnable after) throws IOException {
    Build build = table.begin();
    writeFile(table, build);
    Table failing =
        Table.of(
            new ForwardingStorage(table.storage()) {
              @Override
              public void replace(String path, byte[] content) throws IOException {
                boolean isCurrent = path.equals("CURRENT");
                if (isCurrent) {
                  before.run();
                }
                super.replace(path, content);
                if (isCurrent) {
                  after.run();
                }
              }
            });
    assertThatThrownBy(() -> failing.publish(build, manifest(build)))
        .isInstanceOf(IOException.class);
    return build;
  }

  private static void fail() throws IOException {
    throw new IOException("Input/output error");
  }

  @Test
  void aVersionThatFailsToComeIntoServiceIsNotLeftComplete() throws Exception {
    Build parent = publish(table);
    Build failed = publishAndFail(TablePublishTest::fail, () -> {});
    assertThat(table.versions()).containsExactly(parent.version());
    Build interrupted = publishAndFail(Thread.currentThread()::interrupt, () -> {});
    assertThat(Thread.interrupted()).isTrue();
    assertThat(table.versions()).containsExactly(parent.version());
    table.publish(failed, manifest(failed)); // may be tried again
    assertThat(table.versions()).containsExactly(parent.version(), failed.version());
    table.abort(interrupted);
    assertThat(table.storage().list("snapshots")).doesNotContain(interrupted.version());
  }

  @Test
  void aVersionInServiceStaysThoughItsPublicationFailed() throws Exception {
    publish(table);
    Build failed = publishAndFail(() -> {}, TablePublishTest::fail);
    assertThat(table.currentVersion()).isEqualTo(failed.version());
    assertThat(table.manifest(failed.version())).isEqualTo(manifest(failed));
  }

  /** Lets something happen before each lock is taken, as another process might. */
  private static final class BeforeTheLock extends ForwardingStorage {
    private final IORunnable before;

    BeforeTheLock(TableStorage storage, IORunnable before) {
      super(storage);
      this.before = before;
    }

    @Override
    public void exclusively(IORunnable action) throws IOException {
      before.run();
      super.exclusively(action);
    }
  }

  @Test
  void abortNeverDeletesTheVersionInService() throws Exception {
    Build build = publish(table);
    table.abort(build);
    assertThat(table.currentVersion()).isEqualTo(build.version());
    assertThat(table.manifest(build.version())).isEqualTo(manifest(build));
  }

  @Test
  void whoeverIsInterruptedWhileWaitingLeavesTheLockToItsHolder() throws Exception {
    TableStorage storage = Table.at(directory.resolve("t")).storage();
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    storage.exclusively(
        () -> {
          assertThat(isLocked()).isTrue();
          Thread waiter =
              new Thread(
                  () -> {
                    try {
                      storage.exclusively(() -> {});
                      failure.complete(null);
                    } catch (Throwable e) {
                      failure.complete(e);
                    }
                  },
                  "test-waiter");
          waiter.start();
          while (waiter.getState() != Thread.State.WAITING
              && waiter.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
          }
          waiter.interrupt();
          assertThat(failure.join())
              .isInstanceOf(InterruptedIOException.class)
              .hasMessage(
                  "interrupted while waiting for the lock of the table " + directory.resolve("t"));
          assertThat(isLocked()).isTrue();
          assertThat(DirectoryLock.isInUse(directory.resolve("t").toRealPath())).isTrue();
        });
    assertThat(isLocked()).isFalse();
    assertThat(DirectoryLock.isInUse(directory.resolve("t").toRealPath())).isFalse();
  }

  /** What the kernel says; a lock of this process would not hinder this process. */
  private boolean isLocked() throws IOException {
    Object inode = Files.getAttribute(directory.resolve("t").resolve("LOCK"), "unix:ino");
    return Files.readString(Path.of("/proc/locks"))
        .lines()
        .anyMatch(line -> line.contains(":" + inode + " "));
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
