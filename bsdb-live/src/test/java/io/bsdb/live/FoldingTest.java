package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.live.log.LogDirectory;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.storage.TableStorage;
import io.bsdb.testkit.ArabicDigits;
import io.bsdb.testkit.InService;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(ArabicDigits.class)
class FoldingTest {
  private static final int SEGMENT_LENGTH = 1 << 14;

  @TempDir Path directory;

  private Path table() {
    return directory.resolve("table");
  }

  private WritableTable open(WritableOptions options) throws IOException {
    return open(options, LiveTable.PUBLISHED_SEGMENTS);
  }

  private WritableTable open(WritableOptions options, int publishedSegments) throws IOException {
    return LiveTable.open(table(), options, Places.onDisk(SEGMENT_LENGTH, publishedSegments));
  }

  private void buildBase(Map<String, String> model, int partitions) throws IOException {
    for (int i = 0; i < 500; i++) {
      model.put("key" + i, "base" + i);
    }
    Records.of(model).publish(table(), WriterOptions.builder().partitions(partitions).build());
  }

  @Test
  void aNewTableIsLaidOutWithoutPaddingIfItsRecordsAreLong() throws IOException {
    for (int length : new int[] {100, 1_000}) {
      Path path = directory.resolve("table" + length);
      try (WritableTable table = WritableTable.open(path)) {
        for (int i = 0; i < 100; i++) {
          table.put(bytes("key" + i), new byte[length]);
        }
      }
      Table table = Table.at(path);
      assertThat(InService.of(table).options())
          .containsEntry("layout", length == 100 ? "blocked" : "compact");
    }
  }

  /** Such as the positions of a source from which nothing has come yet. */
  @Test
  void aNewTableIsNotLaidOutByAPublicationWithoutChanges() throws IOException {
    try (WritableTable table = open(WritableOptions.defaults())) {
      table.write(new WriteBatch().position("source", "17"));
      table.publish();
    }
    Table table = Table.at(table());
    assertThat(InService.of(table).options()).containsEntry("layout", "blocked");
  }

  private static void assertSame(WritableTable table, Map<String, String> model, String what)
      throws IOException {
    for (int i = 0; i < 700; i++) {
      String key = "key" + i;
      byte[] value = table.get(bytes(key));
      assertThat(value == null ? null : text(value))
          .as("%s %s", what, key)
          .isEqualTo(model.get(key));
    }
  }

  /** Returns what other processes find: nothing until something has been published. */
  private Map<String, String> published() throws IOException {
    if (Table.at(table()).currentVersion() == null) {
      return Map.of();
    }
    try (SnapshotReader reader = SnapshotReader.open(table(), ReaderOptions.defaults())) {
      return Contents.of(reader.scan());
    }
  }

  @Test
  void publishesNothingBeforeTheFirstChange() throws IOException {
    try (WritableTable table = open(WritableOptions.defaults())) {
      table.publish();
      table.compact();
      assertThat(Contents.of(table.cursor())).isEmpty();
      assertThat(Table.at(table()).currentVersion()).isNull();
    }
  }

  @Test
  void agreesWithAMapThroughFoldingPublishingAndReopening() throws IOException {
    long seed = System.nanoTime();
    System.out.println("seed of the changes: " + seed);
    Random random = new Random(seed);
    Map<String, String> model = new HashMap<>();
    if (random.nextBoolean()) {
      buildBase(model, 4);
    }
    String what = "seed " + seed;
    for (int round = 0; round < 3; round++) {
      WritableOptions options =
          WritableOptions.defaults()
              .withDurability(random.nextBoolean() ? Durability.COMMIT : Durability.OS)
              .withMaxChangedKeys(random.nextBoolean() ? 100 : 1_000_000);
      try (WritableTable table = open(options)) {
        assertSame(table, model, what);
        for (int i = 0; i < 120; i++) {
          step(table, model, random, what);
        }
        assertSame(table, model, what);
      }
    }
    assertThat(FileMemory.openCount()).isZero();
  }

