package io.bsdb.row;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.row.text.RowJsonWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows, keys and types of whatever bytes are decoded, or refused by one of our exceptions. */
class RowFuzzTest {
  private static final Schema SCHEMA =
      Schema.of(
          ColumnType.parseColumns(
              """
            id INT, code STRING, price DECIMAL(5, 2), bool BOOLEAN, small DECIMAL(5, 2), \
            big DECIMAL(30, 2), double DOUBLE NOT NULL, date DATE, time TIME(3), \
            ts TIMESTAMP(9), array ARRAY<STRING>, ints ARRAY<INT>, \
            map MAP<STRING NOT NULL, ARRAY<INT NOT NULL>>, \
            row ROW<`a` INT, `b` ROW<`c` STRING>, `e` ROW<>>, \
            rows ARRAY<ROW<`a` BOOLEAN, `b` STRING>>"""),
          List.of("id", "code", "price"));
  private static final RowCodec CODEC = RowCodec.of(SCHEMA);

  /** A key's length in one byte, the key, the value. */
  static Stream<byte[]> rows() {
    byte[] key = CODEC.encodeKey(7, "abc", new BigDecimal("9.99"));
    byte[] full =
        CODEC.encodeValue(
            true,
            new BigDecimal("1.50"),
            new BigDecimal("-12345678901234567890.12"),
            5d,
            java.time.LocalDate.EPOCH,
            java.time.LocalTime.NOON,
            java.time.LocalDateTime.of(2026, 1, 2, 3, 4, 5, 6),
            Arrays.asList("a", null, "bcd"),
            Arrays.asList(1, null),
            Map.of("k", List.of(1, 2)),
            List.of(1, List.of("x"), List.of()),
            List.of(List.of(true, "s")));
    byte[] empty = CODEC.encodeValue(Map.of("double", 1d));
    return Stream.of(full, empty).map(value -> join(key, value));
  }

  private static byte[] join(byte[] key, byte[] value) {
    byte[] whole = new byte[1 + key.length + value.length];
    whole[0] = (byte) key.length;
    System.arraycopy(key, 0, whole, 1, key.length);
    System.arraycopy(value, 0, whole, 1 + key.length, value.length);
    return whole;
  }

  @MethodSource("rows")
  @FuzzTest(maxDuration = "3m")
  void row(byte[] bytes) {
    if (bytes.length == 0) {
      return;
    }
    int split = Math.min(bytes.length, 1 + (bytes[0] & 0x7F));
    byte[] key = Arrays.copyOfRange(bytes, 1, split);
    byte[] value = Arrays.copyOfRange(bytes, split, bytes.length);
    boolean sound = isSound(key, value);
    String text;
    try {
      text = RowJsonWriter.of(SCHEMA).row(key, value);
    } catch (UncheckedIOException e) {
      assertThat(e).hasCauseInstanceOf(CorruptSnapshotException.class);
      assertThat(sound).as("verified, yet refused: %s", e.getMessage()).isFalse();
      return;
    }
    assertThat(text).startsWith("{\"id\": ").endsWith("}");
  }

  private static boolean isSound(byte[] key, byte[] value) {
    try {
      CODEC.verify(key, value);
      return true;
    } catch (CorruptSnapshotException e) {
      assertThat(e.getMessage()).isNotBlank();
      return false;
    }
  }

  static Stream<byte[]> types() {
    return SCHEMA.columns().stream()
        .map(column -> column.type().toString().getBytes(StandardCharsets.UTF_8));
  }

  @MethodSource("types")
  @FuzzTest(maxDuration = "2m")
  void type(byte[] bytes) {
    ColumnType type;
    try {
      type = ColumnType.parse(new String(bytes, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      assertThat(e.getMessage()).isNotBlank();
      return;
    }
    assertThat(ColumnType.parse(type.toString())).isEqualTo(type);
  }
}
