package io.bsdb.reader;

import static io.bsdb.testkit.Utf8.bytes;
import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.Verification;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.Records;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every answer of an ordered table against a {@link TreeMap}, in every layout and access mode. */
class OrderedReaderTest {
  private static final long SEED = 21;

  @TempDir Path directory;

  private static NavigableMap<byte[], byte[]> newMap() {
    return new TreeMap<>(Arrays::compareUnsigned);
  }

  /** Keys that are hard to keep apart, by name. */
  static NavigableMap<byte[], byte[]> records(String kind) {
    Random random = new Random(SEED);
    NavigableMap<byte[], byte[]> map = newMap();
    switch (kind) {
      case "numbers" -> {
        for (int i = 0; i < 1200; i++) {
          map.put(ByteBuffer.allocate(8).putLong(random.nextLong() >>> 40).array(), bytes("v" + i));
        }
      }
      case "prefixes of each other" -> {
        byte[] long0 = new byte[400];
        byte[] longA = new byte[400];
        Arrays.fill(longA, (byte) 'a');
        for (int length = 1; length <= 400; length++) {
          map.put(Arrays.copyOf(long0, length), bytes("0" + length));
          map.put(Arrays.copyOf(longA, length), bytes("a" + length));
        }
      }
      case "long ties" -> {
        byte[] tie = new byte[300];
        random.nextBytes(tie);
        for (int i = 0; i < 900; i++) {
          byte[] key = Arrays.copyOf(tie, 300 + random.nextInt(12));
          for (int k = 300; k < key.length; k++) {
            key[k] = (byte) (random.nextInt(3) - 1);
          }
          map.put(key, bytes("t" + i));
        }
      }
      case "00 and FF" -> {
        for (int i = 0; i < 1200; i++) {
          byte[] key = new byte[1 + random.nextInt(14)];
          for (int k = 0; k < key.length; k++) {
            key[k] = (byte) -random.nextInt(2);
          }
          map.put(key, bytes("" + i));
        }
      }
      case "one" -> map.put(bytes("k"), bytes("v"));
      case "none" -> {}
      case "long values" -> {
        for (int i = 0; i < 300; i++) {
          byte[] value = new byte[i % 37 == 0 ? 70_000 : random.nextInt(900)];
          random.nextBytes(value);
          map.put(bytes("key-" + random.nextInt(1 << 20)), value);
        }
      }
      default -> throw new AssertionError(kind);
    }
    return map;
  }

  private static final List<Layout> LAYOUTS = List.of(Layout.values());

  private static final List<String> KINDS =
      List.of(
          "numbers",
          "prefixes of each other",
          "long ties",
          "00 and FF",
          "one",
          "none",
          "long values");

  /** Returns every layout with every kind of keys, in one partition and in several by turns. */
  static Stream<Arguments> tables() {
    List<Arguments> tables = new ArrayList<>();
    for (String kind : KINDS) {
      for (Layout layout : Layout.values()) {
        if (layout != Layout.SYMBOLS) { // refused
          tables.add(Arguments.of(kind, layout, tables.size() % 3 == 0 ? 1 : 5));
        }
      }
    }
    return tables.stream();
  }

  private Manifest build(Map<byte[], byte[]> records, WriterOptions.Builder options)
      throws IOException {
    List<Map.Entry<byte[], byte[]>> shuffled = new ArrayList<>(records.entrySet());
    Collections.shuffle(shuffled, new Random(SEED));
    try (SnapshotWriter writer =
        SnapshotWriter.create(directory, options.order(RecordOrder.KEY).minRows(0).build())) {
      for (Map.Entry<byte[], byte[]> record : shuffled) {
        writer.add(record.getKey(), record.getValue());
      }
      return writer.publish();
    }
  }

