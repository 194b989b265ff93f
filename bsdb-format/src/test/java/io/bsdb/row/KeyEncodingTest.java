package io.bsdb.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.BooleanSerializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.DoubleSerializer;
import org.apache.kafka.common.serialization.FloatSerializer;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.ShortSerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class KeyEncodingTest {
  private static final HexFormat HEX = HexFormat.of();

  static Schema schema(String... types) {
    var builder = Schema.builder();
    String[] names = new String[types.length];
    for (int i = 0; i < types.length; i++) {
      names[i] = "k" + i;
      builder.column(names[i], types[i]);
    }
    return builder.primaryKey(names).build();
  }

  private static <T> Arguments kafka(String type, Serializer<T> serializer, List<T> values) {
    return Arguments.of(type, serializer, values);
  }

  static Stream<Arguments> kafkaKeys() {
    return Stream.of(
        kafka("STRING", new StringSerializer(), List.of("a", "Zürich", "東京", "\uD83D\uDE00", "\0")),
        kafka("CHAR(2)", new StringSerializer(), List.of("CH")),
        kafka("BYTES", new ByteArraySerializer(), List.of(new byte[] {0}, new byte[] {-1, 5})),
        kafka(
            "SMALLINT",
            new ShortSerializer(),
            List.of((short) 0, Short.MIN_VALUE, Short.MAX_VALUE)),
        kafka(
            "INT",
            new IntegerSerializer(),
            List.of(0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE)),
        kafka("BIGINT", new LongSerializer(), List.of(0L, 1L, -1L, Long.MIN_VALUE, Long.MAX_VALUE)),
        kafka("BOOLEAN", new BooleanSerializer(), List.of(true, false)),
        kafka(
            "FLOAT",
            new FloatSerializer(),
            List.of(0f, 1.5f, -3f, Float.NaN, Float.MIN_VALUE, Float.POSITIVE_INFINITY)),
        kafka(
            "DOUBLE",
            new DoubleSerializer(),
            List.of(0d, 1.5, -3d, Double.NaN, Double.MIN_VALUE, Double.NEGATIVE_INFINITY)));
  }

  @ParameterizedTest
  @MethodSource("kafkaKeys")
  <T> void singleColumnKeysAreWhatKafkaWrites(
      String type, Serializer<T> serializer, List<T> values) {
    RowCodec codec = RowCodec.of(schema(type));
    for (T value : values) {
      assertThat(codec.encodeKey(value)).isEqualTo(serializer.serialize("topic", value));
    }
  }

  static Stream<Arguments> goldenKeys() {
    return Stream.of(
        Arguments.of("STRING", "Bern", "4265726e"),
        Arguments.of("BYTES", new byte[] {0, -1}, "00ff"),
        Arguments.of("BOOLEAN", true, "01"),
        Arguments.of("TINYINT", (byte) -2, "fe"),
        Arguments.of("SMALLINT", (short) 258, "0102"),
        Arguments.of("INT", -2, "fffffffe"),
        Arguments.of("BIGINT", 2_661_552L, "0000000000289cb0"),
        Arguments.of("FLOAT", 1.5f, "3fc00000"),
        Arguments.of("DOUBLE", -1.5, "bff8000000000000"),
        Arguments.of("DATE", LocalDate.of(2026, 1, 1), "00004fe6"),
        Arguments.of("TIME(3)", LocalTime.of(23, 59, 59, 999_000_000), "05265bff"),
        Arguments.of(
            "TIMESTAMP(3)",
            LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_000_000),
            "ffffffffffffffff"),
        Arguments.of(
            "TIMESTAMP(9)",
            LocalDateTime.of(1970, 1, 1, 0, 0, 0, 1_000_002),
            "000000000000000100000002"),
        Arguments.of("TIMESTAMP_LTZ(3)", Instant.ofEpochMilli(258), "0000000000000102"),
        Arguments.of(
            "TIMESTAMP_LTZ(4)", Instant.ofEpochSecond(-1, 100_000), "fffffffffffffc18000186a0"),
        Arguments.of("DECIMAL(10, 2)", new BigDecimal("1.28"), "0080"),
        Arguments.of("DECIMAL(10, 2)", new BigDecimal("-1.28"), "80"),
        Arguments.of("DECIMAL(10, 2)", new BigDecimal("0.00"), "00"),
        Arguments.of("DECIMAL(18, 0)", new BigDecimal("-999999999999999999"), "f21f494c589c0001"),
        Arguments.of("DECIMAL(19, 0)", new BigDecimal("127"), "7f"),
        Arguments.of(
            "DECIMAL(38, 0)", new BigDecimal("9".repeat(38)), "4b3b4ca85a86c47a098a223fffffffff"));
  }

  @ParameterizedTest
  @MethodSource("goldenKeys")
  void goldenSingleColumnKeys(String type, Object value, String hex) {
    RowCodec codec = RowCodec.of(schema(type));
    byte[] key = codec.encodeKey(value);
    assertThat(HEX.formatHex(key)).isEqualTo(hex);
    Object decoded = codec.decode(key, new byte[0]).value("k0");
    if (value instanceof BigDecimal decimal) {
      assertThat((BigDecimal) decoded).isEqualByComparingTo(decimal);
    } else {
      assertThat(decoded).isEqualTo(value);
    }
  }

  @Test
  void compositeKeysPrefixVariableWidthComponentsWithTheirLength() {
    RowCodec codec =
        RowCodec.of(schema("CHAR(2)", "INT", "BYTES", "DECIMAL(5, 1)", "TIMESTAMP(6)"));
    byte[] key =
        codec.encodeKey(
            "CH",
            7,
            new byte[0],
            new BigDecimal("-0.1"),
            LocalDateTime.of(1970, 1, 1, 0, 0, 0, 1000));
    assertThat(HEX.formatHex(key))
        .isEqualTo(
            "0002"
                + "4348"
                + "00000007"
                + "0000"
                + "0001"
                + "ff"
                + "0000000000000000"
                + "000003e8");
    Row row = codec.decode(key, new byte[0]);
    assertThat(row.string("k0")).isEqualTo("CH");
    assertThat(row.intValue("k1")).isEqualTo(7);
    assertThat(row.bytes("k2")).isEmpty();
    assertThat(row.decimal("k3")).isEqualTo("-0.1");
    assertThat(row.dateTime("k4")).isEqualTo("1970-01-01T00:00:00.000001");
    assertThat(RowCodec.of(schema("STRING", "STRING")).encodeKey("a", "bc"))
        .isNotEqualTo(RowCodec.of(schema("STRING", "STRING")).encodeKey("ab", "c"));
  }

  @Test
  void canonicalisesZeroAndNaN() {
    RowCodec floats = RowCodec.of(schema("FLOAT"));
    assertThat(HEX.formatHex(floats.encodeKey(-0.0f))).isEqualTo("00000000");
    assertThat(HEX.formatHex(floats.encodeKey(Float.intBitsToFloat(0xFFC00001))))
        .isEqualTo("7fc00000");
    RowCodec doubles = RowCodec.of(schema("DOUBLE"));
    assertThat(HEX.formatHex(doubles.encodeKey(-0.0))).isEqualTo("0000000000000000");
    assertThat(HEX.formatHex(doubles.encodeKey(Double.longBitsToDouble(0xFFF8000000000001L))))
        .isEqualTo("7ff8000000000000");
  }

  @Test
  void unscaledLongsAreOfMinimalLength() {
    Schema schema = schema("DECIMAL(18, 0)");
    var writer = KeyWriter.of(schema);
    var view = KeyView.of(schema);
    for (int bit = 0; bit < 59; bit++) {
      for (long delta = -1; delta <= 1; delta++) {
        for (long value : new long[] {(1L << bit) + delta, -(1L << bit) + delta}) {
          byte[] key = writer.reset().writeUnscaled(value).toBytes();
          assertThat(key).isEqualTo(BigDecimal.valueOf(value).unscaledValue().toByteArray());
          assertThat(view.wrap(key).unscaledAt(0)).isEqualTo(value);
        }
      }
    }
  }

  @Test
  void boundsTheLengthOfAKey() {
    var single = KeyWriter.of(schema("BYTES"));
    assertThat(single.writeBytes(new byte[65_535]).toBytes()).hasSize(65_535);
    single.reset().writeBytes(new byte[65_536]);
    assertThat(single.fits()).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(single::toBytes)
        .withMessage("key is 65536 bytes long, must be 1 to 65535");
    var pair = KeyWriter.of(schema("STRING", "STRING"));
    for (int length : new int[] {65_531, 65_532, 65_535, 65_536, 10_000_000}) {
      pair.reset().writeString("x".repeat(length)).writeString("");
      assertThat(pair.fits()).isEqualTo(length == 65_531);
      pair.reset().writeString("").writeString("x".repeat(length));
      assertThat(pair.fits()).isEqualTo(length == 65_531);
      pair.reset().writeString("x".repeat(length)).writeString("x".repeat(length));
      assertThat(pair.fits()).isFalse();
    }
  }

  @Test
  void rejectsTheEmptyKey() {
    var writer = KeyWriter.of(schema("STRING")).writeString("");
    assertThat(writer.fits()).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(writer::toBytes)
        .withMessage("key is 0 bytes long, must be 1 to 65535");
    assertThat(HEX.formatHex(RowCodec.of(schema("STRING", "STRING")).encodeKey("", "")))
        .isEqualTo("00000000");
  }

  @Test
  void rejectsWrongCalls() {
    var writer = KeyWriter.of(schema("INT", "STRING"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> writer.writeLong(1))
        .withMessage("column 'k0' is INT NOT NULL, not stored as LONG");
    writer.writeInt(1);
    assertThat(writer.fits()).isFalse();
    assertThatIllegalStateException()
        .isThrownBy(writer::toBytes)
        .withMessage("key column `k1` STRING NOT NULL is not written yet");
    writer.writeString("x");
    assertThatIllegalStateException()
        .isThrownBy(() -> writer.writeInt(1))
        .withMessage("all 2 key columns are written");
    assertThat(writer.length()).isEqualTo(7);
    assertThat(HEX.formatHex(writer.buffer(), 0, 7)).isEqualTo("00000001000178");
    RowCodec codec = RowCodec.of(schema("INT", "STRING"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec.encodeKey(1))
        .withMessage("1 values for the primary key [k0, k1] of 2 columns");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec.encodeKey(1, null))
        .withMessage("key column 'k1' is null");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec.encodeKey(1L << 31, "x"))
        .withMessage("column 'k0': 2147483648 does not fit INT NOT NULL");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec.encodeKey("1", "x"))
        .withMessage("column 'k0' is INT NOT NULL: expected a whole number, got java.lang.String");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RowCodec.of(schema("DECIMAL(3, 1)")).encodeKey(new BigDecimal("1.25")))
        .withMessage("column 'k0': 1.25 does not fit DECIMAL(3, 1) NOT NULL");
  }

  @Test
  void rejectsNull() {
    var texts = KeyWriter.of(schema("STRING", "BYTES", "DECIMAL(5, 1)", "DECIMAL(38, 0)"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> texts.writeString(null))
        .withMessage("key column 'k0' is null");
    texts.writeString("a");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> texts.writeBytes(null))
        .withMessage("key column 'k1' is null");
    texts.writeBytes(new byte[1]);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> texts.writeDecimal(null))
        .withMessage("key column 'k2' is null");
    texts.writeDecimal(new BigDecimal("1.5"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> texts.writeDecimal(null))
        .withMessage("key column 'k3' is null");
    assertThat(texts.writeDecimal(BigDecimal.ONE).fits()).isTrue();
  }

  @Test
  void rejectsKeysOfAnotherLength() {
    assertCorrupt(schema("INT"), "000000", "key: 3 bytes end within `k0` INT NOT NULL");
    assertCorrupt(schema("INT"), "0000000000", "key: 5 bytes, expected 4 for [`k0` INT NOT NULL]");
    assertCorrupt(schema("STRING"), "", "key: 0 bytes, expected 0");
    assertCorrupt(
        schema("INT", "STRING"), "00000000" + "00", "key: 5 bytes end within `k1` STRING NOT NULL");
    assertCorrupt(schema("INT", "STRING"), "00000000" + "000278", "key: 7 bytes end within `k1`");
    assertCorrupt(schema("INT", "STRING"), "00000000" + "00017878", "key: 8 bytes, expected 7");
  }

  private static void assertCorrupt(Schema schema, String hex, String message) {
    assertThatThrownBy(() -> KeyView.of(schema).wrap(HEX.parseHex(hex)))
        .isInstanceOf(UncheckedIOException.class)
        .hasCauseInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining(message);
  }
}
