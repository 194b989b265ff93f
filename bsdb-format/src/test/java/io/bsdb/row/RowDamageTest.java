package io.bsdb.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RowDamageTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final int[] CHANGES = {1, 2, 4, 8, 16, 32, 64, 128, 0x55, 0xFF};

  private static final Schema SCHEMA =
      Schema.of(
          ColumnType.parseColumns(
              """
            id INT, code STRING, price DECIMAL(5, 2), string STRING, bool BOOLEAN, bytes BYTES, \
            small DECIMAL(5, 2), big DECIMAL(30, 2), tiny TINYINT, short SMALLINT, long BIGINT, \
            float FLOAT, double DOUBLE NOT NULL, date DATE, time TIME(3), ts TIMESTAMP(9), \
            ltz TIMESTAMP_LTZ(3), array ARRAY<STRING>, ints ARRAY<INT>, \
            map MAP<STRING NOT NULL, ARRAY<INT NOT NULL>>, \
            row ROW<`a` INT, `b` ROW<`c` STRING>, `e` ROW<>>, \
            rows ARRAY<ROW<`a` BOOLEAN, `b` STRING>>, nothing STRING"""),
          List.of("id", "code", "price"));
  private static final RowCodec CODEC = RowCodec.of(SCHEMA);
  private static final byte[] KEY = CODEC.encodeKey(7, "abc", new BigDecimal("9.99"));
  private static final byte[] VALUE =
      CODEC.encodeValue(
          "Zürich",
          true,
          new byte[] {1, 2},
          new BigDecimal("1.50"),
          new BigDecimal("-12345678901234567890.12"),
          1,
          2,
          3L,
          4f,
          5d,
          LocalDate.EPOCH,
          LocalTime.NOON,
          LocalDateTime.of(2026, 1, 2, 3, 4, 5, 6),
          Instant.EPOCH,
          Arrays.asList("a", null, "bcd"),
          Arrays.asList(1, null),
          Map.of("k", List.of(1, 2)),
          List.of(1, List.of("x"), List.of()),
          List.of(List.of(true, "s")),
          null);

  /** All columns as text, or the message of our exception; any other throwable escapes. */
  private static String outcome(byte[] key, byte[] value) {
    try {
      CODEC.verify(key, value);
    } catch (CorruptSnapshotException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
    try {
      return CODEC.decode(key, value).toString();
    } catch (UncheckedIOException e) {
      assertThat(e).hasCauseInstanceOf(CorruptSnapshotException.class);
      return String.valueOf(e.getMessage());
    }
  }

  /** The same within a larger array, whose other bytes must not matter. */
  private static String outcomeWithin(byte[] value, byte surroundings) {
    byte[] around = new byte[value.length + 64];
    Arrays.fill(around, surroundings);
    System.arraycopy(value, 0, around, 32, value.length);
    try {
      RowView view = new RowView(RowLayout.ofValues(SCHEMA)).wrap(around, 32, value.length);
      return new Row(RowCodec.of(SCHEMA), KeyView.of(SCHEMA).wrap(KEY), view).toString();
    } catch (UncheckedIOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static String outcomeAnywhere(byte[] value) {
    String alone = outcome(KEY, value);
    assertThat(outcomeWithin(value, (byte) 0)).isEqualTo(alone);
    assertThat(outcomeWithin(value, (byte) 0x5A)).isEqualTo(alone);
    return alone;
  }

  @Test
  void intactRowReadsBack() throws Exception {
    CODEC.verify(KEY, VALUE);
    assertThat(outcomeAnywhere(VALUE))
        .startsWith("{id=7, code=abc, price=9.99, string=Zürich, bool=true")
        .endsWith("rows=[{a=true, b=s}], nothing=null}");
  }

  @Test
  void everyByteOfTheValueChanged() {
    for (int at = 0; at < VALUE.length; at++) {
      byte[] damaged = VALUE.clone();
      for (int change : CHANGES) {
        damaged[at] = (byte) (VALUE[at] ^ change);
        outcomeAnywhere(damaged);
      }
    }
  }

  @Test
  void everyByteOfTheKeyChanged() {
    for (int at = 0; at < KEY.length; at++) {
      byte[] damaged = KEY.clone();
      for (int change : CHANGES) {
        damaged[at] = (byte) (KEY[at] ^ change);
        outcome(damaged, VALUE);
      }
    }
  }

  @Test
  void truncatedEverywhere() {
    for (int length = 0; length < VALUE.length; length++) {
      byte[] cut = Arrays.copyOf(VALUE, length);
      outcomeAnywhere(cut);
      if (length < 110) {
        assertThat(outcome(KEY, cut)).startsWith("row: ");
      }
    }
    for (int length = 0; length < KEY.length; length++) {
      assertThat(outcome(Arrays.copyOf(KEY, length), VALUE)).startsWith("key: ");
    }
  }

  @Test
  void manyBytesChanged() {
    long seed = System.nanoTime();
    var random = new Random(seed);
    for (int round = 0; round < 3_000; round++) {
      byte[] damaged = VALUE.clone();
      for (int changes = 1 + random.nextInt(20); changes > 0; changes--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      try {
        outcomeAnywhere(damaged);
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + ", round " + round, e);
      }
    }
  }

  @Test
  void countsBeyondTheSliceAreRefusedBeforeTheyCostAnything() {
    assertArrayRefused(
        "ARRAY<INT>", "10" + "ffffff7f", "array: 2147483647 fields need 8589934588 bytes, found 0");
    assertArrayRefused("ARRAY<INT>", "10" + "ffffffff", "array: 4294967295 elements in 5 bytes");
    assertArrayRefused(
        "ARRAY<STRING>", "12" + "ffffff7f", "array: 2147483647 fields need 8589934588 bytes");
    assertArrayRefused(
        "ARRAY<ROW<>>", "14" + "ffffff7f", "array: 2147483647 fields need 2415919103 bytes");
    assertArrayRefused("ARRAY<INT>", "18" + "00", "array: bad header 0x18 of 2 bytes");
    assertArrayRefused("ARRAY<INT>", "10" + "00", "array: bad header 0x10 of 2 bytes");
    assertArrayRefused("ARRAY<INT>", "20" + "00", "array: unknown header 0x20");
    assertArrayRefused("ARRAY<INT>", "03" + "00", "array: unknown header 0x3");
    assertArrayRefused("ARRAY<INT>", "", "array: empty, expected a header");
    assertArrayRefused(
        "ARRAY<STRING>", "00" + "02" + "0201" + "6161", "array: field 1 lies at 2 to 1 of 2 bytes");
    assertArrayRefused(
        "ARRAY<STRING>", "00" + "01" + "03" + "6161", "array: field 0 lies at 0 to 3 of 2 bytes");
    assertArrayRefused(
        "ARRAY<STRING>",
        "02" + "01" + "ffffffff",
        "array: field 0 lies at 0 to 4294967295 of 0 bytes");
  }

  private static void assertArrayRefused(String type, String hex, String message) {
    assertRefused(type, "00" + HEX.toHexDigits((byte) (hex.length() / 2)) + hex, message);
  }

  @Test
  void valuesOutOfRangeAreRefused() {
    assertRefused("BOOLEAN", "00" + "02", "row: field 0 is 2, not a boolean");
    assertRefused("TIME(0)", "00" + "005c2605", "time: 86400000 milliseconds of the day");
    assertRefused(
        "TIMESTAMP(4)", "00" + "00".repeat(8) + "40420f00", "1000000 nanoseconds of a millisecond");
    assertRefused(
        "DECIMAL(2, 1)", "00" + "64" + "00".repeat(7), "unscaled 100 does not fit DECIMAL(2, 1)");
    assertRefused("DECIMAL(19, 0)", "00" + "00", "DECIMAL(19, 0) of 0 bytes");
    assertRefused("DECIMAL(19, 0)", "00" + "11" + "00".repeat(17), "DECIMAL(19, 0) of 17 bytes");
    assertRefused(
        "DECIMAL(19, 0)", "00" + "09" + "7f" + "00".repeat(8), "does not fit DECIMAL(19, 0)");
    assertRefused(
        "MAP<INT, INT>",
        "00" + "0b" + "00" + "0608" + "000100000000" + "0000",
        "map: 1 keys, 0 values");
    assertRefused("ROW<>", "00" + "01" + "00", "row: no fields, yet 1 bytes");
    assertRefused("INT", "08" + "00000000", "row: unknown header 0x8");
    assertRefused("INT NOT NULL", "04" + "01" + "00000000", "column `v` INT NOT NULL is null");
  }

  private static void assertRefused(String type, String valueHex, String message) {
    Schema schema =
        Schema.builder().column("k", "BOOLEAN").column("v", type).primaryKey("k").build();
    RowCodec codec = RowCodec.of(schema);
    assertThatThrownBy(() -> codec.verify(new byte[] {1}, HEX.parseHex(valueHex)))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining(message);
  }
}
