package io.bsdb.reader.overlay;

import static io.bsdb.testkit.Utf8.bytes;
import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.ValueReader;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.segment.Segment;
import io.bsdb.reader.NothingLeftOpen;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.SegmentFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(NothingLeftOpen.class)
class OverlayTest {
  private static final Overlay.Scope ALL = (key, length, high, segment) -> true;
  @TempDir private Path table;

  /** Writes a segment: keys with their new values, null for those to be deleted. */
  private SegmentFile segment(long number, Map<String, @Nullable String> changes)
      throws IOException {
    return Segments.write(table, number, changes);
  }

  /** Replaces segments by one with the newest change of each key, under the last one's number. */
  private void mergeAll(List<SegmentFile> files, List<Map<String, @Nullable String>> contents)
      throws IOException {
    Map<String, @Nullable String> newest = new HashMap<>();
    contents.forEach(newest::putAll);
    SegmentFile merged = segment(files.get(files.size() - 1).number(), newest);
    files.clear();
    files.add(merged);
    contents.clear();
    contents.add(newest);
  }

  private static Overlay.Before all(Overlay previous) {
    return new Overlay.Before(previous, Overlay.Kept.ALL, null);
  }

  private Overlay open(
      List<SegmentFile> files, Overlay.Scope scope, Access access, Overlay.Before before)
      throws IOException {
    return Overlay.open(
        files,
        file -> table.resolve(file.path()),
        RecordOrder.HASH,
        scope,
        ReaderOptions.builder().access(access).build(),
        before);
  }

