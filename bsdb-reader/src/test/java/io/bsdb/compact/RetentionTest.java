package io.bsdb.compact;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.NothingLeftOpen;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.diff.SnapshotDiff;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.KeyView;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.Validity;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.InService;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Old rows of a history go with folds and builds, and nothing else does. */
@ExtendWith(NothingLeftOpen.class)
class RetentionTest {
  private static final Duration RETENTION = Duration.ofDays(10);

  /** Later than the clock of the machine, by which writers move horizons too. */
  private static final Instant START = Instant.parse("2200-01-01T00:00:00Z");

  private static final Schema SCHEMA =
      Schema.builder()
          .column("item", "STRING")
          .column("price", "INT")
          .column("changed_at", "TIMESTAMP_LTZ(3)")
          .primaryKey("item", "changed_at")
          .keyEncoding(KeyEncoding.ORDERED)
          .build();

  private static final RowCodec CODEC = RowCodec.of(SCHEMA);

  @TempDir(factory = InMemory.class)
  private Path directory;

  /**
   * All rows that were ever written, by their keys in hexadecimal digits, whose order is theirs.
   */
  private final NavigableMap<String, String> model = new TreeMap<>();

  private Instant now = START;
  private @Nullable Instant horizon;

  private static byte[] key(String item, Instant time) {
    return CODEC.encodeKey(item, time);
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private Table table() {
    return Table.at(directory);
  }

  private Validity validity() throws IOException {
    return Objects.requireNonNull(InService.of(table()).validity());
  }

  private void build() throws IOException {
    build(3);
  }

  private void build(int partitions) throws IOException {
    WriterOptions options =
        WriterOptions.builder()
            .history(RETENTION)
            .schema(SCHEMA)
            .minRows(0)
            .partitions(partitions)
            .build();
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options.begunAt(now))) {
      for (Map.Entry<String, String> row : model.entrySet()) {
        writer.add(bytes(row.getKey()), bytes(row.getValue()));
      }
      writer.publish();
    }
  }

  private void put(DeltaWriter writer, String item, Instant time, byte[] value) throws IOException {
    writer.put(key(item, time), value);
    model.put(hex(key(item, time)), hex(value));
  }

  private void put(String item, Instant time, byte[] value) throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(table())) {
      put(writer, item, time, value);
      writer.publish();
    }
  }

  private Compactor.Result compact(Instant time) throws IOException {
    return new Compactor(directory).clock(InstantSource.fixed(time)).foldFraction(0).run();
  }

  private NavigableMap<String, String> stored() throws IOException {
    NavigableMap<String, String> rows = new TreeMap<>();
    try (SnapshotReader reader = SnapshotReader.open(directory);
        RecordCursor cursor = reader.allVersions().scan()) {
      while (cursor.next()) {
        rows.put(hex(cursor.key()), hex(cursor.value()));
      }
    }
    return rows;
  }

  private static byte[] row(int price) {
    return CODEC.encodeValue(price);
  }

  private static boolean isSameItem(String key, String other) {
    int leading = KeyView.of(SCHEMA).wrap(bytes(key)).leadingLength();
    byte[] otherKey = bytes(other);
    return leading == KeyView.of(SCHEMA).wrap(otherKey).leadingLength()
        && Arrays.equals(bytes(key), 0, leading, otherKey, 0, leading);
  }

  private static boolean isAtOrBefore(String key, @Nullable Instant time) {
    return time != null
        && KeyView.of(SCHEMA).wrap(bytes(key)).epochMillisAt(1) <= time.toEpochMilli();
  }

  /** Returns the row that replaces one; null if it is the newest of its item. */
  private static @Nullable String next(NavigableMap<String, String> rows, String key) {
    String next = rows.higherKey(key);
    return next != null && isSameItem(key, next) ? next : null;
  }

  private static @Nullable String valueAsOf(
      NavigableMap<String, String> rows, String item, Instant time) {
    String asked = hex(key(item, time));
    Map.Entry<String, String> floor = rows.floorEntry(asked);
    return floor != null && isSameItem(floor.getKey(), asked) ? floor.getValue() : null;
  }

  /** Checks that no row is missing but those that the horizon allows. */
  private NavigableMap<String, String> assertOnlyOldRowsAreMissing() throws IOException {
    Instant recorded = validity().horizon();
    if (horizon != null) {
      assertThat(recorded).isAfterOrEqualTo(horizon);
    }
    horizon = recorded;
    NavigableMap<String, String> stored = stored();
    assertThat(model).containsAllEntriesOf(stored);
    for (String key : model.keySet()) {
      String next = next(model, key);
      if (!stored.containsKey(key)) {
        assertThat(next != null && isAtOrBefore(next, recorded)).as("missing %s", key).isTrue();
      }
    }
    return stored;
  }

  /** Checks that all rows are gone that a fold of all partitions drops. */
  private void assertOldRowsAreGone(NavigableMap<String, String> stored) throws IOException {
    Partitioning partitioning = InService.of(table()).partitioning();
    for (String key : stored.keySet()) {
      String next = next(stored, key);
      if (next != null
          && partitioning.partition(bytes(key)) == partitioning.partition(bytes(next))) {
        assertThat(isAtOrBefore(next, horizon)).as("kept %s", key).isFalse();
      }
    }
  }

  static long[] seeds() {
    return new Random().longs(2).toArray();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void randomChangesAndFoldsAgainstAModel(long seed) throws IOException {
    Random random = new Random(seed);
    for (int i = 0; i < 300; i++) {
      model.put(hex(key(item(random), time(random))), hex(row(i)));
    }
    build();
    for (int step = 0; step < 60; step++) {
      String before = InService.of(table()).version();
      NavigableMap<String, String> rowsBefore = stored();
      switch (random.nextInt(8)) {
        case 0 -> now = now.plus(Duration.ofHours(random.nextInt(100)));
        case 1 -> {
          boolean due = validity().isDue(now);
          Compactor.Result result = compact(now);
          NavigableMap<String, String> stored = assertOnlyOldRowsAreMissing();
          if (due) {
            assertThat(result.foldedPartitions()).isPositive();
            assertThat(horizon).isEqualTo(now.minus(RETENTION));
            assertOldRowsAreGone(stored);
          }
        }
        case 2 ->
            new Compactor(directory)
                .clock(InstantSource.fixed(now.minus(Duration.ofHours(random.nextInt(200)))))
                .foldFraction(random.nextDouble())
                .maxPartitions(1 + random.nextInt(3))
                .maxSegments(1 + random.nextInt(4))
                .run();
        case 3 -> {
          if (random.nextInt(4) == 0) {
            build();
            horizon = now.minus(RETENTION);
            assertThat(validity().horizon()).isEqualTo(horizon);
            assertOldRowsAreGone(stored());
          }
        }
        default -> {
          try (DeltaWriter writer = DeltaWriter.create(table())) {
            for (int i = random.nextInt(40); i >= 0; i--) {
              byte[] value = random.nextInt(4) == 0 ? RowWriter.ended() : row(step * 100 + i);
              put(writer, item(random), time(random), value);
            }
            writer.publish();
          }
        }
      }
      NavigableMap<String, String> stored = assertOnlyOldRowsAreMissing();
      assertDiffers(before, rowsBefore, InService.of(table()).version(), stored);
      assertDiffers(InService.of(table()).version(), stored, before, rowsBefore);
      for (int i = 0; i < 20; i++) {
        String item = item(random);
        Instant since = horizon == null ? START.minus(Duration.ofDays(100)) : horizon;
        Instant time = since.plus(Duration.ofHours(i == 0 ? 0 : random.nextInt(400)));
        assertThat(valueAsOf(stored, item, time))
            .as("%s as of %s", item, time)
            .isEqualTo(valueAsOf(model, item, time));
      }
    }
  }

  /** Checks that a comparison of two versions finds what differs, rows that were dropped too. */
  private void assertDiffers(
      String first,
      NavigableMap<String, String> before,
      String second,
      NavigableMap<String, String> after)
      throws IOException {
    NavigableMap<String, String> expected = new TreeMap<>(after);
    before.forEach(
        (key, value) -> {
          if (!expected.remove(key, value)) {
            expected.putIfAbsent(key, "gone");
          }
        });
    NavigableMap<String, String> found = new TreeMap<>();
    ReaderOptions options = ReaderOptions.defaults();
    try (SnapshotReader from = SnapshotReader.openVersion(directory, first, options);
        SnapshotReader to = SnapshotReader.openVersion(directory, second, options);
        SnapshotDiff diff = SnapshotDiff.between(from, to, 1, () -> false)) {
      for (var next = diff.next(); next != null; next = diff.next()) {
        found.put(hex(next.key()), next.after() == null ? "gone" : hex(next.after()));
      }
    }
    assertThat(found).as("%s to %s", first, second).isEqualTo(expected);
  }

  private static String item(Random random) {
    return "item" + random.nextInt(12);
  }

  /** Returns a time near now, or one before the horizon. */
  private Instant time(Random random) {
    return now.minus(Duration.ofHours(random.nextInt(random.nextInt(3) == 0 ? 1000 : 100)));
  }

  @Test
  void buildsLeaveOldRowsOut() throws IOException {
    Instant old = now.minus(RETENTION);
    model.put(hex(key("bread", old.minusMillis(2))), hex(row(1)));
    model.put(hex(key("bread", old)), hex(row(2)));
    model.put(hex(key("bread", old.plusMillis(1))), hex(row(3)));
    model.put(hex(key("milk", old.minusSeconds(9))), hex(row(4)));
    model.put(hex(key("milk", old.minusSeconds(8))), hex(RowWriter.ended()));
    build(1);
    assertThat(stored().keySet())
        .containsExactly(
            hex(key("bread", old)),
            hex(key("bread", old.plusMillis(1))),
            hex(key("milk", old.minusSeconds(8))));
    assertThat(validity()).isEqualTo(new Validity(RETENTION, old));
    assertThat(InService.of(table()).recordCount()).isEqualTo(3);
  }

  @Test
  void lateRowsOfAnEndedItemStayAbsent() throws IOException {
    build();
    put("bread", now, row(1));
    put("bread", now.plusSeconds(2), RowWriter.ended());
    now = now.plus(RETENTION.multipliedBy(2));
    assertThat(compact(now).foldedPartitions()).isEqualTo(1);
    assertThat(stored().keySet()).containsExactly(hex(key("bread", START.plusSeconds(2))));
    put("bread", START.plusSeconds(1), row(3));
    assertThat(valueAsOf(stored(), "bread", now)).isEqualTo(hex(RowWriter.ended()));
    now = now.plus(RETENTION);
    compact(now);
    assertThat(stored().values()).containsExactly(hex(RowWriter.ended()));
  }

  @Test
  void theHorizonMovesByATenthAndNeverBack() throws IOException {
    build();
    Manifest built = InService.of(table());
    Duration tenth = RETENTION.dividedBy(10);
    compact(now.plus(tenth).minusMillis(1));
    compact(now.minus(RETENTION));
    assertThat(InService.of(table())).isEqualTo(built);
    put("bread", now, row(1));
    compact(now.plus(tenth).minusMillis(1));
    assertThat(InService.of(table()).hasChanges()).isFalse();
    assertThat(InService.of(table()).validity()).isEqualTo(built.validity());
    compact(now.plus(tenth));
    assertThat(validity().horizon()).isEqualTo(now.plus(tenth).minus(RETENTION));
  }

  @Test
  void upkeepFoldsAllPartitionsOnceTheHorizonHasMoved() throws IOException {
    for (int i = 0; i < 300; i++) {
      model.put(hex(key("item" + i, now)), hex(row(i)));
    }
    build();
    Instant later = now.plus(RETENTION.dividedBy(10));
    assertThat(due(later.minusMillis(1))).matches(Plan::isNothing);
    Plan plan = due(later);
    assertThat(plan.folding()).isEqualTo(InService.of(table()).partitions()).hasSize(3);
    assertThat(plan.perStep()).isEqualTo(1);
    assertThat(plan.now()).isEqualTo(later);
  }

  private Plan due(Instant time) throws IOException {
    Manifest manifest = InService.of(table());
    return new UpkeepPolicy(UpkeepSettings.ofStream(Duration.ZERO), InstantSource.fixed(time))
        .due(manifest, ChangeCounts.most(manifest));
  }

  @Test
  void aFoldOfSomePartitionsDoesNotMoveTheHorizon() throws IOException {
    for (int i = 0; i < 300; i++) {
      model.put(hex(key("item" + i, now)), hex(row(i)));
    }
    build();
    Validity built = validity();
    assertThat(InService.of(table()).partitions()).hasSize(3);
    new Compactor(directory)
        .clock(InstantSource.fixed(now.plus(RETENTION)))
        .foldFraction(0)
        .maxPartitions(2)
        .run();
    assertThat(validity()).isEqualTo(built);
  }
}