  @ParameterizedTest
  @MethodSource("tables")
  void answersAsATreeMapDoes(String kind, Layout layout, int partitions) throws Exception {
    NavigableMap<byte[], byte[]> map = records(kind);
    for (boolean pointIndex : partitions == 1 ? List.of(true) : List.of(true, false)) {
      Manifest manifest =
          build(
              map,
              WriterOptions.builder().layout(layout).partitions(partitions).pointIndex(pointIndex));
      assertThat(manifest.recordCount()).isEqualTo(map.size());
      assertThat(manifest.partitions().size()).isEqualTo(map.size() > 100 ? partitions : 1);
      SnapshotVerifier.verify(directory.resolve("snapshots").resolve(manifest.version()));
      // Two of the six by turns: each comes with each kind of keys, and with each layout.
      int turn = KINDS.indexOf(kind) + 2 * LAYOUTS.indexOf(layout) + (pointIndex ? 0 : 1);
      for (Access access : Access.values()) {
        for (long cache : new long[] {0, 1 << 20}) {
          boolean isOne = cache == 0 || (access != Access.RESIDENT && access != Access.IO_URING);
          if (!isOne || turn++ % 3 != 0) {
            continue;
          }
          ReaderOptions options =
              ReaderOptions.builder()
                  .access(access)
                  .blockCacheBytes(cache)
                  .share(new KeyShare(1, 3)) // opens everything
                  .build();
          try (SnapshotReader reader = SnapshotReader.open(directory, options)) {
            check(reader, map, access == Access.MAPPED ? 100 : 30);
          }
        }
      }
    }
  }

  /** What may be asked: keys that are there, their neighbours, and others. */
  private static List<byte[]> questions(NavigableMap<byte[], byte[]> map, int count) {
    Random random = new Random(SEED + 1);
    List<byte[]> keys = new ArrayList<>(map.keySet());
    List<byte[]> questions = new ArrayList<>(List.of(new byte[0], new byte[] {0}, new byte[] {-1}));
    if (!keys.isEmpty()) {
      questions.add(keys.get(0));
      questions.add(keys.get(keys.size() - 1));
    }
    while (questions.size() < count && !keys.isEmpty()) {
      byte[] key = keys.get(random.nextInt(keys.size())).clone();
      switch (random.nextInt(5)) {
        case 0 -> {}
        case 1 -> key = Arrays.copyOf(key, key.length + 1);
        case 2 -> key = Arrays.copyOf(key, random.nextInt(key.length + 1));
        case 3 -> key[key.length - 1] += (byte) (random.nextBoolean() ? 1 : -1);
        default -> key[random.nextInt(key.length)] = (byte) random.nextInt();
      }
      questions.add(key);
    }
    return questions;
  }

  static void check(SnapshotReader reader, NavigableMap<byte[], byte[]> map, int count)
      throws Exception {
    OrderedReader ordered = reader.ordered();
    AsyncOrderedReader async = reader.async().ordered();
    same(ordered.first(), map.firstEntry());
    same(ordered.last(), map.lastEntry());
    List<byte[]> questions = questions(map, count);
    List<byte @Nullable []> values = reader.getAll(questions);
    List<byte @Nullable []> valuesLater = reader.async().getAll(questions).join();
    for (int i = 0; i < questions.size(); i++) {
      byte[] key = questions.get(i);
      same(ordered.floor(key), map.floorEntry(key));
      same(ordered.ceiling(key), map.ceilingEntry(key));
      same(ordered.lower(key), map.lowerEntry(key));
      same(ordered.higher(key), map.higherEntry(key));
      same(ordered.longestPrefix(key), longestPrefix(map, key));
      same(async.floor(key).join(), map.floorEntry(key));
      same(async.ceiling(key).join(), map.ceilingEntry(key));
      same(async.longestPrefix(key).join(), longestPrefix(map, key));
      assertThat(reader.get(key)).isEqualTo(map.get(key));
      assertThat(reader.async().get(key).join()).isEqualTo(map.get(key));
      assertThat(values.get(i)).isEqualTo(map.get(key));
      assertThat(valuesLater.get(i)).isEqualTo(map.get(key));
      if (i % 8 != 0) {
        continue;
      }
      byte[] other = questions.get((i + 7) % questions.size());
      boolean ascending = Arrays.compareUnsigned(key, other) <= 0;
      byte[] low = ascending ? key : other;
      byte[] high = ascending ? other : key;
      boolean fromIncluded = i % 16 == 0;
      boolean toIncluded = i % 24 == 0;
      KeyRange range = fromIncluded ? KeyRange.all().from(low) : KeyRange.all().after(low);
      range = toIncluded ? range.through(high) : range.before(high);
      same(
          ordered,
          async,
          range,
          Arrays.equals(low, high) && !(fromIncluded && toIncluded)
              ? newMap()
              : map.subMap(low, fromIncluded, high, toIncluded));
      byte[] prefix = Arrays.copyOf(key, Math.min(key.length, i / 8 % 4));
      NavigableMap<byte[], byte[]> matching = withPrefix(map, prefix);
      same(ordered, async, KeyRange.prefix(prefix), matching);
      KeyRange both = KeyRange.prefix(prefix).from(low).through(high);
      same(ordered, async, both, matching.subMap(low, true, high, true));
    }
    same(ordered, async, KeyRange.all(), map);
    try (RecordCursor all = reader.scan()) {
      for (byte[] key : map.keySet()) {
        if (!all.next() || !Arrays.equals(all.key(), key)) { // assertions are slow
          fail("the scan leaves out a key, or has another one first");
        }
      }
      assertThat(all.next()).isFalse();
    }
  }

