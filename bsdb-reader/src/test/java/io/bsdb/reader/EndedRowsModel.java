package io.bsdb.reader;

import static io.bsdb.reader.OrderedReaderTest.same;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.compact.Compactor;
import io.bsdb.format.ValueReader;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.reader.diff.SnapshotDiff;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.snapshot.HashedKeys;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.KeyView;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowLayout;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A table with a history that changes at random, beside maps of its rows by key and by item. */
final class EndedRowsModel {
  private static final List<String> ITEMS =
      List.of("", "\0", "a", "a\0", "aa", "bread", "milk", "never", "\uD83C\uDF5E");

  private static final byte[] GONE = {};

  private final Path directory;
  private final Random random;
  private final RowCodec codec;
  private final boolean zoned;
  private final boolean nanos;
  private final boolean fields;
  private final int moments;

  /** All rows, as they are stored. */
  private final NavigableMap<byte[], byte[]> all = newMap();

  /** All rows but the ended ones. */
  private final NavigableMap<byte[], byte[]> live = newMap();

  /** The rows of each item by their times; null for ended ones. */
  private final Map<String, TreeMap<Instant, byte @Nullable []>> items = new HashMap<>();

  private long hits;
  private long misses;

  EndedRowsModel(Path directory, Random random) {
    this.directory = directory;
    this.random = random;
    this.zoned = random.nextBoolean();
    this.nanos = random.nextBoolean();
    this.fields = random.nextInt(4) > 0;
    this.moments = random.nextBoolean() ? 4 : 400;
    Schema.Builder schema =
        Schema.builder()
            .column("item", "STRING NOT NULL")
            .column(
                "valid_from",
                (zoned ? "TIMESTAMP_LTZ" : "TIMESTAMP") + (nanos ? "(9)" : "(3)") + " NOT NULL");
    if (fields) {
      schema.column("price", "INT").column("note", "STRING");
    }
    this.codec =
        RowCodec.of(
            schema.primaryKey("item", "valid_from").keyEncoding(KeyEncoding.ORDERED).build());
  }

  private static NavigableMap<byte[], byte[]> newMap() {
    return new TreeMap<>(Arrays::compareUnsigned);
  }

  @Override
  public String toString() {
    return "zoned=%s nanos=%s fields=%s moments=%d".formatted(zoned, nanos, fields, moments);
  }

  /** Runs changes and checks. */
  void run(int rounds) throws Exception {
    build();
    ReaderOptions following =
        ReaderOptions.builder().access(access()).blockCacheBytes(1 << 16).build();
    try (TableReader table =
        TableReader.builder(directory).options(following).refreshEvery(Duration.ZERO).open()) {
      for (int round = 0; round < rounds; round++) {
        NavigableMap<byte[], byte[]> before = newMap();
        before.putAll(all);
        switch (random.nextInt(6)) {
          case 0 -> build();
          case 1 -> new Compactor(directory).foldFraction(random.nextDouble() / 2).run();
          default -> change();
        }
        try (TableReader.Lease held = table.lease()) {
          table.refresh();
          try (TableReader.Lease lease = table.lease()) {
            check(lease.reader());
            checkDifferences(held.reader(), before, lease.reader());
          }
        }
        checkAsOf(table.ordered());
        ReaderOptions options = ReaderOptions.builder().access(access()).build();
        try (SnapshotReader reader = SnapshotReader.open(directory, options)) {
          check(reader);
        }
      }
    }
    Table table = Table.at(directory);
    SnapshotVerifier.verify(directory.resolve("snapshots").resolve(table.requireCurrentVersion()));
  }

  private Access access() {
    Access[] modes = Access.values();
    return modes[random.nextInt(modes.length)];
  }

  private String item() {
    return ITEMS.get(random.nextInt(ITEMS.size()));
  }

  /** Returns a time before or after 1970; there are few, so that keys repeat. */
  private Instant time() {
    Instant time = Instant.ofEpochMilli((random.nextInt(moments) - moments / 2) * 1_000L / 3);
    return nanos && random.nextBoolean() ? time.plusNanos(random.nextInt(3)) : time;
  }

