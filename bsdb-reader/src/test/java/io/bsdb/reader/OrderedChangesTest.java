package io.bsdb.reader;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.bsdb.compact.Compactor;
import io.bsdb.compact.StreamUpkeep;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.reader.diff.SnapshotDiff;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.FileParts;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables in key order that change row by row, against a {@link TreeMap}. */
class OrderedChangesTest {
  @TempDir Path directory;

  private final NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
  private long openBefore;

  @BeforeEach
  void countOpenFiles() {
    openBefore = FileMemory.openCount();
  }

  @AfterEach
  void nothingLeaks() {
    assertThat(FileMemory.openCount()).isEqualTo(openBefore);
  }

  private static byte[] key(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  private Manifest build(WriterOptions.Builder options) throws IOException {
    try (SnapshotWriter writer =
        SnapshotWriter.create(directory, options.order(RecordOrder.KEY).minRows(0).build())) {
      for (Map.Entry<byte[], byte[]> record : model.entrySet()) {
        writer.add(record.getKey(), record.getValue());
      }
      return writer.publish();
    }
  }

  /** Publishes changes, which may be nulls for deletes, and makes them to the model. */
  private Manifest change(Map<byte[], byte[]> puts, List<byte[]> deletes) throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      for (Map.Entry<byte[], byte[]> put : puts.entrySet()) {
        writer.put(put.getKey(), put.getValue());
      }
      for (byte[] key : deletes) {
        writer.delete(key);
      }
      model.putAll(puts);
      deletes.forEach(model::remove);
      return writer.publish();
    }
  }

  private void check(Access access, int questions) throws Exception {
    ReaderOptions options = ReaderOptions.builder().access(access).build();
    try (SnapshotReader reader = SnapshotReader.open(directory, options)) {
      check(reader, questions);
    }
  }

  private void check(SnapshotReader reader, int questions) throws Exception {
    OrderedReaderTest.check(reader, model, questions);
    Overlay changes = reader.changes();
    if (changes != null) {
      assertThat(changes.sorted()).isNotNull();
      assertThat(changes.sorted().size()).isEqualTo(changes.changedKeys());
    }
    List<byte[]> keys = new ArrayList<>();
    Partitioning partitioning = reader.manifest().partitioning();
    for (int partition = 0; partition < reader.partitionCount(); partition++) {
      try (RecordCursor cursor = reader.scan(partition)) {
        while (cursor.next()) {
          if (partitioning.partition(cursor.key()) != partition) { // assertions are slow
            fail("partition %d has a key of another one", partition);
          }
          keys.add(cursor.key());
        }
      }
    }
    assertThat(keys).containsExactlyElementsOf(model.keySet());
  }

  /** Returns numbers as keys. */
  private static List<byte[]> keys(long from, long end, long step) {
    return LongStream.iterate(from, i -> i < end, i -> i + step)
        .mapToObj(OrderedChangesTest::key)
        .toList();
  }

  @ParameterizedTest
  @CsvSource({"MAPPED, BLOCKED", "DIRECT, BLOCKED", "IO_URING, COMPRESSED"})
  void skipsLongRunsOfDeletedRecords(Access access, Layout layout) throws Exception {
    for (long i = 0; i < 12_000; i++) {
      byte[] value = new byte[100];
      value[0] = (byte) i;
      model.put(key(2 * i), value);
    }
    build(WriterOptions.builder().layout(layout).partitions(3));
    ReaderOptions options = ReaderOptions.builder().access(access).build();
    List<byte[]> deletes = new ArrayList<>(keys(2_000, 9_000, 2));
    deletes.addAll(keys(3_001, 4_001, 2)); // absent
    deletes.addAll(keys(9_000, 12_000, 4)); // every other one
    deletes.addAll(keys(12_000, 20_000, 2));
    change(Map.of(), deletes);
    try (TableReader table =
        TableReader.builder(directory).options(options).refreshEvery(Duration.ZERO).open()) {
      check(access, 50);
      requireFewReads(table, 19_999, 11_998);
      requireFewReads(table, 2_001, 1_998);
      change(Map.of(key(5_000), new byte[1], key(5_001), new byte[2]), keys(20_000, 24_000, 2));
      table.refresh();
      try (TableReader.Lease lease = table.lease()) {
        OrderedReaderTest.check(lease.reader(), model, 50);
      }
      requireFewReads(table, 24_000, 11_998);
      requireFewReads(table, 4_999, 1_998);
      requireFewReads(table, 8_999, 5_001);
    }
    check(access, 50);
  }

  /** Looks for a floor, also as the first record of a range, without a walk over all between. */
  private void requireFewReads(TableReader table, long key, long floor) throws Exception {
    try (TableReader.Lease lease = table.lease()) {
      SnapshotReader reader = lease.reader();
      long before = reader.metrics().blockReads();
      assertThat(reader.ordered().floor(key(key)).key()).isEqualTo(key(floor));
      assertThat(reader.ordered().ceiling(key(floor)).key()).isEqualTo(key(floor));
      assertThat(reader.ordered().higher(key(floor)))
          .satisfies(
              next -> {
                byte[] higher = model.higherKey(key(floor));
                assertThat(next == null ? null : next.key()).isEqualTo(higher);
              });
      KeyRange down = KeyRange.all().through(key(key)).reversed();
      assertThat(reader.async().ordered().range(down, 1).join().get(0).key()).isEqualTo(key(floor));
      assertThat(reader.metrics().blockReads() - before).isLessThan(30);
      try (RecordCursor cursor = reader.ordered().range(down)) {
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.key()).isEqualTo(key(floor));
      }
      assertThat(reader.metrics().blockReads() - before).as("with a cursor").isLessThan(60);
    }
  }

  /** The others can be read. */
  @ParameterizedTest
  @EnumSource(
      value = Access.class,
      names = {"MAPPED", "DIRECT"})
  void opensThoughBlocksAreDamagedInWhichLongRunsAreDeleted(Access access) throws Exception {
    for (long i = 0; i < 9_000; i++) {
      model.put(key(i), new byte[100]);
    }
    Manifest built = build(WriterOptions.builder().partitions(2));
    Path file =
        directory
            .resolve("snapshots")
            .resolve(built.version())
            .resolve(built.partitions().get(0).name());
    change(Map.of(), keys(100, 3_000, 1));
    Section blocks = FileParts.of(file).section(SectionKind.BLOCKS);
    byte[] bytes = Files.readAllBytes(file);
    for (long i = blocks.offset() + 4_000; i < blocks.offset() + blocks.length(); i += 4_096) {
      bytes[(int) i] ^= 1;
    }
    Files.write(file, bytes);
    ReaderOptions options = ReaderOptions.builder().access(access).build();
    try (SnapshotReader reader = SnapshotReader.open(directory, options)) {
      OrderedReader ordered = reader.ordered();
      assertThat(ordered.floor(key(8_999)).key()).isEqualTo(key(8_999));
      assertThatThrownBy(() -> ordered.floor(key(2_000)))
          .isInstanceOf(CorruptSnapshotException.class);
      assertThatThrownBy(() -> ordered.ceiling(key(2_000)))
          .isInstanceOf(CorruptSnapshotException.class);
    }
  }

  private static byte[] someKey(Random random, List<byte[]> known) {
    byte[] key = known.get(random.nextInt(known.size())).clone();
    switch (random.nextInt(6)) {
      case 0 -> key = Arrays.copyOf(key, key.length + 1);
      case 1 -> key = Arrays.copyOf(key, 1 + random.nextInt(key.length));
      case 2 -> key[random.nextInt(key.length)] = (byte) random.nextInt();
      default -> {}
    }
    return key;
  }

  private void changeAtRandom(Random random, List<byte[]> known) throws IOException {
    NavigableMap<byte[], byte[]> puts = new TreeMap<>(Arrays::compareUnsigned);
    List<byte[]> deletes = new ArrayList<>();
    int count = random.nextInt(5) == 0 ? 1 : 1 + random.nextInt(200);
    for (int i = 0; i < count; i++) {
      byte[] value = new byte[random.nextInt(40)];
      random.nextBytes(value);
      puts.put(someKey(random, known), value);
      deletes.add(someKey(random, known));
    }
    if (random.nextInt(3) == 0 && !model.isEmpty()) { // a long run of deleted keys
      byte[] first = known.get(random.nextInt(known.size()));
      model.tailMap(first).keySet().stream().limit(600).forEach(deletes::add);
    }
    puts.keySet().removeIf(key -> random.nextInt(8) == 0);
    change(puts, deletes);
  }

  /** Does something to the table that changes no answer. */
  private void compactAtRandom(Random random) throws IOException {
    switch (random.nextInt(4)) {
      case 0 -> new Compactor(directory).foldFraction(0).run();
      case 1 ->
          new Compactor(directory)
              .foldFraction(random.nextDouble())
              .maxPartitions(1 + random.nextInt(3))
              .maxSegments(1 + random.nextInt(3))
              .run();
      case 2 -> new Compactor(directory).foldFraction(100).maxSegments(1).run();
      default -> {
        Path temporary = Files.createDirectories(directory.resolve("merge"));
        new StreamUpkeep(Table.at(directory), temporary, 1).merge();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "numbers, 1",
    "numbers, 2",
    "prefixes of each other, 3",
    "long ties, 4",
    "00 and FF, 5",
    "one, 6",
    "none, 7",
    "long values, 8"
  })
  void answersAsATreeMapDoesWhateverChanges(String kind, long seed) throws Exception {
    System.out.println("ordered changes: kind=" + kind + " seed=" + seed);
    Random random = new Random(seed);
    model.putAll(OrderedReaderTest.records(kind));
    List<byte[]> known = new ArrayList<>(model.keySet());
    known.add(bytes("new"));
    Layout[] layouts = {Layout.BLOCKED, Layout.COMPACT, Layout.COMPRESSED, Layout.COMPRESSED_PAGES};
    WriterOptions.Builder options =
        WriterOptions.builder()
            .layout(layouts[random.nextInt(layouts.length)])
            .pointIndex(random.nextBoolean())
            .partitions(1 + random.nextInt(6));
    build(options);
    Access followed = random.nextBoolean() ? Access.MAPPED : Access.IO_URING;
    ReaderOptions following = ReaderOptions.builder().access(followed).build();
    try (TableReader table =
        TableReader.builder(directory).options(following).refreshEvery(Duration.ZERO).open()) {
      for (int round = 0; round < 10; round++) {
        int what = random.nextInt(20);
        if (what == 0) {
          build(options);
        } else if (what < 6) {
          compactAtRandom(random);
        } else {
          changeAtRandom(random, known);
        }
        if (random.nextInt(3) > 0) {
          table.refresh();
          try (TableReader.Lease lease = table.lease()) {
            check(lease.reader(), 20);
          }
        }
        if (round % 3 == 0) {
          List<Access> modes = List.of(Access.values());
          check(modes.get(random.nextInt(modes.size())), 40);
        }
      }
    }
    Manifest manifest = Table.at(directory).manifest(Table.at(directory).requireCurrentVersion());
    SnapshotVerifier.verify(directory.resolve("snapshots").resolve(manifest.version()));
  }

  @Test
  void foldsKeepOrderAndDropPartitionsThatAreEmpty() throws Exception {
    for (long i = 0; i < 4_000; i++) {
      model.put(key(i), bytes("base " + i));
    }
    Manifest built = build(WriterOptions.builder().partitions(4));
    assertThat(built.partitions()).hasSize(4);
    byte[] bound = built.partitioning().lowerBound(2);
    List<byte[]> deleted = new ArrayList<>();
    model.subMap(built.partitioning().lowerBound(1), bound).keySet().forEach(deleted::add);
    deleted.add(bound);
    change(Map.of(key(10_000), bytes("last")), deleted);
    check(Access.MAPPED, 100);
    Manifest folded = new Compactor(directory).foldFraction(0.5).run().manifest();
    assertThat(folded.partitions()).hasSize(3); // only the empty one is folded
    assertThat(folded.changes().segments()).hasSize(1);
    check(Access.MAPPED, 100);
    // Keys of the range that has gone belong to the partition in front of it.
    assertThat(folded.partitioning().partition(deleted.get(5))).isZero();
    change(Map.of(deleted.get(5), bytes("again")), List.of());
    check(Access.MAPPED, 100);
    folded = new Compactor(directory).foldFraction(0).run().manifest();
    assertThat(folded.changes().segments()).isEmpty();
    assertThat(folded.partitions()).extracting(PartitionFile::partition).containsExactly(0, 1, 2);
    assertThat(Arrays.compareUnsigned(folded.partitioning().lowerBound(1), bound)).isPositive();
    check(Access.DIRECT, 100);

    change(Map.of(), new ArrayList<>(model.keySet()));
    check(Access.MAPPED, 20);
    folded = new Compactor(directory).run().manifest();
    assertThat(folded.partitions()).hasSize(1);
    assertThat(folded.recordCount()).isZero();
    check(Access.MAPPED, 20);
    change(Map.of(key(3), bytes("three")), List.of());
    check(Access.MAPPED, 20);
    new Compactor(directory).run();
    check(Access.MAPPED, 20);
  }

  @Test
  void comparesAShareOfTheKeys() throws Exception {
    for (long i = 0; i < 1_000; i++) {
      model.put(key(i), bytes("base " + i));
    }
    Manifest first = build(WriterOptions.builder().partitions(3));
    model.put(key(2_000), bytes("new"));
    model.replaceAll((key, value) -> bytes("other"));
    Manifest second = build(WriterOptions.builder().partitions(2));
    int differences = 0;
    try (SnapshotReader from = openVersion(first);
        SnapshotReader to = openVersion(second);
        SnapshotDiff diff = SnapshotDiff.between(from, to, 0.5, () -> false)) {
      while (diff.next() != null) {
        differences++;
      }
    }
    assertThat(differences).isBetween(400, 600);
  }

  private SnapshotReader openVersion(Manifest manifest) throws IOException {
    return SnapshotReader.open(directory.resolve("snapshots").resolve(manifest.version()));
  }

  /** One block for a floor beside changes, none where a change has the key. */
  @Test
  void readsNoMoreThanWithoutChanges() throws Exception {
    for (long i = 0; i < 20_000; i++) {
      model.put(key(2 * i), bytes("value of " + i));
    }
    build(WriterOptions.builder().partitions(2));
    List<byte[]> deleted = new ArrayList<>();
    model.subMap(key(8_000), key(8_600)).keySet().forEach(deleted::add);
    change(Map.of(key(30_001), bytes("new")), deleted);
    ReaderOptions options = ReaderOptions.builder().access(Access.DIRECT).build();
    try (SnapshotReader reader = SnapshotReader.open(directory, options)) {
      assertThat(reads(reader, 20_001)).isEqualTo(1);
      assertThat(reads(reader, 30_001)).isZero();
      // 300 records that are gone, some 100 to a block
      assertThat(reads(reader, 8_599)).isBetween(2L, 6L);
    }
  }

  private long reads(SnapshotReader reader, long number) throws IOException {
    long before = reader.metrics().blockReads();
    KeyValue found = reader.ordered().floor(key(number));
    assertThat(found).isNotNull();
    assertThat(found.key()).isEqualTo(model.floorKey(key(number)));
    return reader.metrics().blockReads() - before;
  }
}