  private static Map.@Nullable Entry<byte[], byte[]> longestPrefix(
      NavigableMap<byte[], byte[]> map, byte[] key) {
    for (int length = key.length; length > 0; length--) {
      byte[] prefix = Arrays.copyOf(key, length);
      if (map.containsKey(prefix)) {
        return Map.entry(prefix, map.get(prefix));
      }
    }
    return null;
  }

  static NavigableMap<byte[], byte[]> withPrefix(NavigableMap<byte[], byte[]> map, byte[] prefix) {
    NavigableMap<byte[], byte[]> matching = newMap();
    map.forEach(
        (key, value) -> {
          if (key.length >= prefix.length
              && Arrays.equals(Arrays.copyOf(key, prefix.length), prefix)) {
            matching.put(key, value);
          }
        });
    return matching;
  }

  static void same(@Nullable KeyValue actual, Map.@Nullable Entry<byte[], byte[]> expected) {
    if (expected == null) {
      assertThat(actual).isNull();
    } else if (actual == null
        || !Arrays.equals(actual.key(), expected.getKey())
        || !Arrays.equals(actual.value(), expected.getValue())) { // assertions on arrays are slow
      assertThat(actual).isNotNull();
      assertThat(actual.key()).isEqualTo(expected.getKey());
      assertThat(actual.value()).isEqualTo(expected.getValue());
    }
  }

  static void same(
      OrderedReader reader,
      AsyncOrderedReader async,
      KeyRange range,
      NavigableMap<byte[], byte[]> expected)
      throws Exception {
    List<Map.Entry<byte[], byte[]>> ascending = first(expected);
    List<Map.Entry<byte[], byte[]>> descending = first(expected.descendingMap());
    same(reader, range, ascending);
    same(reader, range.reversed(), descending);
    same(async.range(range, ascending.size() + 1).join(), ascending);
    same(
        async.range(range.reversed(), 3).join(),
        descending.subList(0, Math.min(3, descending.size())));
    assertThat(async.range(range, 0).join()).isEmpty();
    same(async.range(range, 9, 1).join(), ascending.subList(0, Math.min(1, ascending.size())));
  }

  private static List<Map.Entry<byte[], byte[]>> first(Map<byte[], byte[]> records) {
    return new ArrayList<>(records.entrySet());
  }

  private static void same(List<KeyValue> actual, List<Map.Entry<byte[], byte[]>> expected) {
    assertThat(actual).hasSize(expected.size());
    for (int i = 0; i < actual.size(); i++) {
      same(actual.get(i), expected.get(i));
    }
  }