  private void step(WritableTable table, Map<String, String> model, Random random, String what)
      throws IOException {
    String key = "key" + random.nextInt(700);
    String value = "v".repeat(random.nextInt(100)) + random.nextInt();
    switch (random.nextInt(75)) {
      case 0 -> {
        assertThat(Contents.of(table.cursor())).as(what).isEqualTo(model);
      }
      case 1 -> {
        table.compact();
        assertThat(table.stats().memory().publishedKeys()).isZero();
        assertSame(table, model, what);
      }
      case 2 -> {
        table.publish();
        assertThat(published()).as(what).isEqualTo(model);
      }
      case 3 -> {
        Path copy = directory.resolve("copy" + random.nextLong());
        table.checkpoint(copy);
        try (WritableTable other = WritableTable.open(copy)) {
          assertThat(Contents.of(other.cursor())).as(what).isEqualTo(model);
        }
      }
      default -> {
        if (random.nextInt(4) == 0) {
          table.write(new WriteBatch().delete(bytes(key)).put(bytes("b" + key), bytes(value)));
          model.remove(key);
          model.put("b" + key, value);
        } else if (random.nextInt(3) == 0) {
          table.delete(bytes(key));
          model.remove(key);
        } else {
          table.put(bytes(key), bytes(value));
          model.put(key, value);
        }
      }
    }
  }

  /** A table's files that cannot be changed any more after so many operations. */
  private static TableStorage stopping(Path root, AtomicInteger left) {
    return CrashingTable.of(
        root,
        (operation, name) -> {
          if (left.getAndDecrement() <= 0) {
            throw new IOException("stopped");
          }
        });
  }

  /** Crashes at each step of publishing and folding: what was written is there, once. */
  @Test
  void losesNothingWhenPublishingOrFoldingStopsAnywhere() throws IOException {
    Map<String, String> model = new HashMap<>();
    buildBase(model, 2);
    AtomicInteger left = new AtomicInteger();
    int steps = 0;
    for (boolean stopped = true; stopped; steps++) {
      left.set(Integer.MAX_VALUE);
      stopped = false;
      WritableTable table =
          LiveTable.open(
              table(),
              WritableOptions.defaults(),
              new LiveTable.Place(
                  LogDirectory::new,
                  root -> stopping(root, left),
                  SEGMENT_LENGTH,
                  LiveTable.PUBLISHED_SEGMENTS));
      assertSame(table, model, "after steps " + steps);
      for (int i = 0; i < 40; i++) {
        String key = "key" + (steps * 17 + i) % 600;
        if (i % 4 == 0) {
          table.delete(bytes(key));
          model.remove(key);
        } else {
          table.put(bytes(key), bytes("step" + steps));
          model.put(key, "step" + steps);
        }
      }
      left.set(steps);
      try {
        table.compact();
      } catch (IOException e) {
        stopped = true;
        assertThat(e).hasMessageContaining("stopped");
      }
      assertSame(table, model, "while stopped after " + steps);
      table.put(bytes("key1"), bytes("last" + steps));
      model.put("key1", "last" + steps);
      left.set(0);
      assertThatThrownBy(table::close).hasMessageContaining("publishing them failed");
      assertThat(published()).isNotEmpty();
    }
    assertThat(steps).isGreaterThan(20);
    try (WritableTable table = open(WritableOptions.defaults())) {
      assertThat(Contents.of(table.cursor())).isEqualTo(model);
      table.compact();
    }
    Set<String> files = InService.of(table()).files();
    Table.ofOwner(Table.at(table()).storage()).prune(1);
    try (Stream<Path> data = Files.list(table().resolve("data"))) {
      assertThat(data.map(file -> "data/" + file.getFileName()).toList()).allMatch(files::contains);
    }
    try (Stream<Path> staging = Files.list(table().resolve("snapshots"))) {
      assertThat(staging.count()).isLessThanOrEqualTo(3);
    }
  }