  /** Returns the changes of segments as a log has them. */
  private ChangeTable grown(List<SegmentFile> files) throws IOException {
    ChangeTable grown = ChangeTable.growing();
    for (SegmentFile file : files) {
      Path path = table.resolve(file.path());
      Segment segment =
          new Segment(
              ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN),
              file.fileId(),
              path.toString());
      int number = grown.addSegment(segment);
      segment.replay((kind, record) -> grown.put(ChangeRecords.address(number, record)));
    }
    return grown;
  }

  @Test
  void anIndexIsAsLargeAsItsKeysHoweverOftenTheyChange() throws IOException {
    List<SegmentFile> files = new ArrayList<>();
    for (int i = 1; i <= 20; i++) {
      Map<String, @Nullable String> changes = new HashMap<>();
      for (int key = 0; key < 20_000; key++) {
        changes.put("key" + key, "value" + i);
      }
      files.add(segment(i, changes));
    }
    try (Overlay overlay = open(files, ALL, Access.MAPPED, Overlay.Before.NOTHING)) {
      assertThat(overlay.changedKeys()).isEqualTo(20_000);
      assertThat(overlay.indexBytes()).isLessThan(2_000_000); // of 400,000 keys: 6 million
      assertThat(found(overlay, "key7")).isEqualTo("value20");
    }
    Map<String, @Nullable String> more = new HashMap<>();
    for (int key = 0; key < 200_000; key++) {
      more.put("more" + key, null);
    }
    try (Overlay before = open(files, ALL, Access.MAPPED, Overlay.Before.NOTHING)) {
      files.add(segment(21, more));
      try (Overlay grown = open(files, ALL, Access.MAPPED, all(before))) {
        assertThat(grown.changedKeys()).isEqualTo(220_000);
        assertThat(found(grown, "key19999")).isEqualTo("value20");
        assertThat(found(grown, "more199999")).isEqualTo("deleted");
      }
    }
  }

  /** An index that grew would have room for twice as many. */
  @Test
  void anIndexOfOneSegmentHasRoomForItsKeysFromTheStart() throws IOException {
    Map<String, @Nullable String> changes = new HashMap<>();
    for (int key = 0; key < 230_000; key++) {
      changes.put("key" + key, "value");
    }
    List<SegmentFile> files = List.of(segment(1, changes));
    try (Overlay overlay = open(files, ALL, Access.MAPPED, Overlay.Before.NOTHING)) {
      assertThat(overlay.changedKeys()).isEqualTo(230_000);
      assertThat(overlay.indexBytes()).isLessThan(15 * 230_000);
      assertThat(found(overlay, "key229999")).isEqualTo("value");
    }
  }

  /** As between the folds of the others, or if one writer of a stream is busier than all others. */
  @Test
  void keysOfOnePartitionDoNotCrowd() throws IOException {
    Partitioning partitioning = new Partitioning(64);
    for (int partition : new int[] {0, 63}) {
      Map<String, @Nullable String> changes = new HashMap<>();
      for (int i = 0; changes.size() < 20_000; i++) {
        if (partitioning.partition(bytes("key" + i)) == partition) {
          changes.put("key" + i, "value");
        }
      }
      List<SegmentFile> files = List.of(segment(1, changes));
      try (Overlay overlay = open(files, ALL, Access.MAPPED, Overlay.Before.NOTHING);
          ChangeTable grown = grown(files)) {
        assertThat(overlay.changedKeys()).isEqualTo(changes.size());
        assertThat(grown.keys()).isEqualTo(changes.size());
        assertThat(overlay.indexBytes() + grown.indexBytes()).isLessThan(2_000_000);
        assertThat(changes.keySet()).allMatch(key -> found(overlay, key).equals("value"));
      }
    }
  }

  /** Partition after partition is folded; the last one has the most hashes after all others. */
  @Test
  void keysThatAreLeftByFoldsDoNotCrowd() throws IOException {
    Partitioning partitioning = new Partitioning(16);
    Map<String, @Nullable String> changes = new HashMap<>();
    for (int i = 0; i < 100_000; i++) {
      changes.put("key" + i, null);
    }
    List<SegmentFile> files = List.of(segment(1, changes));
    Overlay overlay = open(files, ALL, Access.MAPPED, Overlay.Before.NOTHING);
    for (int folded = 1; folded < 16; folded++) {
      int last = folded;
      Overlay.Scope scope =
          (key, length, high, segment) -> partitioning.partition(key, length, high) >= last;
      try (Overlay before = overlay) {
        overlay =
            open(
                files,
                scope,
                Access.MAPPED,
                new Overlay.Before(before, Overlay.Kept.APPLYING, null));
      }
    }
    try (Overlay left = overlay) {
      for (String key : changes.keySet()) {
        assertThat(found(left, key))
            .isEqualTo(partitioning.partition(bytes(key)) == 15 ? "deleted" : "unchanged");
      }
    }
  }

  private static String found(Overlay overlay, String key) {
    HashValue128 hash = KeyHash.hash(bytes(key));
    long high = hash.getMostSignificantBits();
    long found = overlay.table().find(bytes(key), high);
    if (found == Overlay.UNCHANGED) {
      return "unchanged";
    }
    if (found == Overlay.DELETED) {
      return "deleted";
    }
    ByteBuffer target = ByteBuffer.allocate(100);
    overlay.read(
        found,
        0,
        (index, bytes, offset, length) -> {
          bytes.copy(offset, length, target);
          return target;
        });
    byte[] value = overlay.read(found, 0, ValueReader.COPY);
    if (!target.flip().equals(ByteBuffer.wrap(value))) { // thousands of assertions are slow
      assertThat(target).isEqualTo(ByteBuffer.wrap(value));
    }
    return text(value);
  }

  private static void assertEqual(Overlay overlay, Map<String, String> model, int keys) {
    for (int i = 0; i < keys; i++) {
      String found = found(overlay, "k" + i);
      String expected = model.getOrDefault("k" + i, "unchanged");
      if (!found.equals(expected)) {
        assertThat(found).as("k%d", i).isEqualTo(expected);
      }
    }
    assertThat(overlay.changedKeys()).isEqualTo(model.size());
    Map<String, String> live = new HashMap<>(model);
    live.values().removeIf("deleted"::equals);
    Partitioning partitioning = new Partitioning(7);
    long[] counts = new long[7];
    model.keySet().forEach(key -> counts[partitioning.partition(bytes(key))]++);
    assertThat(overlay.changedKeys(partitioning)).isEqualTo(counts);
    Map<String, String> walked = new HashMap<>();
    for (int partition = 0; partition < 7; partition++) {
      int here = partition;
      ChangeCursor cursor = overlay.cursor(partitioning, each -> each == here);
      while (cursor.next()) {
        String key = text(cursor.key());
        int other = partitioning.partition(cursor.key());
        String twice = walked.put(key, text(cursor.value()));
        if (other != partition || twice != null) {
          assertThat(other).as(key).isEqualTo(partition);
          assertThat(twice).as(key).isNull();
        }
      }
    }
    assertThat(walked).isEqualTo(live);
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "RESIDENT"})
  void answersLikeAMap(Access access) throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Map<String, String> model = new HashMap<>();
    List<SegmentFile> files = new ArrayList<>();
    List<Map<String, @Nullable String>> contents = new ArrayList<>();
    Partitioning partitioning = new Partitioning(5);
    long[] folded = new long[partitioning.count()];
    Overlay.Scope scope =
        (key, length, high, segment) -> segment > folded[partitioning.partition(key, length, high)];
    Overlay overlay = open(files, scope, access, Overlay.Before.NOTHING);
    int keys = 8_000;
    for (int round = 1; round <= 24; round++) {
      if (files.size() > 1 && random.nextInt(3) > 0) {
        int from = random.nextInt(files.size());
        int end = from + 1 + random.nextInt(Math.min(3, files.size() - from));
        mergeAll(files.subList(from, end), contents.subList(from, end));
      }
      Overlay.Kept kept = Overlay.Kept.ALL;
      if (!files.isEmpty() && random.nextInt(3) == 0) {
        kept = Overlay.Kept.APPLYING;
        int partition = random.nextInt(folded.length);
        long through = files.get(random.nextInt(files.size())).number();
        folded[partition] = Math.max(folded[partition], through);
      }
      List<SegmentFile> log = new ArrayList<>();
      for (int i = random.nextInt(3); i >= 0; i--) {
        Map<String, @Nullable String> changes = changes(round, keys, random);
        log.add(segment(3 * round - i, changes));
        contents.add(changes);
      }
      files.addAll(log);
      model.clear();
      for (int i = 0; i < files.size(); i++) {
        long number = files.get(i).number();
        contents
            .get(i)
            .forEach(
                (key, value) -> {
                  if (number > folded[partitioning.partition(bytes(key))]) {
                    model.put(key, value == null ? "deleted" : value);
                  }
                });
      }
      if (random.nextInt(4) == 0) {
        log.add(segment(999, changes(round, keys, random))); // not in the version
      }
      try (ChangeTable grown = random.nextBoolean() ? grown(log) : null) {
        Overlay next = open(files, scope, access, new Overlay.Before(overlay, kept, grown));
        overlay.close();
        overlay = next;
      }
      assertThat(found(overlay, "absent")).as("seed %d", seed).isEqualTo("unchanged");
      assertEqual(overlay, model, keys);
    }
    try (Overlay again = open(files, scope, access, Overlay.Before.NOTHING)) {
      assertEqual(again, model, keys);
    }
    overlay.close();
  }

  private static Map<String, @Nullable String> changes(int round, int keys, Random random) {
    Map<String, @Nullable String> changes = new HashMap<>();
    for (int i = random.nextInt(1 << Math.min(round, 12)); i >= 0; i--) {
      String key = "k" + random.nextInt(keys);
      changes.put(key, random.nextInt(4) == 0 ? null : "v" + round + "-" + i);
    }
    return changes;
  }

  @Test
  void findsTheKeysOfARangeOfHashesHoweverNarrow() throws IOException {
    Map<String, @Nullable String> changes = new HashMap<>();
    for (int key = 0; key < 3_000; key++) {
      changes.put("key" + key, "value");
    }
    List<SegmentFile> files = List.of(segment(1, changes));
    try (Overlay overlay = open(files, ALL, Access.MAPPED, Overlay.Before.NOTHING)) {
      for (int key = 0; key < 100; key++) {
        byte[] wanted = bytes("key" + key);
        long high = KeyHash.hash(wanted).getMostSignificantBits();
        assertThat(keys(overlay.changes(high, high, 0))).containsExactly("key" + key);
        assertThat(keys(overlay.changes(high - 1, high, 0))).containsExactly("key" + key);
        assertThat(keys(overlay.changes(high, high + 1, 0))).containsExactly("key" + key);
        assertThat(keys(overlay.changes(high - 2, high - 1, 0))).isEmpty();
        assertThat(keys(overlay.changes(high + 1, high + 2, 0))).isEmpty();
      }
    }
  }

  /** Who has read some of them goes on after as many of another overlay of the same changes. */
  @ParameterizedTest
  @CsvSource({"1, 375", "100, 3000", "1048576, 3000"}) // each key for itself takes their square
  void givesKeysInOneOrderWhateverItsIndexIsMadeOf(int maxSorted, int count) throws IOException {
    List<SegmentFile> files = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      Map<String, @Nullable String> changes = new HashMap<>();
      for (int key = 0; key < count; key++) {
        changes.put("key" + i * key, key % 7 == 0 ? null : "value" + i);
      }
      files.add(segment(i, changes));
    }
    try (Overlay first = open(files.subList(0, 1), ALL, Access.MAPPED, Overlay.Before.NOTHING);
        Overlay grown = open(files, ALL, Access.MAPPED, all(first));
        Overlay fresh = open(files, ALL, Access.MAPPED, Overlay.Before.NOTHING)) {
      List<String> keys = keys(sorted(grown, maxSorted));
      assertThat(keys).isEqualTo(keys(sorted(fresh, maxSorted)));
      assertThat(keys).hasSize(grown.changedKeys()).doesNotHaveDuplicates();
      assertThat(keys(sorted(fresh, 1 << 20))).isEqualTo(keys(fresh.changes()));
    }
  }

  private static ChangeCursor sorted(Overlay overlay, int maxSorted) {
    return new ChangeCursor(overlay.table(), ChangeCursor.Deleted.INCLUDED, at -> true, maxSorted);
  }

  private static List<String> keys(ChangeCursor cursor) {
    List<String> keys = new ArrayList<>();
    while (cursor.next()) {
      keys.add(text(cursor.key()));
    }
    return keys;
  }

  @Test
  void anOverlayStaysWhatItIsWhenTheNextIsMadeOfIt() throws IOException {
    SegmentFile first = segment(1, Map.of("a", "1", "b", "1"));
    SegmentFile second = segment(2, Map.of("b", "2", "c", "2"));
    Overlay old = open(List.of(first), ALL, Access.MAPPED, Overlay.Before.NOTHING);
    try (Overlay next = open(List.of(first, second), ALL, Access.MAPPED, all(old))) {
      assertThat(found(old, "b")).isEqualTo("1");
      assertThat(found(old, "c")).isEqualTo("unchanged");
      old.close();
      assertThat(found(next, "a")).isEqualTo("1");
      assertThat(found(next, "b")).isEqualTo("2");
    }
  }

  @Test
  void limitsTheNumberOfKeysThatChangedAfterASegment() throws IOException {
    List<SegmentFile> files =
        List.of(
            segment(1, Map.of("a", "1", "b", "1", "c", "1")),
            segment(2, Map.of("b", "2")),
            segment(4, Map.of("b", "4", "d", "4")));
    try (Overlay overlay = open(files, ALL, Access.MAPPED, Overlay.Before.NOTHING)) {
      assertThat(overlay.maxChangedKeys(0)).isEqualTo(4);
      assertThat(overlay.maxChangedKeys(1)).isEqualTo(3);
      assertThat(overlay.maxChangedKeys(2)).isEqualTo(2);
      assertThat(overlay.maxChangedKeys(4)).isZero();
    }
  }

  @Test
  void takesOnlyWhatApplies() throws IOException {
    List<SegmentFile> files =
        List.of(segment(1, Map.of("a", "1", "b", "1")), segment(2, Map.of("b", "2")));
    Overlay.Scope later = (key, length, high, segment) -> segment > 1;
    try (Overlay overlay = open(files, later, Access.MAPPED, Overlay.Before.NOTHING)) {
      assertThat(found(overlay, "a")).isEqualTo("unchanged");
      assertThat(found(overlay, "b")).isEqualTo("2");
    }
  }
}
