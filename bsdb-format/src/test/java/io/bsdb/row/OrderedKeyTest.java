package io.bsdb.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The encoding of keys whose bytes sort as their values do. */
class OrderedKeyTest {
  private static final HexFormat HEX = HexFormat.of();

  private static Schema schema(String... types) {
    return KeyEncodingTest.schema(types).withKeyEncoding(KeyEncoding.ORDERED);
  }

  private static byte[] encode(Schema schema, Object... values) {
    return RowCodec.of(schema).encodeKey(values);
  }

  /** Values of each type, ascending: all there are where they are few. */
  static Stream<Arguments> ascending() {
    Random random = new Random(21);
    List<Long> longs =
        Stream.concat(
                random.longs(300).boxed(),
                Stream.of(Long.MIN_VALUE, -256L, -255L, -1L, 0L, 1L, 255L, 256L, Long.MAX_VALUE))
            .distinct()
            .sorted()
            .toList();
    List<Double> doubles =
        Stream.concat(
                random.longs(300).mapToObj(Double::longBitsToDouble).filter(d -> !d.isNaN()),
                Stream.of(
                    Double.NEGATIVE_INFINITY,
                    -1.5,
                    -Double.MIN_VALUE,
                    0.0,
                    Double.MIN_VALUE,
                    Double.MAX_VALUE,
                    Double.POSITIVE_INFINITY,
                    Double.NaN))
            .distinct()
            .sorted()
            .toList();
    return Stream.of(
        Arguments.of("BOOLEAN", List.of(false, true)),
        Arguments.of("TINYINT", IntStream.rangeClosed(-128, 127).mapToObj(i -> (byte) i).toList()),
        Arguments.of(
            "SMALLINT", IntStream.rangeClosed(-32768, 32767).mapToObj(i -> (short) i).toList()),
        Arguments.of("INT", longs.stream().map(l -> (int) (l >> 32)).distinct().sorted().toList()),
        Arguments.of("BIGINT", longs),
        Arguments.of("DOUBLE", doubles),
        Arguments.of(
            "FLOAT",
            doubles.stream()
                .map(d -> Float.intBitsToFloat((int) (Double.doubleToLongBits(d) >> 32)))
                .map(f -> f.isNaN() ? Float.NaN : f + 0f)
                .distinct()
                .sorted()
                .toList()),
        Arguments.of(
            "DECIMAL(4, 2)",
            IntStream.rangeClosed(-9999, 9999).mapToObj(i -> BigDecimal.valueOf(i, 2)).toList()),
        Arguments.of(
            "DECIMAL(18, 3)",
            longs.stream().map(l -> BigDecimal.valueOf(l / 1000, 3)).distinct().sorted().toList()),
        Arguments.of(
            "DECIMAL(38, 0)",
            IntStream.rangeClosed(-300, 300)
                .mapToObj(
                    i ->
                        new BigDecimal(
                            BigInteger.valueOf(Integer.signum(i))
                                .multiply(BigInteger.TWO.pow(Math.abs(i) % 126))
                                .add(BigInteger.valueOf(i))))
                .distinct()
                .sorted()
                .toList()),
        Arguments.of(
            "DATE",
            IntStream.rangeClosed(-800, 800)
                .mapToObj(i -> LocalDate.ofEpochDay(i * 997L))
                .toList()),
        Arguments.of(
            "TIME(3)",
            IntStream.range(0, 86_400)
                .filter(i -> i % 61 == 0)
                .mapToObj(LocalTime::ofSecondOfDay)
                .toList()),
        Arguments.of(
            "TIMESTAMP(3)",
            IntStream.rangeClosed(-500, 500)
                .mapToObj(i -> LocalDateTime.of(1970, 1, 1, 0, 0).plusNanos(i * 1_000_000L))
                .toList()),
        Arguments.of(
            "TIMESTAMP_LTZ(9)",
            IntStream.rangeClosed(-5000, 5000)
                .mapToObj(i -> Instant.EPOCH.plusNanos(i * 777L))
                .toList()),
        Arguments.of(
            "STRING",
            Stream.of(
                    "\0",
                    "\0\0",
                    "\1",
                    "a",
                    "a\0",
                    "a\0b",
                    "ab",
                    "b",
                    "é",
                    "\uFFFF",
                    "\uD83D\uDE00")
                .toList()),
        Arguments.of("BYTES", shortBytes().stream().filter(b -> b.length > 0).toList()));
  }

