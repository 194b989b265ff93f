package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.bsdb.format.LentBytes;
import io.bsdb.format.ValueReader;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.Records;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Records with different keys, and what a reader must answer to them. */
record TestData(List<byte[]> keys, List<byte[]> values) {

  static TestData of(Records records) {
    return new TestData(records.keys(), records.values());
  }

  static TestData empty() {
    return of(Records.empty());
  }

  /** Records as {@link Records#random}. */
  static TestData random(long seed, int count, Lengths keys, Lengths values, int valueLength) {
    return of(Records.random(seed, count, keys, values, valueLength));
  }

  /** Records as {@link Records#phrases}. */
  static TestData phrases(long seed, int count) {
    return of(Records.phrases(seed, count));
  }

  private Records records() {
    return new Records(keys, values);
  }

  TestData add(byte[] key, byte[] value) {
    keys.add(key);
    values.add(value);
    return this;
  }

  int count() {
    return keys.size();
  }

  /** Keys of the same kind that are not among the records. */
  List<byte[]> absentKeys(int count) {
    return records().absentKeys(count);
  }

  Manifest publish(Path table, WriterOptions options) throws IOException {
    return records().publish(table, options);
  }

  /** Every key is answered right by every way of asking. */
  void assertFoundIn(SnapshotReader reader) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(longestValue() + 7);
    for (int i = 0; i < count(); i++) {
      byte[] value = values.get(i);
      assertSame(reader.get(keys.get(i)), value, i);
      target.clear().position(5);
      int length = reader.get(keys.get(i), target);
      if (length != value.length
          || target.position() != 5 + length
          || !target.slice(5, length).equals(ByteBuffer.wrap(value))) {
        fail("record %d: another value in the buffer, or another length: %d", i, length);
      }
    }
    List<byte[]> answers = reader.getAll(keys);
    assertThat(answers).hasSize(count());
    for (int i = 0; i < count(); i++) {
      assertSame(answers.get(i), values.get(i), i);
    }
    assertLentBy(reader);
  }

  /** Values that are lent hold what was written, as far as the first and last bytes show it. */
  void assertLentBy(KeyLookup lookup) throws IOException {
    for (int i = 0; i < count(); i++) {
      int record = i;
      ValueReader<Boolean> one =
          (key, bytes, offset, length) -> key == 0 && isLent(record, bytes, offset, length);
      if (!Boolean.TRUE.equals(lookup.get(keys.get(i), one))) {
        fail("record %d: not lent, or another value", i);
      }
    }
    assertThat(lookup.getAll(keys, this::isLent)).hasSize(count()).allMatch(lent -> lent);
  }

  boolean isLent(int record, LentBytes bytes, int offset, int length) {
    byte[] value = values.get(record);
    boolean ends =
        length == 0
            || (bytes.byteAt(offset) == value[0]
                && bytes.byteAt(offset + length - 1) == value[length - 1]);
    boolean first =
        length < Long.BYTES
            || bytes.longAt(offset)
                == ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).getLong(0);
    return length == value.length && ends && first && bytes.holds(offset, length, value);
  }

  private static void assertSame(byte[] actual, byte[] expected, int index) {
    if (!Arrays.equals(actual, expected)) { // assertThat would take most of the test's time
      assertThat(actual).as("record %d", index).isEqualTo(expected);
    }
  }

  private int longestValue() {
    return values.stream().mapToInt(value -> value.length).max().orElse(0);
  }

  /** Keys that come twice and keys that do not come at all, among the others, in any order. */
  void assertMixedListAnsweredBy(SnapshotReader reader) throws IOException {
    Map<ByteBuffer, byte[]> expected = new HashMap<>();
    List<byte[]> mixed = new ArrayList<>(absentKeys(20));
    for (int i = 0; i < count(); i++) {
      expected.put(ByteBuffer.wrap(keys.get(i)), values.get(i));
      mixed.add(keys.get(i));
      mixed.add(keys.get(i / 2));
    }
    Collections.shuffle(mixed, new Random(9));
    List<byte[]> answers = reader.getAll(mixed);
    assertThat(answers).hasSize(mixed.size());
    for (int i = 0; i < mixed.size(); i++) {
      assertSame(answers.get(i), expected.get(ByteBuffer.wrap(mixed.get(i))), i);
    }
  }

  void assertNothingElseFoundIn(SnapshotReader reader) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(3);
    for (byte[] key : absentKeys(200)) {
      byte[] found = reader.get(key);
      int length = reader.get(key, target);
      if (found != null || length != SnapshotReader.NOT_FOUND || target.position() != 0) {
        assertThat(found).isNull();
        assertThat(length).isEqualTo(SnapshotReader.NOT_FOUND);
        assertThat(target.position()).isZero();
      }
    }
  }

  /** A scan gives each record once, partition by partition. */
  void assertScannedFrom(SnapshotReader reader) throws IOException {
    assertThat(scanned(reader)).isEqualTo(asMap());
  }

  Map<ByteBuffer, ByteBuffer> asMap() {
    Map<ByteBuffer, ByteBuffer> all = new HashMap<>();
    for (int i = 0; i < count(); i++) {
      all.put(ByteBuffer.wrap(keys.get(i)), ByteBuffer.wrap(values.get(i)));
    }
    return all;
  }

  static Map<ByteBuffer, ByteBuffer> scanned(SnapshotReader reader) throws IOException {
    Map<ByteBuffer, ByteBuffer> all = new HashMap<>();
    try (RecordCursor cursor = reader.scan()) {
      while (cursor.next()) {
        if (all.put(ByteBuffer.wrap(cursor.key()), ByteBuffer.wrap(cursor.value())) != null) {
          fail("the same key twice: %s", java.util.HexFormat.of().formatHex(cursor.key()));
        }
      }
      assertThat(cursor.next()).isFalse();
    }
    long byPartition = 0;
    for (int partition = 0; partition < reader.partitionCount(); partition++) {
      try (RecordCursor cursor = reader.scan(partition)) {
        while (cursor.next()) {
          byPartition +=
              ByteBuffer.wrap(cursor.value()).equals(all.get(ByteBuffer.wrap(cursor.key())))
                  ? 1
                  : 0;
        }
      }
    }
    assertThat(byPartition).isEqualTo(all.size());
    return all;
  }
}
