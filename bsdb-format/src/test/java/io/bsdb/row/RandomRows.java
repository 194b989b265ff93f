package io.bsdb.row;

import io.bsdb.row.ColumnType.Kind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random schemas, and random values of any type with a liking for extremes. */
final class RandomRows {
  private static final Kind[] KINDS = Kind.values();
  private static final Kind[] SCALARS =
      Arrays.stream(KINDS).filter(Kind::isKeyable).toArray(Kind[]::new);
  private static final long[] LONGS = {0, 1, -1, 127, 128, -129, Long.MIN_VALUE, Long.MAX_VALUE};

  private final Random random;

  RandomRows(long seed) {
    this.random = new Random(seed);
  }

  Schema schema() {
    int columns = 1 + random.nextInt(20);
    var builder = Schema.builder();
    List<String> key = new ArrayList<>();
    for (int i = 0; i < columns; i++) {
      ColumnType type = type(3);
      builder.column("c " + i, type);
      if (type.kind().isKeyable() && random.nextInt(4) == 0) {
        key.add(random.nextInt(key.size() + 1), "c " + i);
      }
    }
    if (key.isEmpty()) {
      builder.column("id", ColumnType.of(Kind.BIGINT));
      key.add("id");
    }
    return builder.primaryKey(key.toArray(String[]::new)).build();
  }

  ColumnType type(int depth) {
    Kind kind = pick(depth > 1 ? KINDS : SCALARS);
    ColumnType type =
        switch (kind) {
          case CHAR -> ColumnType.charOf(1 + random.nextInt(20));
          case VARCHAR -> random.nextBoolean() ? ColumnType.string() : ColumnType.varchar(20);
          case BINARY -> ColumnType.binary(1 + random.nextInt(20));
          case VARBINARY -> random.nextBoolean() ? ColumnType.bytes() : ColumnType.varbinary(20);
          case DECIMAL -> {
            int precision = 1 + random.nextInt(38);
            yield ColumnType.decimal(precision, random.nextInt(precision + 1));
          }
          case TIME -> ColumnType.time(random.nextInt(10));
          case TIMESTAMP -> ColumnType.timestamp(random.nextInt(10));
          case TIMESTAMP_LTZ -> ColumnType.timestampLtz(random.nextInt(10));
          case ARRAY -> ColumnType.array(type(depth - 1));
          case MAP -> ColumnType.map(type(depth - 1), type(depth - 1));
          case ROW -> {
            List<Column> fields = new ArrayList<>();
            for (int i = random.nextInt(12); i > 0; i--) {
              fields.add(new Column("f`" + i, type(depth - 1)));
            }
            yield ColumnType.row(fields);
          }
          default -> ColumnType.of(kind);
        };
    return random.nextInt(3) == 0 ? type.notNull() : type;
  }

  Object value(ColumnType type) {
    if (type.isNullable() && random.nextInt(5) == 0) {
      return null;
    }
    return switch (type.kind()) {
      case CHAR, VARCHAR -> text();
      case BOOLEAN -> random.nextBoolean();
      case BINARY, VARBINARY -> bytes();
      case DECIMAL -> new BigDecimal(unscaled(type.precision()), type.scale());
      case TINYINT -> (byte) number();
      case SMALLINT -> (short) number();
      case INT -> (int) number();
      case BIGINT -> number();
      case FLOAT -> Float.intBitsToFloat((int) number());
      case DOUBLE -> Double.longBitsToDouble(number());
      case DATE -> LocalDate.ofEpochDay(random.nextInt());
      case TIME -> LocalTime.ofNanoOfDay(Math.floorMod(number(), 86_400_000L) * 1_000_000);
      case TIMESTAMP -> LocalDateTime.ofInstant(instant(type.precision()), ZoneOffset.UTC);
      case TIMESTAMP_LTZ -> instant(type.precision());
      case ARRAY -> list(type.elementType());
      case MAP -> map(type.keyType(), type.valueType());
      case ROW -> {
        Map<String, Object> row = new LinkedHashMap<>();
        type.fields().forEach(field -> row.put(field.name(), value(field.type())));
        yield row;
      }
    };
  }

  private Kind pick(Kind[] kinds) {
    return kinds[random.nextInt(kinds.length)];
  }

  private int size() {
    return switch (random.nextInt(40)) {
      case 0 -> 300;
      case 1, 2 -> 0;
      default -> random.nextInt(6);
    };
  }

  private long number() {
    return random.nextBoolean() ? LONGS[random.nextInt(LONGS.length)] : random.nextLong();
  }

  private String text() {
    var text = new StringBuilder();
    for (int i = size(); i > 0; i--) {
      text.appendCodePoint(new int[] {'a', '"', 0xE9, 0x6771, 0x1F600}[random.nextInt(5)]);
    }
    return text.toString();
  }

  private byte[] bytes() {
    byte[] bytes = new byte[random.nextInt(500) == 0 ? 70_000 : size()];
    random.nextBytes(bytes);
    return bytes;
  }

  private BigInteger unscaled(int precision) {
    BigInteger limit = BigInteger.TEN.pow(precision);
    return switch (random.nextInt(4)) {
      case 0 -> limit.subtract(BigInteger.ONE);
      case 1 -> BigInteger.ONE.subtract(limit);
      default -> new BigInteger(random.nextInt(130), random).mod(limit);
    };
  }

  private Instant instant(int precision) {
    Instant instant = Instant.ofEpochMilli(number());
    return precision <= 3 ? instant : instant.plusNanos(random.nextInt(1_000_000));
  }

  private List<Object> list(ColumnType element) {
    List<Object> list = new ArrayList<>();
    for (int i = size(); i > 0; i--) {
      list.add(value(element));
    }
    return list;
  }

  private Map<Object, Object> map(ColumnType key, ColumnType value) {
    Map<Object, Object> map = new LinkedHashMap<>();
    for (int i = size(); i > 0; i--) {
      map.put(value(key), value(value));
    }
    return map;
  }

  /** The same values in a form in which equality is that of contents, also for byte arrays. */
  static Object comparable(Object value) {
    if (value instanceof byte[] bytes) {
      return "bytes " + HexFormat.of().formatHex(bytes);
    }
    if (value instanceof List<?> list) {
      return list.stream().map(RandomRows::comparable).toList().toString();
    }
    if (value instanceof Map<?, ?> map) {
      List<Object> entries = new ArrayList<>();
      map.forEach((k, v) -> entries.add(comparable(k) + " -> " + comparable(v)));
      return entries.toString();
    }
    return String.valueOf(value);
  }
}