  private static void same(
      OrderedReader reader, KeyRange range, List<Map.Entry<byte[], byte[]>> expected)
      throws IOException {
    try (RecordCursor cursor = reader.range(range)) {
      for (Map.Entry<byte[], byte[]> record : expected) {
        assertThat(cursor.next()).isTrue();
        if (!Arrays.equals(cursor.key(), record.getKey())
            || !Arrays.equals(cursor.value(), record.getValue())) {
          assertThat(cursor.key()).isEqualTo(record.getKey());
          assertThat(cursor.value()).isEqualTo(record.getValue());
        }
      }
      assertThat(cursor.next()).isFalse();
      assertThat(cursor.next()).isFalse();
      assertThatThrownBy(cursor::key).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void eachBoundMakesARangeNarrower() throws Exception {
    NavigableMap<byte[], byte[]> map = newMap();
    for (String key : List.of("a", "b", "b1", "b2", "c")) {
      map.put(bytes(key), bytes(key));
    }
    build(map, WriterOptions.builder());
    KeyRange ofB = KeyRange.prefix(bytes("b"));
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      assertThat(keys(reader, ofB.from(bytes("a")))).isEqualTo("b b1 b2");
      assertThat(keys(reader, ofB.after(bytes("a")).through(bytes("c")))).isEqualTo("b b1 b2");
      assertThat(keys(reader, ofB.before(bytes("d")))).isEqualTo("b b1 b2");
      assertThat(keys(reader, ofB.from(bytes("b1")).before(bytes("b2")))).isEqualTo("b1");
      assertThat(keys(reader, ofB.after(bytes("b")).from(bytes("b")))).isEqualTo("b1 b2");
      assertThat(keys(reader, ofB.reversed().before(bytes("b2")).through(bytes("b2"))))
          .isEqualTo("b1 b");
      assertThat(keys(reader, KeyRange.all().throughPrefix(bytes("b")))).isEqualTo("a b b1 b2");
    }
  }

  private static String keys(SnapshotReader reader, KeyRange range) throws IOException {
    List<String> keys = new ArrayList<>();
    try (RecordCursor cursor = reader.ordered().range(range)) {
      while (cursor.next()) {
        keys.add(text(cursor.key()));
      }
    }
    return String.join(" ", keys);
  }

  @Test
  void refusesToAnswerByOrderOnATableInHashOrder() throws Exception {
    Records.of("k", "v").publish(directory, WriterOptions.defaults());
    try (SnapshotReader reader = SnapshotReader.open(directory);
        TableReader table = TableReader.follow(directory, ReaderOptions.defaults())) {
      assertThatThrownBy(reader::ordered)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("build it with order 'key'");
      assertThatThrownBy(() -> reader.async().ordered()).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> table.ordered().first()).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void followsATableWhoseSplittersChange() throws Exception {
    NavigableMap<byte[], byte[]> map = records("numbers");
    build(map, WriterOptions.builder().partitions(5));
    try (TableReader table = TableReader.builder(directory).refreshEvery(Duration.ZERO).open()) {
      byte[] key = new byte[] {0, 0, 0, 0, 0, 80};
      same(table.ordered().floor(key), map.floorEntry(key));
      try (RecordCursor cursor = table.ordered().range(KeyRange.all())) {
        assertThat(cursor.next()).isTrue();
        NavigableMap<byte[], byte[]> other = records("long ties");
        build(other, WriterOptions.builder().partitions(3));
        assertThat(table.refresh()).isTrue();
        same(table.ordered().last(), other.lastEntry());
        same(table.ordered().longestPrefix(other.lastKey()), other.lastEntry());
        int seen = 1; // of the version that the cursor began with
        while (cursor.next()) {
          seen++;
        }
        assertThat(seen).isEqualTo(map.size());
      }
    }
  }

  /** One block for a floor, a range in few large reads, nothing for what no partition can hold. */
  @Test
  void readsOneBlockForAFloorAndReadsAheadInARange() throws Exception {
    NavigableMap<byte[], byte[]> map = records("numbers");
    build(map, WriterOptions.builder().partitions(3));
    ReaderOptions options =
        ReaderOptions.builder().access(Access.DIRECT).verification(Verification.METADATA).build();
    try (SnapshotReader reader = SnapshotReader.open(directory, options)) {
      long before = reader.metrics().blockReads();
      List<byte[]> questions = questions(map, 500);
      int inside = 0;
      for (byte[] key : questions) {
        reader.ordered().floor(key);
        inside += map.floorKey(key) == null ? 0 : 1;
      }
      long floors = reader.metrics().blockReads() - before;
      assertThat(floors).isBetween((long) inside, inside + inside / 50L);
      try (RecordCursor cursor = reader.ordered().range(KeyRange.all())) {
        while (cursor.next()) {
          cursor.value();
        }
      }
      long range = reader.metrics().blockReads() - before - floors;
      assertThat(range).isLessThan(20);
      long scanned = reader.metrics().blockReads();
      try (RecordCursor cursor = reader.scan()) {
        while (cursor.next()) {
          cursor.value();
        }
      }
      assertThat(reader.metrics().blockReads() - scanned).isLessThan(20);
      before += reader.metrics().blockReads() - scanned;
      try (RecordCursor cursor = reader.ordered().range(KeyRange.all().from(map.firstKey()))) {
        assertThat(cursor.next()).isTrue();
      }
      assertThat(reader.metrics().blockReads() - before - floors - range).isEqualTo(1);
    }
  }
}
