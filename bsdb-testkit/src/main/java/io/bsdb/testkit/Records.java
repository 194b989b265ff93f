package io.bsdb.testkit;

import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;

/** Records with different keys. */
public record Records(List<byte[]> keys, List<byte[]> values) {

  /** Whether all keys, or all values, have one length. */
  public enum Lengths {
    FIXED,
    VARYING
  }

  public static Records empty() {
    return new Records(new ArrayList<>(), new ArrayList<>());
  }

  /** Records of text. */
  public static Records of(Map<String, String> content) {
    Records data = empty();
    content.forEach((key, value) -> data.add(Utf8.bytes(key), Utf8.bytes(value)));
    return data;
  }

  /** Records of text: a key, its value, the next key, and so on. */
  public static Records of(String... keysAndValues) {
    Records data = empty();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      data.add(Utf8.bytes(keysAndValues[i]), Utf8.bytes(keysAndValues[i + 1]));
    }
    return data;
  }

  /** Records of text, from 0 on. */
  public static Records numbered(int count, IntFunction<String> key, IntFunction<String> value) {
    Records data = empty();
    for (int i = 0; i < count; i++) {
      data.add(Utf8.bytes(key.apply(i)), Utf8.bytes(value.apply(i)));
    }
    return data;
  }

  /** Records that depend on nothing but the arguments. */
  public static Records random(
      long seed, int count, Lengths keys, Lengths values, int valueLength) {
    Random random = new Random(seed);
    Records data = empty();
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
  public static Records phrases(long seed, int count) {
    Random random = new Random(seed);
    Records data = empty();
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

  public Records add(byte[] key, byte[] value) {
    keys.add(key);
    values.add(value);
    return this;
  }

  public int count() {
    return keys.size();
  }

  /** Keys of the same kind that are not among the records. */
  public List<byte[]> absentKeys(int count) {
    List<byte[]> absent = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      absent.add(key(0x7FABCDEF, i, 8 + i % 9 * (i % 2)));
    }
    absent.add(new byte[0]);
    absent.add(new byte[] {1});
    Set<ByteBuffer> present = new HashSet<>(keys.stream().map(ByteBuffer::wrap).toList());
    absent.removeIf(key -> present.contains(ByteBuffer.wrap(key)));
    byte[] longest = new byte[65_535]; // whose hash would take longer than all else
    if (keys.stream().noneMatch(key -> Arrays.equals(key, longest))) {
      absent.add(longest);
    }
    return absent;
  }

  public Manifest publish(Path table, WriterOptions options) throws IOException {
    WriterOptions anyRows = options.toBuilder().minRows(0).build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, anyRows)) {
      for (int i = 0; i < count(); i++) {
        writer.add(keys.get(i), values.get(i));
      }
      return writer.publish();
    }
  }

  /** Publishes the records as changes of the version in service. */
  public Manifest change(Table table) throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(table)) {
      for (int i = 0; i < count(); i++) {
        writer.put(keys.get(i), values.get(i));
      }
      return writer.publish();
    }
  }
}
