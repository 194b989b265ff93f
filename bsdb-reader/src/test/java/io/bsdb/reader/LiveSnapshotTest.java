package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Manifest;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.table.Table;
import io.bsdb.writer.Layout;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LiveSnapshotTest {
  private static final int KEYS = 40;
  private static final int SWAPS = Integer.getInteger("bsdb.test.swaps", 200);

  @TempDir Path table;
  private long open;
  private int published;

  @BeforeEach
  void countOpenFiles() {
    open = FileMemory.openCount();
  }

  @AfterEach
  void leavesNothingOpen() {
    assertThat(FileMemory.openCount()).isEqualTo(open);
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  /** Publishes a version in which every value is the version's number and the key's. */
  private Manifest publishNext() throws IOException {
    published++;
    WriterOptions options =
        WriterOptions.builder()
            .layout(published % 2 == 0 ? Layout.COMPACT : Layout.COMPRESSED)
            .partitions(1 + published % 2)
            .build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      for (int i = 0; i < KEYS; i++) {
        writer.add(key(i), ByteBuffer.allocate(8).putInt(published).putInt(i).array());
      }
      return writer.publish();
    }
  }

  private static int versionOf(byte[] value, int key) {
    ByteBuffer buffer = ByteBuffer.wrap(value);
    int version = buffer.getInt();
    assertThat(buffer.getInt()).isEqualTo(key);
    return version;
  }

  private static LiveSnapshot follow(Path table) throws IOException {
    return LiveSnapshot.follow(table, ReaderOptions.defaults());
  }

  @Test
  void staysWithItsVersionUntilRefreshed() throws Exception {
    Manifest first = publishNext();
    try (LiveSnapshot live = follow(table)) {
      Manifest second = publishNext();
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

  @Test
  void followsARollback() throws Exception {
    Manifest first = publishNext();
    publishNext();
    try (LiveSnapshot live = follow(table)) {
      Table.at(table).rollback(first.version());
      assertThat(live.refresh()).isTrue();
      assertThat(versionOf(live.get(key(0)), 0)).isEqualTo(1);
    }
  }

  /** How a thread reads while versions change. */
  private enum Reading {
    ONE_BY_ONE,
    LEASE,
    FUTURES
  }

  @ParameterizedTest
  @EnumSource(
      value = Access.class,
      names = {"MAPPED", "IO_URING"})
  void changesVersionsUnderLoadWithoutAFailedOrMixedAnswer(Access access) throws Exception {
    publishNext();
    long descriptors = descriptors();
    List<Reading> readings =
        List.of(Reading.ONE_BY_ONE, Reading.LEASE, Reading.FUTURES, Reading.FUTURES);
    AtomicInteger named = new AtomicInteger();
    ExecutorService executor =
        Executors.newFixedThreadPool(
            readings.size(), task -> new Thread(task, "test-" + named.incrementAndGet()));
    try (LiveSnapshot live =
        LiveSnapshot.follow(table, ReaderOptions.builder().access(access).build())) {
      AtomicBoolean done = new AtomicBoolean();
      CountDownLatch started = new CountDownLatch(readings.size());
      List<Future<Integer>> readers = new ArrayList<>();
      for (Reading reading : readings) {
        readers.add(executor.submit(() -> read(live, reading, done, started)));
      }
      started.await();
      swapOften(live);
      int last = versionOf(live.get(key(0)), 0);
      done.set(true);
      for (Future<Integer> reader : readers) {
        assertThat(reader.get()).isEqualTo(last);
      }
      assertThat(live.failedRefreshes()).isZero();
    } finally {
      executor.shutdownNow();
    }
    assertThat(descriptors()).isEqualTo(descriptors);
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.isAlive() && thread.getName().startsWith("bsdb-uring"));
  }

  /** Open descriptors of this process that have to do with the table or a ring. */
  private long descriptors() throws IOException {
    long count = 0;
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      for (Path descriptor : (Iterable<Path>) open::iterator) {
        String target = target(descriptor);
        count +=
            target.startsWith(table.toString())
                    || target.contains("[io_uring]")
                    || target.contains("[eventfd]")
                ? 1
                : 0;
      }
    }
    return count;
  }

  private static String target(Path descriptor) throws IOException {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (NoSuchFileException closedMeanwhile) {
      return "";
    }
  }

  /** Every fifth time to a version that is new. */
  private void swapOften(LiveSnapshot live) throws IOException {
    Table files = Table.at(table);
    for (int i = 0; i < SWAPS; i++) {
      if (i % 5 == 0) {
        publishNext();
        files.prune(3);
      } else {
        List<String> others = new ArrayList<>(files.versions());
        others.remove(live.version());
        files.rollback(others.get(i % others.size()));
      }
      assertThat(live.refresh()).isTrue();
      assertThat(live.version()).isEqualTo(files.currentVersion());
    }
  }

  /** Returns the last version seen. A lease never mixes versions. */
  private static int read(
      LiveSnapshot live, Reading reading, AtomicBoolean done, CountDownLatch started)
      throws IOException {
    int seen = 0;
    for (boolean last = false; !last; ) {
      last = done.get();
      if (reading == Reading.ONE_BY_ONE) {
        seen = versionOf(live.get(key(7)), 7);
      } else {
        try (LiveSnapshot.Lease lease = live.lease()) {
          seen = versionOf(lease.reader().get(key(0)), 0);
          List<byte[]> values = valuesOfAll(lease.reader(), reading);
          for (int i = 0; i < KEYS; i++) {
            assertThat(versionOf(values.get(i), i)).isEqualTo(seen);
          }
        }
      }
      started.countDown();
    }
    return seen;
  }

  private static List<byte[]> valuesOfAll(SnapshotReader reader, Reading reading)
      throws IOException {
    List<byte[]> values = new ArrayList<>();
    if (reading == Reading.LEASE) {
      for (int i = 0; i < KEYS; i++) {
        values.add(reader.get(key(i)));
      }
      return values;
    }
    List<CompletableFuture<byte[]>> futures = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      futures.add(reader.async().get(key(i)));
    }
    futures.forEach(future -> values.add(future.join()));
    return values;
  }

  @Test
  void aLeaseKeepsItsVersionOpen() throws Exception {
    Manifest first = publishNext();
    try (LiveSnapshot live = follow(table)) {
      LiveSnapshot.Lease lease = live.lease();
      assertThat(lease.isCurrent()).isTrue();
      publishNext();
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

  /** Hears what a live snapshot tells. */
  private static final class Heard implements LiveSnapshot.Listener {
    final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    @Override
    public void onRefreshed(Manifest manifest) {
      events.add("refreshed " + manifest.version());
    }

    @Override
    public void onRefreshFailed(String version, Exception cause) {
      events.add("failed " + version + " " + cause.getClass().getSimpleName());
    }
  }

  private void damage(Manifest manifest) throws IOException {
    Path file =
        table
            .resolve("snapshots")
            .resolve(manifest.version())
            .resolve(manifest.partitions().get(0).name());
    byte[] bytes = Files.readAllBytes(file);
    bytes[20] ^= 1;
    Files.write(file, bytes);
  }

  @Test
  void refusesADamagedVersionAndKeepsTheOldOne() throws Exception {
    publishNext();
    Heard heard = new Heard();
    try (LiveSnapshot live = LiveSnapshot.builder(table).listener(heard).open()) {
      Manifest second = publishNext();
      damage(second);
      assertThatThrownBy(live::refresh)
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessageContaining(second.version());
      assertThat(live.failedRefreshes()).isEqualTo(1);
      assertThat(heard.events)
          .containsExactly("failed " + second.version() + " CorruptSnapshotException");
      assertThat(versionOf(live.get(key(1)), 1)).isEqualTo(1);
      Files.writeString(table.resolve("CURRENT"), "nonsense\n");
      assertThatThrownBy(live::refresh).isInstanceOf(CorruptSnapshotException.class);
      assertThat(heard.events).contains("failed null CorruptSnapshotException");
      assertThat(live.failedRefreshes()).isEqualTo(2);
      Table.at(table).rollback(second.version());
      Manifest third = publishNext();
      assertThat(live.refresh()).isTrue();
      assertThat(heard.events).last().isEqualTo("refreshed " + third.version());
      assertThat(versionOf(live.get(key(1)), 1)).isEqualTo(3);
    }
  }

  @Test
  void inTheBackgroundADamagedVersionIsTriedOnce() throws Exception {
    publishNext();
    Heard heard = new Heard();
    try (LiveSnapshot live = LiveSnapshot.builder(table).listener(heard).open()) {
      Manifest second = publishNext();
      damage(second);
      for (int i = 0; i < 5; i++) {
        live.refreshInBackground();
      }
      assertThat(live.failedRefreshes()).isEqualTo(1);
      assertThat(heard.events).hasSize(1);
      Manifest third = publishNext();
      live.refreshInBackground();
      assertThat(live.version()).isEqualTo(third.version());
      Table.at(table).rollback(second.version());
      live.refreshInBackground();
      assertThat(live.failedRefreshes()).isEqualTo(2);
    }
  }

  @Test
  void refreshesByItself() throws Exception {
    publishNext();
    Heard heard = new Heard();
    try (LiveSnapshot live =
        LiveSnapshot.builder(table).listener(heard).refreshEvery(Duration.ofMillis(2)).open()) {
      for (int i = 0; i < 3; i++) {
        Manifest next = publishNext();
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
      Manifest next = publishNext();
      String event = heard.events.poll(60, TimeUnit.SECONDS);
      while (event.startsWith("failed null")) {
        event = heard.events.poll(60, TimeUnit.SECONDS);
      }
      assertThat(event).isEqualTo("refreshed " + next.version());
    }
  }

  @Test
  void aPinnedVersionStays() throws Exception {
    Manifest first = publishNext();
    publishNext();
    try (LiveSnapshot live =
        LiveSnapshot.builder(table)
            .pin(first.version())
            .refreshEvery(Duration.ofMillis(1))
            .open()) {
      assertThat(live.refresh()).isFalse();
      assertThat(live.version()).isEqualTo(first.version());
      assertThat(versionOf(live.get(key(2)), 2)).isEqualTo(1);
    }
  }

  @Test
  void afterCloseNothingIsAnswered() throws Exception {
    publishNext();
    LiveSnapshot live = follow(table);
    LiveSnapshot.Lease lease = live.lease();
    live.close();
    live.close();
    String message = "live snapshot of " + table + " is closed";
    assertThat(versionOf(lease.reader().get(key(2)), 2)).isEqualTo(1);
    assertThatThrownBy(live::lease).isInstanceOf(ClosedReaderException.class).hasMessage(message);
    assertThatThrownBy(live::refresh).isInstanceOf(ClosedReaderException.class).hasMessage(message);
    lease.close();
    assertThatThrownBy(() -> live.get(key(2)))
        .isInstanceOf(ClosedReaderException.class)
        .hasMessage(message);
  }

  @Test
  void saysWhatIsMissing() throws Exception {
    Path absent = table.resolve("absent");
    assertThatThrownBy(() -> follow(absent))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessage(absent + ": no such table directory; check the path, or build the table first");
    assertThatThrownBy(() -> follow(table))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("no snapshot has been published here");
    publishNext();
    assertThatThrownBy(() -> LiveSnapshot.builder(table).pin("0000000009-00000000").open())
        .isInstanceOf(NoSuchFileException.class)
        .hasMessage(table + ": there is no version 0000000009-00000000");
  }

  @Test
  void waitsForTheFirstVersion() throws Exception {
    CompletableFuture<LiveSnapshot> opening =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return LiveSnapshot.builder(table)
                    .initialLoad(InitialLoad.WAIT)
                    .refreshEvery(Duration.ofMillis(2))
                    .open();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    Manifest first = publishNext();
    try (LiveSnapshot live = opening.get(60, TimeUnit.SECONDS)) {
      assertThat(live.version()).isEqualTo(first.version());
    }
  }

  @Test
  void waitingForTheFirstVersionEndsWithAnInterrupt() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> LiveSnapshot.builder(table).initialLoad(InitialLoad.WAIT).open())
        .isInstanceOf(InterruptedIOException.class)
        .hasMessageContaining(table.toString());
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void beginsEmptyIfItMay() throws Exception {
    try (LiveSnapshot live = LiveSnapshot.builder(table).initialLoad(InitialLoad.EMPTY).open()) {
      assertThat(live.refresh()).isFalse();
      assertThat(live.get(key(1))).isNull();
      try (LiveSnapshot.Lease lease = live.lease()) {
        assertThat(lease.reader().get(key(1), ByteBuffer.allocate(9)))
            .isEqualTo(SnapshotReader.NOT_FOUND);
        assertThat(lease.reader().getAll(List.of(key(1), key(2)))).containsExactly(null, null);
        assertThat(lease.reader().async().get(key(1)).join()).isNull();
        assertThat(lease.reader().async().getAll(List.of(key(1))).join()).containsOnlyNulls();
        assertThat(lease.reader().scan().next()).isFalse();
        assertThat(lease.reader().metrics().misses()).isEqualTo(6);
        assertThat(live.manifest().recordCount()).isZero();
        Manifest first = publishNext();
        assertThat(live.refresh()).isTrue();
        assertThat(live.version()).isEqualTo(first.version());
        assertThat(versionOf(live.get(key(1)), 1)).isEqualTo(1);
        assertThat(lease.reader().get(key(1))).isNull();
      }
    }
  }

  @Test
  void beginsEmptyWithoutThePinnedVersionAndStaysWithItThen() throws Exception {
    Manifest first = publishNext();
    Path directory = table.resolve("snapshots").resolve(first.version());
    Path away = Files.move(directory, table.resolve("away"));
    try (LiveSnapshot live =
        LiveSnapshot.builder(table).pin(first.version()).initialLoad(InitialLoad.EMPTY).open()) {
      assertThat(live.isEmpty()).isTrue();
      publishNext();
      assertThat(live.refresh()).isFalse();
      Files.move(away, directory);
      assertThat(live.refresh()).isTrue();
      assertThat(live.isEmpty()).isFalse();
      assertThat(live.version()).isEqualTo(first.version());
      assertThat(live.refresh()).isFalse();
    }
  }

  @Test
  void anErrorDoesNotEndTheRefreshes() throws Exception {
    publishNext();
    AtomicBoolean broken = new AtomicBoolean();
    try (LiveSnapshot live =
        LiveSnapshot.builder(table)
            .check(
                manifest -> {
                  if (broken.get()) {
                    throw new StackOverflowError("thrown by a test");
                  }
                })
            .open()) {
      publishNext();
      broken.set(true);
      live.refreshInBackground();
      assertThat(versionOf(live.get(key(0)), 0)).isEqualTo(1);
      broken.set(false);
      live.refreshInBackground();
      assertThat(versionOf(live.get(key(0)), 0)).isEqualTo(2);
    }
  }

  /** Or closing would take as long as a copy of a large version. */
  @Test
  void closingInterruptsARefresh() throws Exception {
    publishNext();
    Heard heard = new Heard();
    CountDownLatch checking = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    LiveSnapshot live =
        LiveSnapshot.builder(table)
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
    publishNext();
    assertThat(checking.await(60, TimeUnit.SECONDS)).isTrue();
    live.close();
    assertThat(interrupted.getCount()).isZero();
    assertThat(heard.events).isEmpty();
    assertThat(live.failedRefreshes()).isZero();
  }

  @Test
  void aVersionThatTheCheckRefusesIsNotUsedAndNotTriedAgain() throws Exception {
    publishNext();
    List<String> checked = new ArrayList<>();
    String first = Table.at(table).requireCurrentVersion();
    Heard heard = new Heard();
    try (LiveSnapshot live =
        LiveSnapshot.builder(table)
            .listener(heard)
            .check(
                manifest -> {
                  checked.add(manifest.version());
                  if (checked.size() == 2) {
                    throw new IOException("not this one");
                  }
                })
            .open()) {
      Manifest second = publishNext();
      assertThatThrownBy(live::refresh).hasMessage("not this one");
      live.refreshInBackground();
      assertThat(checked).containsExactly(first, second.version());
      assertThat(live.version()).isEqualTo(first);
      Manifest third = publishNext();
      live.refreshInBackground();
      assertThat(live.version()).isEqualTo(third.version());
      assertThat(live.failedRefreshes()).isEqualTo(1);
    }
    assertThatThrownBy(
            () ->
                LiveSnapshot.builder(table)
                    .check(
                        manifest -> {
                          throw new IOException("none at all");
                        })
                    .open())
        .hasMessage("none at all");
  }
}
