package io.bsdb.reader;

import static io.bsdb.reader.NumberedVersions.KEYS;
import static io.bsdb.reader.NumberedVersions.key;
import static io.bsdb.reader.NumberedVersions.versionOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.follow.Followed;
import io.bsdb.reader.follow.OnMissing;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.snapshot.Calls;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(NothingLeftOpen.class)
@Timeout(120)
class TableReaderTest {
  @TempDir Path table;
  private NumberedVersions versions;

  @BeforeEach
  void begin() {
    versions = new NumberedVersions(table);
  }

  private static TableReader follow(Path table) throws IOException {
    return TableReader.builder(table).refreshEvery(Duration.ZERO).open();
  }

  @Test
  void staysWithItsVersionUntilRefreshed() throws Exception {
    Manifest first = versions.publishNext();
    try (TableReader live = follow(table)) {
      Manifest second = versions.publishNext();
      assertThat(live.version()).isEqualTo(first.version());
      assertThat(versionOf(live.get(key(3)), 3)).isEqualTo(1);
      assertThat(live.refresh()).isTrue();
      assertThat(live.version()).isEqualTo(second.version());
      assertThat(live.manifest()).isEqualTo(second);
      assertThat(versionOf(live.get(key(3)), 3)).isEqualTo(2);
      assertThat(live.get(key(KEYS))).isNull();
      assertThat(live.refresh()).isFalse();
    }
  }

