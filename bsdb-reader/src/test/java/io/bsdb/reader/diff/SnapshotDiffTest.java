package io.bsdb.reader.diff;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.compact.Compactor;
import io.bsdb.reader.ClosedReaderException;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.diff.SnapshotDiff.Position;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.io.HugeMemory;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.InMemory;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SnapshotDiffTest {
  private static final int STEPS = 12;
  private static final int KEYS = 600;

  @TempDir(factory = InMemory.class)
  private Path directory;

  private final Map<String, TreeMap<String, byte[]>> versions = new TreeMap<>();
  private TreeMap<String, byte[]> model = new TreeMap<>();

  static Stream<Arguments> tables() {
    return Stream.of(RecordOrder.values())
        .flatMap(
            order ->
                Stream.of(Layout.values())
                    .filter(layout -> layout != Layout.SYMBOLS || order == RecordOrder.HASH)
                    .map(layout -> Arguments.of(order, layout)));
  }

  /** Compares pairs of versions after random changes, folds, merges, rebuilds and rollbacks. */
  @ParameterizedTest
  @MethodSource("tables")
  void findsWhatDiffersBetweenAnyTwoVersions(RecordOrder order, Layout layout) throws Exception {
    long seed = Long.getLong("bsdb.test.seed", System.nanoTime());
    System.out.println("seed of the comparisons: " + seed);
    Random random = new Random(seed);
    WriterOptions.Builder options = WriterOptions.builder().order(order).layout(layout).minRows(0);
    build(options.partitions(3).build(), random);
    Table table = Table.at(directory);
    for (int i = 0; i < STEPS; i++) {
      switch (random.nextInt(8)) {
        case 0 -> {
          if (layout != Layout.SYMBOLS) {
            options.order(random.nextBoolean() ? RecordOrder.HASH : RecordOrder.KEY);
          }
          build(options.partitions(2 + random.nextInt(2)).build(), random);
        }
        case 1, 2, 3 ->
            new Compactor(directory)
                .foldFraction(random.nextInt(3) * 0.1)
                .maxSegments(1 + random.nextInt(3))
                .maxPartitions(1 + random.nextInt(3))
                .keepHistory(random.nextBoolean() ? Duration.ZERO : Duration.ofDays(1))
                .run();
        case 4 -> {
          List<String> all = table.versions();
          String version = all.get(random.nextInt(all.size()));
          table.rollback(version);
          model = versions.get(version);
        }
        default -> change(random, 1 + random.nextInt(100));
      }
      for (String version : table.versions()) { // a compaction may publish two
        versions.putIfAbsent(version, model);
      }
    }
    DiffModel diff = new DiffModel(directory, random);
    List<String> names = new ArrayList<>(versions.keySet());
    for (int i = 0; i < 2 * STEPS; i++) {
      String first = names.get(random.nextInt(names.size()));
      String second = names.get(random.nextInt(names.size()));
      try {
        diff.check(first, versions.get(first), second, versions.get(second));
      } catch (IOException | RuntimeException | AssertionError e) {
        throw new AssertionError("-Dbsdb.test.seed=" + seed, e);
      }
    }
  }

  /** Its changes lie in memory that is gone. */
  @Test
  void aReaderThatAnotherThreadHasClosedIsNotRead() throws Exception {
    build(WriterOptions.builder().partitions(1).build(), new Random(1));
    String first = Table.at(directory).requireCurrentVersion();
    change(new Random(2), 10);
    try (SnapshotReader from =
            SnapshotReader.openVersion(directory, first, ReaderOptions.defaults());
        SnapshotReader to = SnapshotReader.open(directory);
        SnapshotDiff diff = SnapshotDiff.between(from, to, 1, () -> false)) {
      to.close();
      assertThatThrownBy(diff::next).isInstanceOf(ClosedReaderException.class);
    }
  }

  private static byte[] bytes(String key) {
    return key.getBytes(US_ASCII);
  }

  private static String key(int number) {
    return String.format(Locale.ROOT, "k%04d", number);
  }

  private void build(WriterOptions options, Random random) throws IOException {
    model = new TreeMap<>();
    for (int i = 0; i < KEYS; i++) {
      if (random.nextInt(3) > 0) {
        model.put(key(i), bytes("value " + random.nextInt(3)));
      }
    }
    build(options);
  }

  private void build(WriterOptions options) throws IOException {
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (Map.Entry<String, byte[]> record : model.entrySet()) {
        writer.add(bytes(record.getKey()), record.getValue());
      }
      versions.put(writer.publish().version(), model);
    }
  }

  private void change(Random random, int count) throws IOException {
    TreeMap<String, byte[]> next = new TreeMap<>(model);
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      for (int i = 0; i < count; i++) {
        String key = key(random.nextInt(KEYS));
        if (random.nextInt(3) == 0) {
          writer.delete(bytes(key));
          next.remove(key);
        } else {
          byte[] value = bytes("changed " + random.nextInt(3));
          writer.put(bytes(key), value);
          next.put(key, value);
        }
      }
      versions.put(writer.publish().version(), next);
    }
    model = next;
  }

  private String current() throws IOException {
    return Table.at(directory).requireCurrentVersion();
  }

  /** Checks that the comparison across a change of ten keys looks at no more than so many keys. */
  private void assertLooksAt(long most, Runnable between, Compaction after) throws Exception {
    for (int i = 0; i < KEYS; i++) {
      model.put(key(i), bytes("value"));
    }
    build(WriterOptions.builder().partitions(4).build());
    Random random = new Random(1);
    change(random, 100);
    String first = current();
    between.run();
    change(random, 10);
    after.run(new Compactor(directory));
    String second = current();
    versions.putIfAbsent(second, model);
    new DiffModel(directory, random)
        .check(first, versions.get(first), second, versions.get(second));
    try (SnapshotReader from = openVersion(first);
        SnapshotReader to = openVersion(second);
        SnapshotDiff diff = SnapshotDiff.between(from, to, 1, () -> false)) {
      while (diff.next() != null) {
        // to the end
      }
      assertThat(diff.compared()).isLessThanOrEqualTo(most);
    }
  }

  private SnapshotReader openVersion(String version) throws IOException {
    return SnapshotReader.openVersion(directory, version, ReaderOptions.defaults());
  }

  /** Compacts the table after the last change. */
  private interface Compaction {
    void run(Compactor compactor) throws IOException;
  }

  @Test
  void looksOnlyAtKeysOfTheNewSegments() throws Exception {
    assertLooksAt(10, () -> {}, compactor -> {});
  }

  @Test
  void looksOnlyAtKeysOfTheNewSegmentsAfterAFold() throws Exception {
    assertLooksAt(10, () -> {}, compactor -> compactor.foldFraction(0).run());
  }

  @Test
  void looksAtFoldedPartitionsWithoutAHistory() throws Exception {
    assertLooksAt(
        2 * KEYS,
        () -> {},
        compactor -> compactor.foldFraction(0).keepHistory(Duration.ZERO).run());
    assertThat(Table.at(directory).manifest(current()).changes().history().segments()).isEmpty();
  }

  @Test
  void looksAtChangedKeysOfTheSameFiles() throws Exception {
    assertLooksAt(111, this::rollback, compactor -> {});
  }

  private void rollback() {
    try {
      String first = versions.keySet().iterator().next();
      Table.at(directory).rollback(first);
      model = versions.get(first);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void comparesCopiesWithoutTheirHistory() throws Exception {
    Path copies = directory.resolveSibling("copies");
    assertLooksAt(10, () -> {}, compactor -> compactor.foldFraction(0).run());
    List<String> names = new ArrayList<>(versions.keySet());
    String first = names.get(1);
    String second = current();
    try (TableReader a = copy(copies.resolve("a"), first);
        TableReader b = copy(copies.resolve("b"), second);
        TableReader.Lease from = a.lease();
        TableReader.Lease to = b.lease();
        SnapshotDiff diff =
            SnapshotDiff.between(from.reader(), to.reader(), KeySlice.ALL, null, () -> false)) {
      int count = 0;
      while (diff.next() != null) {
        count++;
      }
      assertThat(count).isBetween(1, 10);
      assertThat(diff.position().toString()).startsWith("f");
      assertThat(diff.compared()).isGreaterThan(KEYS);
      assertThatThrownBy(
              () ->
                  SnapshotDiff.between(
                      from.reader(),
                      to.reader(),
                      KeySlice.ALL,
                      Position.parse("h0.1.2"),
                      () -> false))
          .isInstanceOf(java.nio.file.NoSuchFileException.class)
          .hasMessageContaining(".seg");
    }
  }

  @Test
  void aPositionOfAnotherComparisonIsRefusedAndLeavesNothingOpen() throws Exception {
    assertLooksAt(10, () -> {}, compactor -> compactor.foldFraction(0).run());
    long open = HugeMemory.openCount();
    try (SnapshotReader from = openVersion(new ArrayList<>(versions.keySet()).get(1));
        SnapshotReader to = openVersion(current())) {
      for (String position : List.of("h99", "f99.1.2")) {
        assertThatThrownBy(
                () ->
                    SnapshotDiff.between(
                        from, to, KeySlice.ALL, Position.parse(position), () -> false))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("position %s is not one of a comparison".formatted(position));
      }
    }
    assertThat(HugeMemory.openCount()).isEqualTo(open);
  }

  @Test
  void slicesShareTheChangesOfAHistory() throws Exception {
    assertLooksAt(10, () -> {}, compactor -> compactor.foldFraction(0).run());
    long open = HugeMemory.openCount();
    try (SnapshotReader from = openVersion(new ArrayList<>(versions.keySet()).get(1));
        SnapshotReader to = openVersion(current())) {
      long readers = HugeMemory.openCount();
      int found = 0;
      for (KeySlice slice : KeySlice.ofPartitions(to.manifest())) {
        try (SnapshotDiff first = SnapshotDiff.between(from, to, slice, null, () -> false);
            SnapshotDiff second = SnapshotDiff.between(from, to, slice, null, () -> false)) {
          assertThat(HugeMemory.openCount()).isEqualTo(readers + 1);
          while (first.next() != null) {
            assertThat(second.next()).isNotNull();
            found++;
          }
          assertThat(second.next()).isNull();
        }
      }
      assertThat(found).isPositive();
      assertThat(HugeMemory.openCount()).as("kept for the next slice").isEqualTo(readers + 1);
      try (SnapshotDiff all = SnapshotDiff.between(from, to, KeySlice.ALL, null, () -> false)) {
        assertThat(HugeMemory.openCount()).as("there is no next slice").isEqualTo(readers + 2);
        while (all.next() != null) {
          found--;
        }
      }
      assertThat(found).isZero();
      assertThat(HugeMemory.openCount()).isEqualTo(readers + 1);
    }
    assertThat(HugeMemory.openCount()).isEqualTo(open);
  }

  private TableReader copy(Path copies, String version) throws IOException {
    return TableReader.builder(directory)
        .localDirectory(copies)
        .options(ReaderOptions.defaults())
        .pin(version)
        .open();
  }

  @Test
  void saysThatAVersionIsGone() throws Exception {
    build(WriterOptions.defaults(), new Random(1));
    String first = current();
    change(new Random(1), 5);
    Table table = Table.at(directory);
    assertThat(SnapshotDiff.requireVersion(table, first).version()).isEqualTo(first);
    table.prune(1);
    assertThatThrownBy(() -> SnapshotDiff.requireVersion(table, first))
        .isInstanceOf(VersionGoneException.class)
        .hasMessageContaining("version " + first + " has been deleted")
        .hasMessageContaining("versions=" + current() + " to " + current())
        .hasMessageContaining("read the table again as a whole");
  }

  @Test
  void stopsWhenAskedTo() throws Exception {
    build(WriterOptions.defaults(), new Random(1));
    try (SnapshotReader reader = SnapshotReader.open(directory);
        SnapshotDiff diff = SnapshotDiff.between(reader, reader, 1, () -> true)) {
      change(new Random(1), 5);
      try (SnapshotReader next = SnapshotReader.open(directory);
          SnapshotDiff stopped = SnapshotDiff.between(reader, next, 1, () -> true)) {
        assertThat(stopped.next()).isNull();
        assertThat(stopped.isStopped()).isTrue();
      }
      assertThat(diff.next()).isNull();
    }
  }

  @Test
  void refusesTextThatIsNoPosition() {
    assertThatThrownBy(() -> Position.parse("x1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a position of a comparison such as 'f0.1f.0', actual 'x1'");
    assertThatThrownBy(() -> KeySlice.parse("keys YQ=="))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a range of keys");
  }
}
