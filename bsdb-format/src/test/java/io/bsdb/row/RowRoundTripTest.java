package io.bsdb.row;

import static io.bsdb.row.RandomRows.comparable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.LentBytes;
import io.bsdb.row.ColumnType.Kind;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RowRoundTripTest {
  static List<Arguments> extremes() {
    return List.of(
        of("STRING", "", "a", "\0", "東京 \uD83D\uDE00", "x".repeat(300), "x".repeat(70_000)),
        of("CHAR(2)", "", "CH", "longer than declared"),
        of("BOOLEAN", true, false),
        of("BYTES", new byte[0], new byte[] {0}, new byte[100_000]),
        of("BINARY(2)", new byte[] {-1, 0}),
        of("TINYINT", Byte.MIN_VALUE, (byte) 0, Byte.MAX_VALUE),
        of("SMALLINT", Short.MIN_VALUE, (short) 0, Short.MAX_VALUE),
        of("INT", Integer.MIN_VALUE, 0, Integer.MAX_VALUE),
        of("BIGINT", Long.MIN_VALUE, 0L, Long.MAX_VALUE),
        of("FLOAT", -0.0f, Float.NaN, Float.MIN_VALUE, Float.NEGATIVE_INFINITY),
        of("DOUBLE", -0.0, Double.NaN, Double.MIN_VALUE, Double.POSITIVE_INFINITY),
        of("DECIMAL(1, 1)", new BigDecimal("0.0"), new BigDecimal("-0.9")),
        of("DECIMAL(18, 0)", new BigDecimal("9".repeat(18)), new BigDecimal("-" + "9".repeat(18))),
        of("DECIMAL(19, 19)", new BigDecimal("0." + "9".repeat(19)), new BigDecimal("0E-19")),
        of("DECIMAL(38, 3)", new BigDecimal("-" + "9".repeat(35) + ".999")),
        of(
            "DATE",
            LocalDate.EPOCH,
            LocalDate.ofEpochDay(Integer.MIN_VALUE),
            LocalDate.of(9999, 12, 31)),
        of("TIME(9)", LocalTime.MIDNIGHT, LocalTime.of(23, 59, 59, 999_000_000)),
        of("TIMESTAMP(0)", time(0), time(-1).withNano(0)),
        of("TIMESTAMP(3)", time(Long.MIN_VALUE), time(Long.MAX_VALUE), time(-1)),
        of("TIMESTAMP(6)", time(-1).plusNanos(999_000), time(Long.MIN_VALUE).plusNanos(999_999)),
        of("TIMESTAMP_LTZ(3)", Instant.EPOCH, Instant.ofEpochMilli(Long.MIN_VALUE)),
        of(
            "TIMESTAMP_LTZ(9)",
            Instant.ofEpochSecond(-1, 1),
            Instant.ofEpochMilli(Long.MAX_VALUE).plusNanos(999_999)),
        of("ARRAY<INT>", List.of(), Arrays.asList(1, null, 3), Collections.nCopies(70_000, null)),
        of(
            "ARRAY<STRING NOT NULL>",
            List.of("a", "", "b"),
            Collections.nCopies(300, "x".repeat(300))),
        of(
            "ARRAY<ARRAY<BOOLEAN>>",
            Arrays.asList(List.of(true), null, List.of(), Arrays.asList(false, null))),
        of("ARRAY<ROW<>>", List.of(Map.of(), Map.of()), Collections.singletonList(null)),
        of(
            "MAP<STRING, MAP<INT, DATE>>",
            Map.of(),
            mapOf("a", mapOf(7, LocalDate.EPOCH), "b", null),
            mapOf(null, Map.of())),
        of("ROW<>", Map.of()),
        of(
            "ROW<`a` INT, `b` ROW<`c` STRING, `d` ARRAY<BIGINT>>>",
            mapOf("a", 1, "b", mapOf("c", "x", "d", List.of(5L))),
            mapOf("a", null, "b", null),
            mapOf("a", null, "b", mapOf("c", null, "d", null))));
  }

  private static Arguments of(String type, Object... values) {
    return Arguments.of(type, Arrays.asList(values));
  }

  private static LocalDateTime time(long epochMillis) {
    return LocalDateTime.ofInstant(Instant.ofEpochMilli(epochMillis), java.time.ZoneOffset.UTC);
  }

  private static Map<Object, Object> mapOf(Object... keysAndValues) {
    Map<Object, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      map.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return map;
  }

  @ParameterizedTest
  @MethodSource("extremes")
  void everyTypeKeepsItsExtremes(String type, List<Object> values) throws Exception {
    Schema schema =
        Schema.builder()
            .column("before", "STRING")
            .column("it", type)
            .column("id", "INT")
            .column("after", "STRING")
            .primaryKey("id")
            .build();
    RowCodec codec = RowCodec.of(schema);
    byte[] key = codec.encodeKey(1);
    List<Object> all = new ArrayList<>(values);
    all.add(null);
    for (Object value : all) {
      byte[] encoded = codec.encodeValue("b", value, "a");
      Row row = codec.decode(key, encoded);
      assertThat(row.isNull("it")).isEqualTo(value == null);
      assertThat(comparable(row.value("it"))).isEqualTo(comparable(value));
      assertThat(row.string("before")).isEqualTo("b");
      assertThat(row.string("after")).isEqualTo("a");
      codec.verify(key, encoded);
      assertLentAlike(codec, key, encoded);
    }
  }

  /** Wherever a row is lent, it has the same columns, and what was read of it stays. */
  private static void assertLentAlike(RowCodec codec, byte[] key, byte[] encoded) {
    Row row = codec.decode(key, encoded);
    for (ByteBuffer memory :
        List.of(
            ByteBuffer.allocate(encoded.length + 8),
            ByteBuffer.allocateDirect(encoded.length + 8))) {
      memory.order(ByteOrder.LITTLE_ENDIAN).put(3, encoded);
      LentBytes lent =
          new LentBytes() {
            @Override
            public ByteBuffer body() {
              return memory;
            }
          };
      Row there = codec.decode(key, lent, 3, encoded.length);
      assertThat(there).isEqualTo(row).hasSameHashCodeAs(row);
      RowLayout layout = RowLayout.ofValues(codec.schema());
      RowView view = new RowView(layout).wrap(lent, 3, encoded.length);
      assertThatThrownBy(view::bytes).isInstanceOf(IllegalStateException.class);
      Map<String, Object> read = new LinkedHashMap<>();
      List<FieldView> nested = new ArrayList<>();
      for (int i = 0; i < view.size(); i++) {
        String name = layout.columns().get(i).name();
        read.put(name, view.valueAt(i));
        Kind kind = view.type(i).kind();
        if (!view.isNull(i) && (kind == Kind.ARRAY || kind == Kind.ROW)) {
          nested.add(kind == Kind.ARRAY ? view.arrayAt(i) : view.rowAt(i));
        } else {
          nested.add(null);
        }
      }
      memory.put(0, new byte[memory.capacity()]); // what was lent is gone
      for (int i = 0; i < view.size(); i++) {
        String name = layout.columns().get(i).name();
        assertThat(comparable(read.get(name))).isEqualTo(comparable(row.value(name)));
        FieldView kept = nested.get(i);
        for (int k = 0; kept != null && k < Math.min(10, kept.size()); k++) {
          FieldView own =
              view.type(i).kind() == Kind.ARRAY ? array(codec, encoded, i) : row(codec, encoded, i);
          assertThat(comparable(kept.valueAt(k))).isEqualTo(comparable(own.valueAt(k)));
        }
      }
    }
  }

  private static FieldView array(RowCodec codec, byte[] encoded, int i) {
    return new RowView(RowLayout.ofValues(codec.schema())).wrap(encoded).arrayAt(i);
  }

  private static FieldView row(RowCodec codec, byte[] encoded, int i) {
    return new RowView(RowLayout.ofValues(codec.schema())).wrap(encoded).rowAt(i);
  }

  @Test
  void randomRowsOfRandomSchemas() throws Exception {
    long seed = System.nanoTime();
    var random = new RandomRows(seed);
    for (int s = 0; s < 300; s++) {
      Schema schema = random.schema();
      String reproduction = "seed " + seed + ", schema " + s + ": " + schema;
      assertThat(Schema.fromJson(schema.toJson(), "m")).as(reproduction).isEqualTo(schema);
      RowCodec codec = RowCodec.of(schema);
      for (int r = 0; r < 20; r++) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (Column column : schema.columns()) {
          values.put(column.name(), random.value(column.type()));
        }
        Object onlyKey = values.get(schema.primaryKey().get(0));
        if (schema.primaryKey().size() == 1
            && ("".equals(onlyKey) || comparable(onlyKey).equals("bytes "))) {
          continue; // the empty key
        }
        byte[] key;
        try {
          key = codec.encodeKey(values);
        } catch (IllegalArgumentException e) {
          assertThat(e).as(reproduction).hasMessageContaining("bytes long, must be 1 to 65535");
          continue;
        }
        byte[] value = codec.encodeValue(values);
        Row row = codec.decode(key, value);
        for (Column column : schema.columns()) {
          Object expected = canonical(schema, column.name(), values.get(column.name()));
          assertThat(comparable(row.value(column.name())))
              .as(reproduction)
              .isEqualTo(comparable(expected));
        }
        codec.verify(key, value);
        if (r == 0) {
          assertLentAlike(codec, key, value);
        }
        assertThat(row).as(reproduction).isEqualTo(codec.decode(key.clone(), value.clone()));
      }
    }
  }

  /** In keys, −0.0 is 0.0; every NaN prints alike anyway. */
  private static Object canonical(Schema schema, String name, Object value) {
    boolean inKey = schema.primaryKey().contains(name);
    if (inKey && value instanceof Float number && number == 0) {
      return 0f;
    }
    return inKey && value instanceof Double number && number == 0 ? (Object) 0d : value;
  }
}
