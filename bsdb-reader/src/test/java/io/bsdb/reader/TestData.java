package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.bsdb.format.LentBytes;
import io.bsdb.format.ValueReader;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Records with different keys, and what a reader must answer to them. */
record TestData(List<byte[]> keys, List<byte[]> values) {

  /** Whether all keys, or all values, have one length. */
  enum Lengths {
    FIXED,
    VARYING
  }

  static TestData empty() {
    return new TestData(new ArrayList<>(), new ArrayList<>());
  }

  /** Records that depend on nothing but the arguments. */
  static TestData random(long seed, int count, Lengths keys, Lengths values, int valueLength) {
    Random random = new Random(seed);
    TestData data = empty();
    for (int i = 0; i < count; i++) {
      byte[] value = new byte[values == Lengths.FIXED ? valueLength : random.nextInt(valueLength)];
      for (int j = 0; j < value.length; j++) {
        value[j] = (byte) random.nextInt(8);
      }
      data.add(key(seed, i, keys == Lengths.FIXED ? 8 : 8 + random.nextInt(40)), value);
    }
    return data;
  }

  /** Records whose values have so much in common that a dictionary pays. */
  static TestData phrases(long seed, int count) {
    Random random = new Random(seed);
    TestData data = empty();
    for (int i = 0; i < count; i++) {
      String value =
          "customer: " + random.nextInt() + ", city: Zurich, country: Switzerland, orders: " + i;
      data.add(key(seed, i, 8), value.getBytes(StandardCharsets.UTF_8));
    }
    return data;
  }

  private static byte[] key(long seed, int number, int length) {
    ByteBuffer key = ByteBuffer.allocate(length);
    key.putInt((int) seed).putInt(number);
    while (key.hasRemaining()) {
      key.put((byte) number);
    }
    return key.array();
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
    List<byte[]> absent = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      absent.add(key(0x7FABCDEF, i, 8 + i % 9 * (i % 2)));
    }
    absent.add(new byte[0]);
    absent.add(new byte[] {1});
    absent.add(new byte[65_535]);
    Set<ByteBuffer> present = new HashSet<>(keys.stream().map(ByteBuffer::wrap).toList());
    absent.removeIf(key -> present.contains(ByteBuffer.wrap(key)));
    return absent;
  }

  Manifest publish(Path table, WriterOptions options) throws IOException {
    WriterOptions anyRows = options.toBuilder().minRows(0).build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, anyRows)) {
      for (int i = 0; i < count(); i++) {
        writer.add(keys.get(i), values.get(i));
      }
      assertThat(writer.recordCount()).isEqualTo(count());
      return writer.publish();
    }
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
      assertThat(lookup.get(keys.get(i), one)).as("record %d", i).isTrue();
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
    for (byte[] key : absentKeys(200)) {
      assertThat(reader.get(key)).isNull();
      ByteBuffer target = ByteBuffer.allocate(3);
      assertThat(reader.get(key, target)).isEqualTo(SnapshotReader.NOT_FOUND);
      assertThat(target.position()).isZero();
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