  /** All arrays of up to three of the bytes that matter, ascending. */
  private static List<byte[]> shortBytes() {
    byte[] alphabet = {0, 1, 2, 0x7F, (byte) 0x80, (byte) 0xFE, (byte) 0xFF};
    List<byte[]> all = new ArrayList<>(List.of(new byte[0]));
    for (int from = 0, length = 1; length <= 3; length++) {
      int end = all.size();
      for (int i = from; i < end; i++) {
        for (byte octet : alphabet) {
          byte[] longer = Arrays.copyOf(all.get(i), length);
          longer[length - 1] = octet;
          all.add(longer);
        }
      }
      from = end;
    }
    all.sort(Arrays::compareUnsigned);
    return all;
  }

  @ParameterizedTest
  @MethodSource("ascending")
  void sortsAsTheValuesDo(String type, List<Object> values) {
    for (Schema schema : List.of(schema(type), schema("INT", type), schema(type, "INT"))) {
      RowCodec codec = RowCodec.of(schema);
      byte[] before = null;
      for (Object value : values) {
        Object[] row =
            schema.primaryKey().size() == 1
                ? new Object[] {value}
                : schema.keyColumns().get(0).type().toString().startsWith("INT")
                        && !type.equals("INT")
                    ? new Object[] {5, value}
                    : type.equals("INT") ? new Object[] {value, value} : new Object[] {value, 5};
        byte[] key = codec.encodeKey(row);
        if (before != null) {
          assertThat(Arrays.compareUnsigned(before, key)).as("%s", value).isNegative();
        }
        for (int i = 0; i < row.length; i++) {
          Object decoded = codec.decode(key, codec.encodeValue()).value("k" + i);
          assertThat(decoded).isEqualTo(row[i]);
        }
        before = key;
      }
    }
  }

  @Test
  void negativeZeroIsZeroAndEveryNanIsTheLast() {
    Schema schema = schema("DOUBLE");
    assertThat(encode(schema, -0.0)).isEqualTo(encode(schema, 0.0));
    assertThat(encode(schema, Double.longBitsToDouble(-1)))
        .isEqualTo(HEX.parseHex("fff8000000000000"));
  }

  @Test
  void sortsByTheFirstColumnThenByTheSecondWhateverTheirLengths() {
    Schema schema = schema("BYTES", "BYTES");
    RowCodec codec = RowCodec.of(schema);
    List<byte[][]> rows = new ArrayList<>();
    List<byte[]> values = shortBytes().stream().filter(bytes -> bytes.length < 3).toList();
    values.forEach(a -> values.forEach(b -> rows.add(new byte[][] {a, b})));
    List<byte[][]> byKey = new ArrayList<>(rows);
    byKey.sort(
        Comparator.comparing(row -> codec.encodeKey((Object[]) row), Arrays::compareUnsigned));
    rows.sort(
        Comparator.<byte[][], byte[]>comparing(row -> row[0], Arrays::compareUnsigned)
            .thenComparing(row -> row[1], Arrays::compareUnsigned));
    assertThat(byKey).isEqualTo(rows);
    for (byte[][] row : rows) {
      byte[] key = codec.encodeKey((Object[]) row);
      Row decoded = codec.decode(key, codec.encodeValue());
      assertThat(decoded.bytes("k0")).isEqualTo(row[0]);
      assertThat(decoded.bytes("k1")).isEqualTo(row[1]);
      assertThat(key).startsWith(codec.encodeKeyPrefix((Object) row[0]));
    }
  }

