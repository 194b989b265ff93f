package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.live.log.LogDirectory;
import io.bsdb.live.log.LogPart;
import io.bsdb.live.log.Owner;
import io.bsdb.live.log.SegmentSupply;
import io.bsdb.reader.ClosedReaderException;
import io.bsdb.reader.KeyLookup;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.storage.DirectoryTree;
import io.bsdb.testkit.Records;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class WritableTableTest {
  private static final int SEGMENT_LENGTH = 1 << 16;

  @TempDir Path directory;

  private WritableTable open(Durability durability) throws IOException {
    return LiveTable.open(
        directory,
        WritableOptions.defaults().withDurability(durability),
        Places.onDisk(SEGMENT_LENGTH, LiveTable.PUBLISHED_SEGMENTS));
  }

  private void buildBase(Map<String, String> model) throws IOException {
    for (int i = 0; i < 500; i++) {
      model.put("key" + i, "base" + i);
    }
    Records.of(model).publish(directory, WriterOptions.defaults());
  }

  /** If a thread cannot be started, that fails the open, and no write. */
  @Test
  void hasStartedAllItsThreadsWhenItIsOpen() throws IOException {
    try (WritableTable table = WritableTable.open(directory)) {
      assertThat(Thread.getAllStackTraces().keySet().stream().map(Thread::getName))
          .contains("bsdb-log", "bsdb-reclaim", "bsdb-mark")
          .contains("bsdb-publish", "bsdb-fold", "bsdb-prune");
      assertThat(table.stats().upkeep().failure()).isNull();
    }
  }

  @Test
  void leavesATableInKeyOrderToOthers() throws IOException {
    WriterOptions ordered = WriterOptions.builder().order(RecordOrder.KEY).build();
    Records.of("a", "1").publish(directory, ordered);
    assertThatThrownBy(() -> open(Durability.COMMIT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a table in key order cannot be opened as a writable table");
    Records.of("b", "2").change(Table.at(directory));
  }

  /** Follows the message. */
  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void saysHowToGoOnWithATableThatNobodyOwnsAnyMore(RecordOrder order) throws IOException {
    WriterOptions options = WriterOptions.builder().order(order).build();
    Records.of("a", "1").publish(directory, options);
    Owner.acquire(directory).close();
    try (DeltaWriter delta = DeltaWriter.create(Table.at(directory))) {
      delta.put(bytes("b"), bytes("2"));
      assertThatThrownBy(delta::publish)
          .isInstanceOf(PublishConflictException.class)
          .hasMessageContaining("file=" + directory.resolve("log/OWNER"))
          .hasMessageContaining("'bsdb log verify'")
          .hasMessageEndingWith("delete the directory " + directory.resolve("log"));
    }
    LogReport report = LogReport.read(directory);
    assertThat(report.damage()).isNull();
    assertThat(report.segments()).isEmpty();
    DirectoryTree.delete(directory.resolve("log"));
    Records.of("b", "2").change(Table.at(directory));
  }

  @Test
  void opensAgainAfterFoldingChangesOfOthersAlone() throws IOException {
    buildBase(new HashMap<>());
    Records.of("key1", "delta").change(Table.at(directory));
    try (WritableTable table = open(Durability.COMMIT)) {
      table.compact();
    }
    try (WritableTable table = open(Durability.COMMIT)) {
      assertThat(table.get(bytes("key1"))).isEqualTo(bytes("delta"));
      assertThat(table.stats().disk().changeBytes()).isZero();
    }
  }

  private List<Long> lengthsOfTheLog() throws IOException {
    List<Long> lengths = new ArrayList<>();
    LogDirectory log = new LogDirectory(directory.resolve("log"));
    for (String name : log.list()) {
      if (name.endsWith(LogPart.SUFFIX)) {
        lengths.add(log.length(name));
      }
    }
    return lengths;
  }

  @Test
  void setsAsideSpaceInProportionToWhatIsWritten() throws IOException {
    WritableOptions options = WritableOptions.defaults().withDurability(Durability.OS);
    try (WritableTable table = WritableTable.open(directory, options)) {
      table.put(bytes("key"), bytes("value"));
    }
    assertThat(lengthsOfTheLog()).containsOnly((long) SegmentSupply.MIN_LENGTH).hasSizeLessThan(3);
    try (WritableTable table = WritableTable.open(directory, options)) {
      for (int i = 0; i < 12; i++) {
        table.put(bytes("key" + i), new byte[SegmentSupply.MIN_LENGTH / 2]);
      }
    }
    assertThat(lengthsOfTheLog()).anyMatch(length -> length > 2 * SegmentSupply.MIN_LENGTH);
    try (WritableTable table = WritableTable.open(directory, options)) {
      table.publish();
      table.put(bytes("key"), bytes("value"));
      table.publish();
      table.put(bytes("key"), bytes("other"));
      table.publish();
      table.publish();
    }
    try (WritableTable table = WritableTable.open(directory, options)) {
      assertThat(table.get(bytes("key11"))).hasSize(SegmentSupply.MIN_LENGTH / 2);
    }
    assertThat(lengthsOfTheLog()).contains((long) SegmentSupply.MIN_LENGTH).hasSizeLessThan(3);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void agreesWithAMapThroughReopening(boolean overBase) throws IOException {
    long seed = System.nanoTime();
    System.out.println("seed of the changes: " + seed);
    Random random = new Random(seed);
    Map<String, String> model = new HashMap<>();
    if (overBase) {
      buildBase(model);
    }
    for (int round = 0; round < 4; round++) {
      try (WritableTable table = open(random.nextBoolean() ? Durability.COMMIT : Durability.OS)) {
        assertSame(table, model, seed);
        for (int i = 0; i < 1_000; i++) {
          change(table, model, random);
        }
        assertSame(table, model, seed);
      }
    }
    assertThat(FileMemory.openCount()).isZero();
  }

  private static void change(WritableTable table, Map<String, String> model, Random random)
      throws IOException {
    String key = "key" + random.nextInt(3_000);
    String value = "v".repeat(random.nextInt(50)) + random.nextInt();
    switch (random.nextInt(4)) {
      case 0 -> {
        table.delete(bytes(key));
        model.remove(key);
      }
      case 1 -> {
        table.write(new WriteBatch().delete(bytes(key)).put(bytes("batch" + key), bytes(value)));
        model.remove(key);
        model.put("batch" + key, value);
      }
      default -> {
        table.put(bytes(key), bytes(value));
        model.put(key, value);
      }
    }
  }

  private static void assertSame(WritableTable table, Map<String, String> model, long seed)
      throws IOException {
    List<byte[]> keys = new ArrayList<>();
    List<byte[]> expected = new ArrayList<>();
    ByteBuffer target = ByteBuffer.allocate(200);
    for (int i = 0; i < 3_100; i++) {
      for (String key : List.of("key" + i, "batchkey" + i)) {
        String value = model.get(key);
        byte[] expectedValue = value == null ? null : bytes(value);
        byte[] found = table.get(bytes(key));
        if (!Arrays.equals(found, expectedValue)) { // thousands of assertions are slow
          assertThat(found).as("seed %d %s", seed, key).isEqualTo(expectedValue);
        }
        int length = table.get(bytes(key), target.clear());
        assertThat(length)
            .isEqualTo(expectedValue == null ? KeyLookup.NOT_FOUND : expectedValue.length);
        keys.add(bytes(key));
        expected.add(expectedValue);
      }
    }
    assertThat(Arrays.deepEquals(table.getAll(keys).toArray(), expected.toArray())).isTrue();
  }

  private static long count(WritableTable table) throws IOException {
    long records = 0;
    try (RecordCursor cursor = table.cursor()) {
      while (cursor.next()) {
        records++;
      }
    }
    return records;
  }

  @Test
  void showsWhatTakesSpace() throws IOException {
    try (WritableTable table = open(Durability.OS)) {
      long indexOfNothing = table.stats().memory().indexBytes();
      for (int i = 0; i < 100; i++) {
        table.put(bytes("key" + i), new byte[100]);
      }
      WritableStats.Disk logged = table.stats().disk();
      assertThat(logged.logBytes()).isGreaterThan(10_000);
      assertThat(logged.totalBytes()).isGreaterThanOrEqualTo(logged.logBytes());
      assertThat(logged.changeBytes() + logged.partitionBytes()).isZero();
      table.publish();
      assertThat(table.stats().disk().changeBytes()).isBetween(10_000L, 20_000L);
      assertThat(table.stats().memory().indexBytes()).isGreaterThan(indexOfNothing + 100 * 8);
      table.compact();
      assertThat(table.stats().memory().indexBytes()).isEqualTo(indexOfNothing);
      WritableStats.Disk folded = table.stats().disk();
      assertThat(folded.changeBytes()).isZero();
      assertThat(folded.partitionBytes()).isGreaterThan(10_000);
      assertThat(folded.totalBytes()).isGreaterThan(folded.partitionBytes());
    }
    Path files = Files.createDirectory(directory.resolve("files"));
    Path file = Files.write(files.resolve("a"), new byte[10]);
    Files.createLink(files.resolve("b"), file);
    Files.write(Files.createDirectory(files.resolve("c")).resolve("d"), new byte[5]);
    assertThat(DirectoryTree.length(files)).isEqualTo(15);
  }

  @Test
  void manyThreadsWriteAndRead() throws Exception {
    int threads = 16;
    int each = 400;
    try (WritableTable table = open(Durability.COMMIT)) {
      ExecutorService pool = Executors.newFixedThreadPool(threads);
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        int thread = t;
        running.add(
            pool.submit(
                () -> {
                  for (int i = 0; i < each; i++) {
                    byte[] key = bytes("key" + thread + "-" + i);
                    if (i % 50 == 0) {
                      Thread.currentThread().interrupt();
                    }
                    table.put(key, bytes("value" + i));
                    Thread.interrupted();
                    assertThat(table.get(key)).isEqualTo(bytes("value" + i));
                  }
                  return null;
                }));
      }
      for (Future<?> future : running) {
        future.get();
      }
      pool.shutdown();
      assertThat(table.stats().writes().changes()).isEqualTo((long) threads * each);
      assertThat(count(table)).isEqualTo((long) threads * each);
    }
    try (WritableTable table = open(Durability.COMMIT)) {
      assertThat(count(table)).isEqualTo((long) threads * each);
    }
  }

  @Test
  void takesRecordsLongerThanASegment() throws IOException {
    byte[] value = new byte[3 * SEGMENT_LENGTH];
    Arrays.fill(value, (byte) 7);
    try (WritableTable table = open(Durability.OS)) {
      table.put(bytes("a"), bytes("1"));
      Thread.currentThread().interrupt(); // which is not for the log
      table.put(bytes("long"), value);
      assertThat(Thread.interrupted()).isTrue();
      table.put(bytes("b"), bytes("2"));
    }
    try (WritableTable table = open(Durability.OS)) {
      assertThat(table.get(bytes("long"))).isEqualTo(value);
      assertThat(table.get(bytes("a"))).isEqualTo(bytes("1"));
      assertThat(table.get(bytes("b"))).isEqualTo(bytes("2"));
    }
  }

  @Test
  void isReleasedWhateverItsLastPublicationThrows() throws IOException {
    AtomicBoolean fails = new AtomicBoolean();
    WritableTable table =
        LiveTable.open(
            directory,
            WritableOptions.defaults(),
            new LiveTable.Place(
                LogDirectory::new,
                place ->
                    CrashingTable.of(
                        place,
                        (operation, name) -> {
                          if (fails.get()) {
                            throw new IllegalStateException("changes would get lost");
                          }
                        }),
                SEGMENT_LENGTH,
                LiveTable.PUBLISHED_SEGMENTS));
    table.put(bytes("a"), bytes("1"));
    fails.set(true);
    assertThatThrownBy(table::close)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("its changes are durable in its log")
        .hasMessageContaining("changes would get lost");
    assertThat(FileMemory.openCount()).isZero();
    try (WritableTable again = open(Durability.COMMIT)) {
      assertThat(again.get(bytes("a"))).isEqualTo(bytes("1"));
    }
  }

  @Test
  void isPublishedByAnInterruptedThreadThatClosesIt() throws IOException {
    WritableTable table = open(Durability.OS);
    table.put(bytes("a"), bytes("1"));
    Thread.currentThread().interrupt();
    table.close();
    assertThat(Thread.interrupted()).isTrue();
    try (WritableTable again = open(Durability.OS)) {
      assertThat(again.stats().memory().logKeys()).as("nothing is replayed").isZero();
      assertThat(again.get(bytes("a"))).isEqualTo(bytes("1"));
    }
  }

  @Test
  void needsAllKeys() {
    ReaderOptions half = ReaderOptions.builder().share(new KeyShare(0, 2)).build();
    assertThatThrownBy(() -> WritableOptions.defaults().withReader(half))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("actual=0 of 2");
  }

  /** Else there would be nothing to publish, again and again. */
  @Test
  void aFileOfTheLogOfWhichACrashLeftNothingIsNotDue() throws IOException {
    try (WritableTable table = open(Durability.COMMIT)) {
      table.put(bytes("a"), bytes("1"));
    }
    open(Durability.COMMIT).close(); // which records how far the log is durable
    Path last = directory.resolve("log/0000000002.log");
    byte[] file = Files.readAllBytes(last);
    file[1000] = 1;
    Files.write(last, file);
    LiveTable.Place place = Places.onDisk(SEGMENT_LENGTH, 1);
    try (WritableTable table = LiveTable.open(directory, WritableOptions.defaults(), place)) {
      assertThat(table.stats().disk().logFiles()).isEqualTo(2);
      assertThat(table.stats().upkeep().load()).isLessThan(0.5);
    }
  }

  @Test
  void hasOneWriterAndTakesNoOtherVersions() throws IOException {
    buildBase(new HashMap<>());
    try (WritableTable table = open(Durability.COMMIT)) {
      assertThatThrownBy(() -> open(Durability.COMMIT))
          .hasMessageContaining("open for writing in this process");
      table.put(bytes("key1"), bytes("changed"));
      assertThatThrownBy(
              () -> {
                Records.of("key1", "x").change(Table.at(directory));
              })
          .isInstanceOf(PublishConflictException.class)
          .hasMessageContaining("writable table");
    }
    assertThatThrownBy(() -> buildBase(new HashMap<>()))
        .isInstanceOf(PublishConflictException.class)
        .hasMessageContaining("a writable table cannot be published into")
        .as("its stream is not one of a job, to be ended")
        .hasMessageNotContaining("end-stream");
    try (WritableTable table = open(Durability.COMMIT)) {
      assertThat(table.get(bytes("key1"))).isEqualTo(bytes("changed"));
      table.close();
      assertThatThrownBy(() -> table.get(bytes("key1"))).isInstanceOf(ClosedReaderException.class);
      assertThatThrownBy(() -> table.put(bytes("key1"), bytes("x"))).hasMessageContaining("closed");
    }
  }
}
