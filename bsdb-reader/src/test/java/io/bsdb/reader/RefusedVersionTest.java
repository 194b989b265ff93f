package io.bsdb.reader;

import static io.bsdb.reader.NumberedVersions.key;
import static io.bsdb.reader.NumberedVersions.versionOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.reader.follow.Followed;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** New versions that cannot be used: the old one keeps serving. */
@ExtendWith(NothingLeftOpen.class)
@Timeout(120)
class RefusedVersionTest {
  @TempDir Path table;
  private NumberedVersions versions;

  @BeforeEach
  void begin() {
    versions = new NumberedVersions(table);
  }

  @Test
  void refusesADamagedVersionAndKeepsTheOldOne() throws Exception {
    versions.publishNext();
    Heard heard = new Heard();
    try (TableReader live =
        TableReader.builder(table).refreshEvery(Duration.ZERO).listener(heard).open()) {
      Manifest second = versions.publishNext();
      versions.damage(second);
      assertThatThrownBy(live::refresh)
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessageContaining(second.version());
      assertThat(live.failedRefreshes()).isEqualTo(1);
      assertThat(live.refreshFailure()).hasMessageContaining(second.version());
      assertThat(heard.events)
          .containsExactly("failed " + second.version() + " CorruptSnapshotException");
      assertThat(versionOf(live.get(key(1)), 1)).isEqualTo(1);
      Files.writeString(table.resolve("CURRENT"), "nonsense\n");
      assertThatThrownBy(live::refresh).isInstanceOf(CorruptSnapshotException.class);
      assertThat(heard.events).contains("failed null CorruptSnapshotException");
      assertThat(live.failedRefreshes()).isEqualTo(2);
      Table.at(table).rollback(second.version());
      Manifest third = versions.publishNext();
      assertThat(live.refresh()).isTrue();
      assertThat(live.refreshFailure()).isNull();
      assertThat(heard.events).last().isEqualTo("refreshed " + third.version());
      assertThat(versionOf(live.get(key(1)), 1)).isEqualTo(3);
    }
  }

  @Test
  void saysWhyARefreshFailedThoughTheListenerFails() throws Exception {
    versions.publishNext();
    TableReader.Listener failing =
        new TableReader.Listener() {
          @Override
          public void onRefreshFailed(@Nullable String version, Exception cause) {
            throw new IllegalStateException("listener");
          }
        };
    try (TableReader live =
        TableReader.builder(table).refreshEvery(Duration.ZERO).listener(failing).open()) {
      versions.damage(versions.publishNext());
      assertThatThrownBy(live::refresh)
          .isInstanceOf(CorruptSnapshotException.class)
          .hasSuppressedException(new IllegalStateException("listener"));
    }
  }

  @Test
  void inTheBackgroundAVersionIsTriedAgainAfterAnotherWasInService() throws Exception {
    Manifest first = versions.publishNext();
    try (TableReader live = TableReader.builder(table).refreshEvery(Duration.ZERO).open()) {
      Manifest second = versions.publishNext();
      versions.damage(second);
      Followed.refreshInBackground(live);
      assertThat(live.failedRefreshes()).isEqualTo(1);
      Table.at(table).rollback(first.version());
      Followed.refreshInBackground(live);
      assertThat(live.refreshFailure()).isNull();
      versions.damage(second); // the same byte again: repaired
      Table.at(table).rollback(second.version());
      Followed.refreshInBackground(live);
      assertThat(live.version()).isEqualTo(second.version());
    }
  }

  @Test
  void inTheBackgroundADamagedVersionIsTriedOnce() throws Exception {
    versions.publishNext();
    Heard heard = new Heard();
    try (TableReader live =
        TableReader.builder(table).refreshEvery(Duration.ZERO).listener(heard).open()) {
      Manifest second = versions.publishNext();
      versions.damage(second);
      for (int i = 0; i < 5; i++) {
        Followed.refreshInBackground(live);
      }
      assertThat(live.failedRefreshes()).isEqualTo(1);
      assertThat(live.refreshFailure()).isInstanceOf(CorruptSnapshotException.class);
      assertThat(heard.events).hasSize(1);
      Manifest third = versions.publishNext();
      Followed.refreshInBackground(live);
      assertThat(live.version()).isEqualTo(third.version());
      Table.at(table).rollback(second.version());
      Followed.refreshInBackground(live);
      assertThat(live.failedRefreshes()).isEqualTo(2);
    }
  }

