package io.bsdb.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.manifest.RecordOrder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads of a version in every way, compared with what it holds. */
record TableModelReads(TableModelRecords records, Random random) {

  void assertHolds(SnapshotReader version, NavigableMap<String, byte[]> content, int lookups)
      throws IOException {
    SnapshotReader reader = version.allVersions();
    RecordOrder order = reader.manifest().order();
    assertGets(reader, content);
    List<byte @Nullable []> expected = new ArrayList<>();
    List<byte[]> asked = new ArrayList<>();
    for (int i = 0; i < lookups; i++) {
      String key = records.key();
      byte[] bytes = key.getBytes(ISO_8859_1);
      asked.add(bytes);
      expected.add(content.get(key));
      assertThat(reader.get(bytes)).as("get %s", key).isEqualTo(content.get(key));
      assertThat(reader.get(bytes, Answers.BY_BYTES)).isEqualTo(content.get(key));
      assertThat(reader.async().get(bytes).join()).isEqualTo(content.get(key));
      if (order == RecordOrder.KEY) {
        OrderedReader ordered = reader.ordered();
        AsyncOrderedReader later = reader.async().ordered();
        assertKey(later.floor(bytes).join(), content.floorKey(key), "later floor of " + key);
        assertKey(later.ceiling(bytes).join(), content.ceilingKey(key), "later above " + key);
        if (records.kind() == TableModelRecords.Kind.BYTES) {
          assertKey(
              ordered.longestPrefix((key + "x").getBytes(ISO_8859_1)),
              content.containsKey(key) ? key : null,
              "longest prefix of " + key + "x");
        }
        assertKey(ordered.floor(bytes), content.floorKey(key), "floor of " + key);
        assertKey(ordered.ceiling(bytes), content.ceilingKey(key), "ceiling of " + key);
        assertKey(ordered.lower(bytes), content.lowerKey(key), "lower than " + key);
        assertKey(ordered.higher(bytes), content.higherKey(key), "higher than " + key);
      }
    }
    assertThat(reader.async().getAll(asked).join()).containsExactlyElementsOf(expected);
    if (order == RecordOrder.KEY) {
      assertRanges(reader.ordered(), content);
      KeyRange first = KeyRange.all().from(asked.get(0));
      List<String> found = new ArrayList<>();
      for (KeyValue record : reader.async().ordered().range(first, 30).join()) {
        found.add(new String(record.key(), ISO_8859_1));
      }
      assertThat(found)
          .containsExactlyElementsOf(
              content.tailMap(new String(asked.get(0), ISO_8859_1), true).keySet().stream()
                  .limit(30)
                  .toList());
    }
  }

  void assertGets(KeyLookup lookup, Map<String, byte[]> content) throws IOException {
    List<byte[]> asked = new ArrayList<>();
    List<byte @Nullable []> expected = new ArrayList<>();
    for (int i = random.nextInt(70); i > 0; i--) {
      String key = records.key();
      asked.add(key.getBytes(ISO_8859_1));
      expected.add(content.get(key));
    }
    assertThat(lookup.getAll(asked)).containsExactlyElementsOf(expected);
    assertThat(lookup.getAll(asked, Answers.BY_BYTES)).containsExactlyElementsOf(expected);
    String key = records.key();
    assertThat(lookup.get(key.getBytes(ISO_8859_1))).isEqualTo(content.get(key));
  }

  void assertRanges(OrderedReader ordered, NavigableMap<String, byte[]> content)
      throws IOException {
    String from = records.key();
    String to = records.key();
    KeyRange range = KeyRange.all().from(from.getBytes(ISO_8859_1)).before(to.getBytes(ISO_8859_1));
    NavigableMap<String, byte[]> expected =
        from.compareTo(to) < 0 ? content.subMap(from, true, to, false) : new TreeMap<>();
    boolean reversed = random.nextBoolean();
    List<String> found = new ArrayList<>();
    try (RecordCursor cursor = ordered.range(reversed ? range.reversed() : range)) {
      while (cursor.next()) {
        String key = new String(cursor.key(), ISO_8859_1);
        found.add(key);
        assertThat(cursor.value()).as("in a range: %s", key).isEqualTo(content.get(key));
      }
    }
    assertThat(found)
        .containsExactlyElementsOf((reversed ? expected.descendingMap() : expected).keySet());
  }

  private static void assertKey(@Nullable KeyValue found, @Nullable String expected, String what) {
    assertThat(found == null ? null : new String(found.key(), ISO_8859_1))
        .as(what)
        .isEqualTo(expected);
  }

  static void assertScans(SnapshotReader reader, Map<String, byte[]> content) throws IOException {
    List<String> found = new ArrayList<>();
    try (RecordCursor cursor = reader.allVersions().scan()) {
      while (cursor.next()) {
        String key = new String(cursor.key(), ISO_8859_1);
        found.add(key);
        assertThat(cursor.value()).as("scan %s", key).isEqualTo(content.get(key));
      }
    }
    assertThat(found).containsExactlyInAnyOrderElementsOf(content.keySet());
  }
}