  private byte[] key(String item, Instant time) {
    return codec.encodeKey(item, zoned ? time : LocalDateTime.ofInstant(time, ZoneOffset.UTC));
  }

  /** Returns a row; null for an ended one. */
  private byte @Nullable [] row() {
    if (random.nextInt(3) == 0) {
      return null;
    }
    if (!fields) {
      return new byte[0];
    }
    return codec.encodeValue(
        random.nextInt(), random.nextBoolean() ? null : "n".repeat(random.nextInt(60)));
  }

  private void note(String item, Instant time, byte @Nullable [] row) {
    byte[] key = key(item, time);
    all.put(key, row == null ? RowWriter.ended() : row);
    live.remove(key);
    if (row != null) {
      live.put(key, row);
    }
    items.computeIfAbsent(item, i -> new TreeMap<>()).put(time, row);
  }

  private void forget(String item, Instant time) {
    byte[] key = key(item, time);
    all.remove(key);
    live.remove(key);
    items.getOrDefault(item, new TreeMap<>()).remove(time);
  }

  private void build() throws IOException {
    all.clear();
    live.clear();
    items.clear();
    int count = random.nextInt(5) == 0 ? random.nextInt(3) : random.nextInt(600);
    for (int i = 0; i < count; i++) {
      String item = item();
      if (!item.equals("never")) {
        note(item, time(), row());
      }
    }
    if (random.nextInt(8) == 0) { // ended rows only
      for (byte[] key : List.copyOf(live.keySet())) {
        all.put(key, RowWriter.ended());
      }
      live.clear();
      items.values().forEach(rows -> rows.replaceAll((time, row) -> null));
    }
    Layout[] layouts = {Layout.BLOCKED, Layout.COMPACT, Layout.COMPRESSED, Layout.COMPRESSED_PAGES};
    WriterOptions options =
        WriterOptions.builder()
            .history(null)
            .schema(codec.schema())
            .layout(layouts[random.nextInt(layouts.length)])
            .pointIndex(random.nextBoolean())
            .partitions(1 + random.nextInt(5))
            .minRows(0)
            .build();
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (Map.Entry<byte[], byte[]> row : all.entrySet()) {
        writer.add(row.getKey(), row.getValue());
      }
      Manifest manifest = writer.publish();
      assertThat(manifest.recordCount()).isEqualTo(all.size());
    }
  }

  private void change() throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      int count = 1 + random.nextInt(80);
      for (int i = 0; i < count; i++) {
        String item = item();
        Instant time = time();
        if (item.equals("never")) {
          continue;
        }
        if (random.nextInt(10) == 0) {
          forget(item, time);
          writer.delete(key(item, time));
        } else {
          byte[] row = row();
          note(item, time, row);
          writer.put(key(item, time), row == null ? RowWriter.ended() : row);
        }
      }
      if (random.nextInt(3) == 0) { // a run of rows that are ended, or deleted
        String item = item();
        boolean deleted = random.nextBoolean();
        for (Instant time : new ArrayList<>(items.getOrDefault(item, new TreeMap<>()).keySet())) {
          if (deleted) {
            forget(item, time);
            writer.delete(key(item, time));
          } else {
            note(item, time, null);
            writer.put(key(item, time), RowWriter.ended());
          }
        }
      }
      writer.publish();
    }
  }

  private void check(SnapshotReader reader) throws Exception {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      keys.add(key(item(), time()));
    }
    all.keySet().stream().skip(random.nextInt(1 + all.size())).limit(30).forEach(keys::add);
    long hitsBefore = reader.metrics().hits();
    long missesBefore = reader.metrics().misses();
    hits = 0;
    misses = 0;
    checkKeys(reader, keys, live);
    checkKeys(reader.allVersions(), keys, all);
    checkNearest(reader, keys);
    checkAsOf(reader.ordered());
    checkAsOf(reader.async().ordered());
    assertThat(reader.metrics().hits() - hitsBefore).as("hits").isEqualTo(hits);
    assertThat(reader.metrics().misses() - missesBefore).as("misses").isEqualTo(misses);
    checkFound(reader, keys);
    checkRanges(reader, keys, live);
    checkRanges(reader.allVersions(), keys, all);
    checkScans(reader, live);
    checkScans(reader.allVersions(), all);
  }

  /** Returns what a lookup is expected to find, and counts it. */
  private <T> @Nullable T counted(@Nullable T expected) {
    if (expected == null) {
      misses++;
    } else {
      hits++;
    }
    return expected;
  }

  private void checkKeys(SnapshotReader reader, List<byte[]> keys, Map<byte[], byte[]> rows)
      throws Exception {
    List<byte @Nullable []> values = reader.getAll(keys);
    List<byte @Nullable []> later = reader.async().getAll(keys).join();
    ByteBuffer buffer = ByteBuffer.allocate(1 << 10);
    for (int i = 0; i < keys.size(); i++) {
      byte[] key = keys.get(i);
      byte[] row = rows.get(key);
      assertThat(values.get(i)).isEqualTo(counted(row));
      assertThat(later.get(i)).isEqualTo(counted(row));
      assertThat(reader.get(key)).isEqualTo(counted(row));
      assertThat(reader.get(key, Answers.BY_BYTES)).isEqualTo(counted(row));
      assertThat(reader.async().get(key).join()).isEqualTo(counted(row));
      assertThat(reader.find(key, KeyHash.hash(key), ValueReader.COPY)).isEqualTo(row);
      int length = reader.get(key, buffer.clear());
      assertThat(length).isEqualTo(counted(row) == null ? KeyLookup.NOT_FOUND : row.length);
    }
  }

  /** Checks lookups that count only in some modes. */
  private void checkFound(SnapshotReader reader, List<byte[]> keys) throws Exception {
    HashedKeys<byte[]> hashed = new HashedKeys<>(keys, ValueReader.COPY);
    reader.findAll(hashed);
    for (int i = 0; i < keys.size(); i++) {
      assertThat(hashed.answers().get(i)).isEqualTo(live.get(keys.get(i)));
    }
  }

  private void checkNearest(SnapshotReader reader, List<byte[]> keys) throws Exception {
    OrderedReader ordered = reader.ordered();
    AsyncOrderedReader async = reader.async().ordered();
    same(ordered.first(), counted(live.firstEntry()));
    same(ordered.last(), counted(live.lastEntry()));
    same(reader.allVersions().ordered().last(), counted(all.lastEntry()));
    for (byte[] key : keys) {
      Map.Entry<byte[], byte[]> stored = all.floorEntry(key);
      Map.Entry<byte[], byte[]> floor =
          stored == null || RowLayout.isEnded(stored.getValue()) ? null : stored;
      Map.Entry<byte[], byte[]> ceiling = live.ceilingEntry(key);
      same(ordered.floor(key), counted(floor));
      same(ordered.ceiling(key), counted(ceiling));
      same(ordered.lower(key), counted(live.lowerEntry(key)));
      same(ordered.higher(key), counted(live.higherEntry(key)));
      same(async.floor(key).join(), counted(floor));
      same(async.ceiling(key).join(), counted(ceiling));
      same(reader.allVersions().ordered().floor(key), counted(stored));
      same(reader.allVersions().async().ordered().floor(key).join(), counted(stored));
      same(Nearest.FLOOR.find(reader, key), counted(ofItem(key, floor)));
      same(Nearest.CEILING.find(reader, key), counted(ofItem(key, ceiling)));
      same(Nearest.FLOOR.begin(reader, key).join(), counted(ofItem(key, floor)));
      same(Nearest.CEILING.begin(reader, key).join(), counted(ofItem(key, ceiling)));
    }
  }

  /** Returns a record if it is of the same item as a key. */
  private Map.@Nullable Entry<byte[], byte[]> ofItem(
      byte[] key, Map.@Nullable Entry<byte[], byte[]> found) {
    KeyView view = KeyView.of(codec.schema());
    return found != null && view.wrap(key).stringAt(0).equals(view.wrap(found.getKey()).stringAt(0))
        ? found
        : null;
  }

  private void checkAsOf(OrderedReader reader) throws IOException {
    for (int i = 0; i < 40; i++) {
      String item = item();
      Instant time = time().plusNanos(random.nextInt(3) - 1);
      same(reader.asOf(codec.encodeKeyPrefix(item), time), counted(asOf(item, time)));
    }
  }

  private void checkAsOf(AsyncOrderedReader reader) {
    for (int i = 0; i < 40; i++) {
      String item = item();
      Instant time = time().plusNanos(random.nextInt(3) - 1);
      same(reader.asOf(codec.encodeKeyPrefix(item), time).join(), counted(asOf(item, time)));
    }
  }

  private Map.@Nullable Entry<byte[], byte[]> asOf(String item, Instant time) {
    Map.Entry<Instant, byte @Nullable []> valid =
        items.getOrDefault(item, new TreeMap<>()).floorEntry(time);
    return valid == null || valid.getValue() == null
        ? null
        : Map.entry(key(item, valid.getKey()), valid.getValue());
  }

  private void checkRanges(
      SnapshotReader reader, List<byte[]> keys, NavigableMap<byte[], byte[]> rows)
      throws Exception {
    OrderedReader ordered = reader.ordered();
    AsyncOrderedReader async = reader.async().ordered();
    same(ordered, async, KeyRange.all(), rows);
    byte[] prefix = codec.encodeKeyPrefix(item());
    same(ordered, async, KeyRange.prefix(prefix), OrderedReaderTest.withPrefix(rows, prefix));
    for (int i = 1; i < 8; i++) {
      byte[] low = keys.get(i - 1);
      byte[] high = keys.get(i);
      if (Arrays.compareUnsigned(low, high) < 0) {
        same(
            ordered,
            async,
            KeyRange.all().from(low).before(high),
            rows.subMap(low, true, high, false));
      }
    }
  }

  /** Checks that versions are compared by all their rows. */
  private void checkDifferences(
      SnapshotReader from, NavigableMap<byte[], byte[]> before, SnapshotReader to)
      throws IOException {
    NavigableMap<byte[], byte[]> expected = newMap();
    expected.putAll(all);
    before.forEach(
        (key, value) -> {
          if (Arrays.equals(all.get(key), value)) {
            expected.remove(key);
          } else {
            expected.putIfAbsent(key, GONE);
          }
        });
    NavigableMap<byte[], byte[]> found = newMap();
    try (SnapshotDiff diff = SnapshotDiff.between(from, to, 1, () -> false)) {
      for (var next = diff.next(); next != null; next = diff.next()) {
        assertThat(next.before()).isEqualTo(before.get(next.key()));
        found.put(next.key(), next.after() == null ? GONE : next.after());
      }
    }
    assertThat(found.keySet()).containsExactlyElementsOf(expected.keySet());
    found.forEach((key, value) -> assertThat(value).isEqualTo(expected.get(key)));
  }

  private static void checkScans(SnapshotReader reader, NavigableMap<byte[], byte[]> rows)
      throws IOException {
    List<byte[]> keys = new ArrayList<>();
    for (int partition = 0; partition < reader.partitionCount(); partition++) {
      try (RecordCursor cursor = reader.scan(partition)) {
        while (cursor.next()) {
          keys.add(cursor.key());
          assertThat(cursor.value()).isEqualTo(rows.get(cursor.key()));
        }
      }
    }
    assertThat(keys).containsExactlyElementsOf(rows.keySet());
    for (int partition = 0; partition < reader.partitionCount(); partition++) {
      int count = reader.manifest().partitions().get(partition).recordCount();
      for (int number = 0; number < Math.min(count, 20); number++) {
        KeyValue record = reader.record(partition, number);
        if (record != null) { // else it has changed, or is ended
          assertThat(record.value()).isEqualTo(rows.get(record.key()));
        }
      }
    }
  }
}