  private boolean hasRefreshThread() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("bsdb-refresh-" + table));
  }

  @Test
  void looksForNewVersionsByItselfUnlessToldNotTo() throws Exception {
    versions.publishNext();
    try (TableReader live = follow(table)) {
      assertThat(live.isEmpty()).isFalse();
      assertThat(hasRefreshThread()).isFalse();
    }
    try (TableReader live = TableReader.follow(table, ReaderOptions.defaults())) {
      assertThat(live.isEmpty()).isFalse();
      assertThat(hasRefreshThread()).isTrue();
    }
  }

  @Test
  void followsARollback() throws Exception {
    Manifest first = versions.publishNext();
    versions.publishNext();
    try (TableReader live = follow(table)) {
      Table.at(table).rollback(first.version());
      assertThat(live.refresh()).isTrue();
      assertThat(versionOf(live.get(key(0)), 0)).isEqualTo(1);
    }
  }

  @Test
  void aLeaseKeepsItsVersionOpen() throws Exception {
    Manifest first = versions.publishNext();
    try (TableReader live = follow(table)) {
      TableReader.Lease lease = live.lease();
      assertThat(lease.isCurrent()).isTrue();
      versions.publishNext();
      live.refresh();
      assertThat(lease.isCurrent()).isFalse();
      assertThat(lease.version()).isEqualTo(first.version());
      Table.at(table).prune(1);
      assertThat(versionOf(lease.reader().get(key(5)), 5)).isEqualTo(1);
      SnapshotReader reader = lease.reader();
      lease.close();
      lease.close();
      assertThatThrownBy(() -> reader.get(key(5))).isInstanceOf(ClosedReaderException.class);
      assertThat(versionOf(live.get(key(5)), 5)).isEqualTo(2);
    }
  }

  /** Which may take long: the thread that answers lookups does not wait for it. */
  @Test
  void theRefreshThreadClosesWhatTheLastLeaseLetGo() throws Exception {
    versions.publishNext();
    CountDownLatch swapped = new CountDownLatch(1);
    CountDownLatch busy = new CountDownLatch(1);
    TableReader.Listener keepsTheThread =
        new TableReader.Listener() {
          @Override
          public void onRefreshed(Manifest manifest) {
            swapped.countDown();
            try {
              busy.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        };
    try (TableReader live =
        TableReader.builder(table)
            .listener(keepsTheThread)
            .refreshEvery(Duration.ofMillis(1))
            .open()) {
      TableReader.Lease lease = live.lease();
      SnapshotReader old = lease.reader();
      versions.publishNext();
      swapped.await();
      lease.close();
      assertThat(versionOf(old.get(key(5)), 5)).as("still open").isEqualTo(1);
      busy.countDown();
      assertCloses(old);
    }
  }

  /** Closing has not waited for the thread that closes an old version, which waits for a lookup. */
  @Test
  void whatIsInUseIsClosedWhenTheRefreshThreadEnds() throws Exception {
    versions.publishNext();
    TableReader live =
        Followed.closeTimeout(
                TableReader.builder(table).refreshEvery(Duration.ofDays(1)), Duration.ofMillis(1))
            .open();
    TableReader.Lease lease = live.lease();
    SnapshotReader old = lease.reader();
    versions.publishNext();
    live.refresh();
    SnapshotReader inUse;
    try (TableReader.Lease newer = live.lease()) {
      inUse = newer.reader();
    }
    FutureTask<Integer> lookup;
    try (Gate gate = new Gate()) {
      lookup =
          new FutureTask<>(
              () ->
                  old.get(
                      key(5),
                      (index, bytes, offset, length) -> {
                        gate.pass();
                        return length;
                      }));
      new Thread(lookup, "test-lookup").start();
      gate.awaitFirst();
      lease.close();
      assertCloses(old);
      live.close();
      assertThat(versionOf(inUse.get(key(5)), 5)).as("still open").isEqualTo(2);
    }
    assertThat(lookup.get()).isEqualTo(8);
    assertCloses(inUse);
  }

  private static void assertCloses(SnapshotReader reader) {
    assertThatThrownBy(
            () -> {
              while (reader.get(key(5)) != null && !Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
              }
            })
        .isInstanceOf(ClosedReaderException.class);
  }

  @Test
  void mayBeToldToLookAlmostNever() throws Exception {
    versions.publishNext();
    try (TableReader live =
        TableReader.builder(table).refreshEvery(ChronoUnit.FOREVER.getDuration()).open()) {
      assertThat(versionOf(live.get(key(5)), 5)).isEqualTo(1);
    }
  }

  /** Without a refresh thread; whoever refreshes may be copying for minutes. */
  @Test
  void closingALeaseDoesNotWaitForARefresh() throws Exception {
    versions.publishNext();
    CountDownLatch refreshing = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    AtomicInteger checked = new AtomicInteger();
    TableReader.Check slowThirdTime =
        manifest -> {
          if (checked.incrementAndGet() == 3) {
            refreshing.countDown();
            try {
              released.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
          }
        };
    try (TableReader live =
        TableReader.builder(table).refreshEvery(Duration.ZERO).check(slowThirdTime).open()) {
      TableReader.Lease lease = live.lease();
      SnapshotReader old = lease.reader();
      versions.publishNext();
      live.refresh();
      versions.publishNext();
      FutureTask<Boolean> refresh = new FutureTask<>(live::refresh);
      new Thread(refresh, "test-refresh").start();
      refreshing.await();
      lease.close();
      assertThatThrownBy(() -> old.get(key(5))).isInstanceOf(ClosedReaderException.class);
      assertThat(refresh.isDone()).isFalse();
      released.countDown();
      assertThat(refresh.get()).isTrue();
    } finally {
      released.countDown();
    }
  }

  @Test
  void refreshesByItself() throws Exception {
    versions.publishNext();
    Heard heard = new Heard();
    try (TableReader live =
        TableReader.builder(table).listener(heard).refreshEvery(Duration.ofMillis(2)).open()) {
      for (int i = 0; i < 3; i++) {
        Manifest next = versions.publishNext();
        assertThat(heard.events.poll(60, TimeUnit.SECONDS))
            .isEqualTo("refreshed " + next.version());
        assertThat(live.version()).isEqualTo(next.version());
      }
      Path current = table.resolve("CURRENT");
      byte[] sound = Files.readAllBytes(current);
      Files.delete(current);
      assertThat(heard.events.poll(60, TimeUnit.SECONDS))
          .isEqualTo("failed null NoSuchFileException");
      Files.write(current, sound);
      Manifest next = versions.publishNext();
      String event = heard.events.poll(60, TimeUnit.SECONDS);
      while (event.startsWith("failed null")) {
        event = heard.events.poll(60, TimeUnit.SECONDS);
      }
      assertThat(event).isEqualTo("refreshed " + next.version());
    }
  }

  @Test
  void aPinnedVersionStays() throws Exception {
    Manifest first = versions.publishNext();
    versions.publishNext();
    try (TableReader live =
        TableReader.builder(table).pin(first.version()).refreshEvery(Duration.ofMillis(1)).open()) {
      assertThat(live.refresh()).isFalse();
      assertThat(live.version()).isEqualTo(first.version());
      assertThat(versionOf(live.get(key(2)), 2)).isEqualTo(1);
    }
  }

  @Test
  void afterCloseNothingIsAnswered() throws Exception {
    versions.publishNext();
    TableReader live = follow(table);
    TableReader.Lease lease = live.lease();
    live.close();
    live.close();
    String message = "table " + table + " is closed";
    assertThat(versionOf(lease.reader().get(key(2)), 2)).isEqualTo(1);
    assertThatThrownBy(live::lease).isInstanceOf(ClosedReaderException.class).hasMessage(message);
    assertThatThrownBy(live::refresh).isInstanceOf(ClosedReaderException.class).hasMessage(message);
    lease.close();
    assertThatThrownBy(() -> live.get(key(2)))
        .isInstanceOf(ClosedReaderException.class)
        .hasMessage(message);
  }

  @Test
  void closesTheVersionBeforeThoughTheListenerThrows() throws Exception {
    versions.publishNext();
    TableReader.Listener throwing =
        new TableReader.Listener() {
          @Override
          public void onRefreshed(Manifest manifest) {
            throw new IllegalStateException("thrown by a test");
          }
        };
    try (TableReader live =
        TableReader.builder(table).listener(throwing).refreshEvery(Duration.ZERO).open()) {
      SnapshotReader before = Objects.requireNonNull(live.unleased());
      versions.publishNext();
      assertThatThrownBy(live::refresh).hasMessage("thrown by a test");
      assertThat(versionOf(live.get(key(1)), 1)).isEqualTo(2);
      assertThatThrownBy(() -> before.get(key(1))).isInstanceOf(ClosedReaderException.class);
    }
  }

  @Test
  void theNextRefreshClosesWhatALookupLetGo() throws Exception {
    versions.publishNext();
    Calls calls = new Calls("test", ClosedReaderException::new);
    try (TableReader live =
        TableReader.builder(table).usedBy(calls).refreshEvery(Duration.ZERO).open()) {
      TableReader.Lease lease = live.lease();
      SnapshotReader before = lease.reader();
      versions.publishNext();
      live.refresh();
      Boolean isOpen =
          live.get(
              key(1),
              (key, bytes, offset, length) -> {
                lease.close();
                return before.get(key(2)) != null;
              });
      assertThat(isOpen).isTrue();
      assertThat(live.refresh()).isFalse();
      assertThatThrownBy(() -> before.get(key(1))).isInstanceOf(ClosedReaderException.class);
    }
  }

  @Test
  void answersNothingOnceItIsClosedThoughALeaseHoldsItsVersion() throws Exception {
    versions.publishNext();
    TableReader live = follow(table);
    try (TableReader.Lease lease = live.lease()) {
      live.close();
      assertThatThrownBy(() -> live.get(key(1))).isInstanceOf(ClosedReaderException.class);
      assertThatThrownBy(() -> live.getAll(List.of(key(1))))
          .isInstanceOf(ClosedReaderException.class);
      assertThat(versionOf(lease.reader().get(key(1)), 1)).isEqualTo(1);
    }
  }

  @Test
  void aTableWithoutAVersionHasNoRangesOnceItIsClosed() throws Exception {
    TableReader live = TableReader.builder(table).onMissing(OnMissing.EMPTY).open();
    try (RecordCursor cursor = live.ordered().range(KeyRange.all())) {
      assertThat(cursor.next()).isFalse();
    }
    live.close();
    assertThatThrownBy(() -> live.ordered().range(KeyRange.all()))
        .isInstanceOf(ClosedReaderException.class);
  }
}