  @Test
  void aPrefixOfColumnsMatchesTheirWholeValues() {
    RowCodec codec = RowCodec.of(schema("STRING", "INT"));
    assertThat(codec.encodeKey("ab", 7)).startsWith(codec.encodeKeyPrefix("ab"));
    assertThat(Arrays.mismatch(codec.encodeKey("abc", 7), codec.encodeKeyPrefix("ab")))
        .isLessThan(codec.encodeKeyPrefix("ab").length);
    RowCodec plain = RowCodec.of(codec.schema().withKeyEncoding(KeyEncoding.PLAIN));
    assertThatIllegalStateException()
        .isThrownBy(() -> plain.encodeKeyPrefix("ab"))
        .withMessageContaining("build the table in key order");
  }

  @Test
  void keysAsOfATimeAreCutToTheColumn() {
    Instant time = Instant.parse("1969-12-31T23:59:59.123456789Z");
    Schema millis = schema("STRING", "TIMESTAMP_LTZ(3)");
    byte[] prefix = RowCodec.of(millis).encodeKeyPrefix("a\0b".repeat(40));
    assertThat(KeyView.of(millis).wrap(KeyWriter.asOf(millis, prefix, time)).valueAt(1))
        .isEqualTo(Instant.parse("1969-12-31T23:59:59.123Z"));
    Schema local = schema("STRING", "TIMESTAMP(9)");
    assertThat(KeyWriter.asOf(local, prefix, time))
        .isEqualTo(
            RowCodec.of(local)
                .encodeKey(
                    "a\0b".repeat(40), LocalDateTime.parse("1969-12-31T23:59:59.123456789")));
  }

  @Test
  void keysAsOfATimeNeedAllOtherColumns() {
    Instant time = Instant.parse("2026-05-17T09:30:00Z");
    Schema schema = schema("STRING", "INT", "TIMESTAMP_LTZ(3)");
    RowCodec codec = RowCodec.of(schema);
    for (byte[] prefix :
        List.of(new byte[0], codec.encodeKeyPrefix("a"), codec.encodeKey("a", 1, time))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> KeyWriter.asOf(schema, prefix, time))
          .withMessageContaining(
              "not the values of [k0, k1]: leave out only 'k2', the last column");
    }
    Schema noTime = schema("STRING", "INT");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyWriter.asOf(noTime, codec.encodeKeyPrefix("a"), time))
        .withMessageContaining("k1");
    KeyWriter writer = KeyWriter.of(schema);
    assertThat(writer.written()).isZero();
    assertThat(writer.writeString("a").writeInt(1).written()).isEqualTo(2);
  }

  static Stream<Arguments> damaged() {
    return Stream.of(
        Arguments.of("6100", "a text without its end"),
        Arguments.of("61", "a text without its end"),
        Arguments.of("61000200000007", "a zero byte that nothing follows"),
        Arguments.of("610001000000", "an INT of three bytes"),
        Arguments.of("61000100000000ff", "a byte too many"));
  }

  @ParameterizedTest
  @MethodSource("damaged")
  void refusesWhatNoWriterWrites(String key, String what) {
    KeyView view = KeyView.of(schema("STRING", "INT"));
    assertThatThrownBy(() -> view.wrap(HEX.parseHex(key)))
        .as(what)
        .hasCauseInstanceOf(CorruptSnapshotException.class);
  }

  @Test
  void keepsTheKeyThatItIsGiven() {
    byte[] key = HEX.parseHex("6100ff62000180000007");
    byte[] copy = key.clone();
    KeyView view = KeyView.of(schema("STRING", "INT")).wrap(key);
    assertThat(view.stringAt(0)).isEqualTo("a\0b");
    assertThat(view.intAt(1)).isEqualTo(7);
    assertThat(key).isEqualTo(copy);
  }
}