  @Test
  void aVersionThatTheCheckRefusesIsNotUsedAndNotTriedAgain() throws Exception {
    versions.publishNext();
    List<String> checked = new ArrayList<>();
    String first = Table.at(table).requireCurrentVersion();
    Heard heard = new Heard();
    try (TableReader live =
        TableReader.builder(table)
            .refreshEvery(Duration.ZERO)
            .listener(heard)
            .check(
                manifest -> {
                  checked.add(manifest.version());
                  if (checked.size() == 2) {
                    throw new IOException("not this one");
                  }
                })
            .open()) {
      Manifest second = versions.publishNext();
      assertThatThrownBy(live::refresh).hasMessage("not this one");
      Followed.refreshInBackground(live);
      assertThat(checked).containsExactly(first, second.version());
      assertThat(live.version()).isEqualTo(first);
      Manifest third = versions.publishNext();
      Followed.refreshInBackground(live);
      assertThat(live.version()).isEqualTo(third.version());
      assertThat(live.failedRefreshes()).isEqualTo(1);
    }
    assertThatThrownBy(
            () ->
                TableReader.builder(table)
                    .refreshEvery(Duration.ZERO)
                    .check(
                        manifest -> {
                          throw new IOException("none at all");
                        })
                    .open())
        .hasMessage("none at all");
  }

  @Test
  void anErrorCountsAndDoesNotEndTheRefreshes() throws Exception {
    versions.publishNext();
    AtomicBoolean broken = new AtomicBoolean();
    Heard heard = new Heard();
    try (TableReader live =
        TableReader.builder(table)
            .refreshEvery(Duration.ZERO)
            .listener(heard)
            .check(
                manifest -> {
                  if (broken.get()) {
                    throw new StackOverflowError("thrown by a test");
                  }
                })
            .open()) {
      String second = versions.publishNext().version();
      broken.set(true);
      Followed.refreshInBackground(live);
      assertThat(versionOf(live.get(key(0)), 0)).isEqualTo(1);
      assertThat(live.failedRefreshes()).isEqualTo(1);
      assertThat(live.refreshFailure())
          .hasMessage(
              "table %s: version %s: java.lang.StackOverflowError: thrown by a test", table, second)
          .hasCauseInstanceOf(StackOverflowError.class);
      broken.set(false);
      Followed.refreshInBackground(live);
      assertThat(versionOf(live.get(key(0)), 0)).isEqualTo(2);
      assertThat(live.failedRefreshes()).isEqualTo(1);
      assertThat(live.refreshFailure()).isNull();
      assertThat(heard.events)
          .containsExactly("failed " + second + " IOException", "refreshed " + second);
    }
  }

  /** Or closing would take as long as a copy of a large version. */
  @Test
  void closingInterruptsARefresh() throws Exception {
    versions.publishNext();
    Heard heard = new Heard();
    CountDownLatch checking = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    TableReader live =
        TableReader.builder(table)
            .listener(heard)
            .refreshEvery(Duration.ofMillis(1))
            .check(
                manifest -> {
                  if (manifest.version().startsWith("0000000002")) {
                    checking.countDown();
                    try {
                      new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                      interrupted.countDown();
                      throw new InterruptedIOException();
                    }
                  }
                })
            .open();
    versions.publishNext();
    assertThat(checking.await(60, TimeUnit.SECONDS)).isTrue();
    live.close();
    assertThat(interrupted.getCount()).isZero();
    assertThat(heard.events).isEmpty();
    assertThat(live.failedRefreshes()).isZero();
  }
}
