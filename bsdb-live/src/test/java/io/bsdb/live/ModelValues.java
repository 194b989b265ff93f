package io.bsdb.live;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Keys and values of the model: a number stands for a value of up to a megabyte. */
final class ModelValues {
  /** Stands for no value. */
  static final int ABSENT = -1;

  private static final int LONG_VALUE = 1 << 20;

  private final Random random;
  private final int keys;

  ModelValues(Random random) {
    this.random = random;
    this.keys = 1 + random.nextInt(random.nextBoolean() ? 20 : 400);
  }

  /**
   * Content of a table.
   *
   * @param values by key
   * @param positions of its sources
   */
  record State(Map<String, Integer> values, Map<String, String> positions) {
    static final String SOURCE = "source";
    static final State EMPTY = new State(Map.of(), Map.of());

    State with(String key, int value) {
      Map<String, Integer> next = new HashMap<>(values);
      if (value == ABSENT) {
        next.remove(key);
      } else {
        next.put(key, value);
      }
      return new State(next, positions);
    }

    State at(String position) {
      return new State(values, Map.of(SOURCE, position));
    }
  }

  int keys() {
    return keys;
  }

  String key(int i) {
    return "k" + i + "x".repeat(i % 7 == 0 ? i : 0);
  }

  String randomKey() {
    return key(random.nextInt(keys));
  }

  /** Returns a number of a value; that of the empty one now and then. */
  int random() {
    return random.nextInt(20) == 0 ? 0 : random.nextInt(Integer.MAX_VALUE);
  }

  byte @Nullable [] bytes(@Nullable Integer number) {
    if (number == null) {
      return null;
    }
    if (number == 0) {
      return new byte[0];
    }
    SplittableRandom lengths = new SplittableRandom(number);
    int kind = lengths.nextInt(100);
    int length = lengths.nextInt(kind == 0 ? LONG_VALUE : kind < 10 ? 4_000 : 60);
    byte[] value = new byte[Integer.BYTES + length];
    Arrays.fill(value, (byte) length);
    ByteBuffer.wrap(value).putInt(number);
    return value;
  }

  private int number(String key, byte[] value) {
    int number = value.length == 0 ? 0 : ByteBuffer.wrap(value).getInt();
    assertThat(value).as(key).isEqualTo(bytes(number));
    return number;
  }

  Map<String, Integer> content(SnapshotReader reader) throws IOException {
    try (RecordCursor cursor = reader.scan()) {
      return content(cursor);
    }
  }

  /** Reads all records. */
  Map<String, Integer> content(RecordCursor cursor) throws IOException {
    Map<String, Integer> content = new HashMap<>();
    while (cursor.next()) {
      String key = new String(cursor.key(), US_ASCII);
      assertThat(content.put(key, number(key, cursor.value()))).as("%s twice", key).isNull();
    }
    return content;
  }
}