  @Test
  @Timeout(60)
  void compactionEndsThoughWritersGoOn() throws Exception {
    Map<String, String> model = new HashMap<>();
    buildBase(model, 16);
    try (WritableTable table = open(WritableOptions.defaults().withDurability(Durability.OS), 1)) {
      AtomicBoolean ends = new AtomicBoolean();
      CountDownLatch written = new CountDownLatch(5_000);
      CompletableFuture<Void> writing =
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; !ends.get(); i++) {
                  try {
                    table.put(bytes("key" + i % 500), bytes("value" + i));
                    model.put("key" + i % 500, "value" + i);
                    written.countDown();
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                }
              });
      written.await();
      table.compact();
      ends.set(true);
      writing.get();
      assertSame(table, model, "after a compaction");
    }
  }

  @Test
  void letsGoOfSegmentsWhoseChangesArePublished() throws IOException {
    try (WritableTable table = open(WritableOptions.defaults().withDurability(Durability.OS))) {
      for (int i = 0; i < 2_000; i++) {
        table.put(bytes("key" + i % 300), new byte[200]);
      }
      table.compact();
      assertThat(table.stats().disk().logFiles()).isEqualTo(1);
      assertThat(table.stats().memory().logKeys()).isZero();
    }
    try (Stream<Path> files = Files.list(table().resolve("log"))) {
      assertThat(files.filter(file -> file.toString().endsWith(".log")).count())
          .isLessThanOrEqualTo(2);
    }
    Manifest manifest = InService.of(table());
    assertThat(manifest.recordCount()).isEqualTo(300);
    assertThat(manifest.hasChanges()).isFalse();
  }

  @Test
  void otherReadersFollowPublishedVersions() throws IOException {
    buildBase(new HashMap<>(), 2);
    try (TableReader follower = TableReader.builder(table()).refreshEvery(Duration.ZERO).open();
        WritableTable table = open(WritableOptions.defaults())) {
      table.put(bytes("key1"), bytes("new"));
      table.delete(bytes("key2"));
      assertThat(follower.refresh()).isFalse();
      assertThat(follower.get(bytes("key1"))).isEqualTo(bytes("base1"));
      table.publish();
      assertThat(follower.refresh()).isTrue();
      assertThat(follower.get(bytes("key1"))).isEqualTo(bytes("new"));
      assertThat(follower.get(bytes("key2"))).isNull();
      table.compact();
      assertThat(follower.refresh()).isTrue();
      assertThat(follower.get(bytes("key1"))).isEqualTo(bytes("new"));
      assertThat(follower.get(bytes("key2"))).isNull();
    }
  }

  @Test
  void atTheLimitWritersWaitForFoldsAndFailWhileThosePause() throws IOException {
    buildBase(new HashMap<>(), 2);
    try (WritableTable table = open(WritableOptions.defaults().withMaxChangedKeys(100))) {
      for (int i = 0; i < 1_000; i++) {
        table.put(bytes("key" + i), new byte[50]);
      }
      table.compact();
      table.pauseCompaction();
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 1_000; i++) {
                  table.put(bytes("key" + i), new byte[60]);
                  if (i % 100 == 0) {
                    table.publish();
                  }
                }
              })
          .isInstanceOf(IOException.class)
          .hasMessageContaining("compaction is paused");
      table.resumeCompaction();
      table.put(bytes("key1"), new byte[70]);
      assertThat(table.get(bytes("key1"))).hasSize(70);
    }
  }

  @Test
  void refusesALogThatIsOlderThanItsVersion() throws IOException {
    try (WritableTable table = open(WritableOptions.defaults())) {
      table.put(bytes("a"), bytes("1"));
      table.publish();
      table.put(bytes("a"), bytes("2"));
    }
    try (Stream<Path> files = Files.list(table().resolve("log"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".log")).toList()) {
        Files.delete(file);
      }
    }
    assertThatThrownBy(() -> open(WritableOptions.defaults()))
        .hasMessage(
            "segment of the log is missing: directory=%s expected=the segment after 0000000002.log; restore the table from a copy; readers still open the version in service, which has the changes of the log up to 0000000002.log",
            table().resolve("log"));
    try (SnapshotReader reader = SnapshotReader.open(table())) {
      assertThat(reader.get(bytes("a"))).isEqualTo(bytes("2"));
    }
  }
}
