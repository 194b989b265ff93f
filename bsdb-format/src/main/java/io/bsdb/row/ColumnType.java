package io.bsdb.row;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The type of a column: a kind, its parameters and whether null is allowed. The kinds are those of
 * Flink SQL that tables of rows use. Types are nullable unless {@link #notNull()} is applied.
 *
 * <p>The text form ({@link #toString()}, {@link #parse}) is SQL-like and canonical: two types are
 * equal exactly if their texts are. Examples: {@code STRING}, {@code DECIMAL(10, 2) NOT NULL},
 * {@code ARRAY<INT NOT NULL>}, {@code ROW<`a` INT, `b` STRING>}.
 *
 * <p>A BINARY(16) or BIGINT may be declared as {@code IP} or {@code IPV4}: its values are IP
 * addresses, which JSON and the command line show as such. That changes neither bytes nor equality.
 *
 * <p>Declared lengths of CHAR, VARCHAR, BINARY and VARBINARY describe the data; the encodings
 * neither pad nor cut.
 *
 * <p>Immutable and safe for use by many threads.
 */
public final class ColumnType {
  private static final int ADDRESS_LENGTH = 16;

  /** Deepest nesting of types; a scalar type has depth 1. */
  public static final int MAX_DEPTH = 32;

  /** Longest text form, in UTF-16 code units. */
  public static final int MAX_TEXT_LENGTH = 1 << 20;

  /** Maximum number of digits of a DECIMAL. */
  public static final int MAX_DECIMAL_PRECISION = 38;

  /** Maximum number of digits of the fraction of a second. */
  public static final int MAX_TIME_PRECISION = 9;

  /** Length of STRING, which is {@code VARCHAR(2147483647)}, and of BYTES. */
  public static final int UNLIMITED = Integer.MAX_VALUE;

  /** The kinds of types. */
  public enum Kind {
    CHAR,
    VARCHAR,
    BOOLEAN,
    BINARY,
    VARBINARY,
    DECIMAL,
    TINYINT,
    SMALLINT,
    INT,
    BIGINT,
    FLOAT,
    DOUBLE,
    DATE,
    TIME,
    TIMESTAMP,
    TIMESTAMP_LTZ,
    ARRAY,
    MAP,
    ROW;

    /** Returns whether columns of this kind may be part of a primary key. */
    public boolean isKeyable() {
      return compareTo(ARRAY) < 0;
    }
  }

  private enum Nullability {
    NULLABLE,
    NOT_NULL
  }

  private final Kind kind;
  private final Nullability nullability;
  private final int
      length; // CHAR, VARCHAR, BINARY, VARBINARY; precision of DECIMAL, TIME, TIMESTAMP,
  // TIMESTAMP_LTZ
  private final int scale;
  private final List<Column> fields; // ROW: its fields; ARRAY: element; MAP: key, value
  private final @Nullable String logicalName; // IP, IPV4; null: none
  private final String text;

  private ColumnType(
      Kind kind, Nullability nullability, int length, int scale, List<Column> fields) {
    this(kind, nullability, length, scale, fields, null);
  }

  private ColumnType(
      Kind kind,
      Nullability nullability,
      int length,
      int scale,
      List<Column> fields,
      @Nullable String logicalName) {
    this.kind = kind;
    this.nullability = nullability;
    this.length = length;
    this.scale = scale;
    this.fields = fields;
    this.logicalName = logicalName;
    this.text = describe() + suffix();
  }

  private String suffix() {
    return nullability == Nullability.NOT_NULL ? " NOT NULL" : "";
  }

  /** Returns a text of exactly {@code length} characters. */
  public static ColumnType charOf(int length) {
    return sized(Kind.CHAR, length, 1, UNLIMITED);
  }

  /** Returns a text of at most {@code length} characters. */
  public static ColumnType varchar(int length) {
    return sized(Kind.VARCHAR, length, 1, UNLIMITED);
  }

  public static ColumnType string() {
    return varchar(UNLIMITED);
  }

  public static ColumnType binary(int length) {
    return sized(Kind.BINARY, length, 1, UNLIMITED);
  }

  public static ColumnType varbinary(int length) {
    return sized(Kind.VARBINARY, length, 1, UNLIMITED);
  }

  public static ColumnType bytes() {
    return varbinary(UNLIMITED);
  }

  /**
   * Returns a decimal number of {@code precision} digits (1 to 38), the last {@code scale} of them
   * after the point.
   */
  public static ColumnType decimal(int precision, int scale) {
    checkRange("DECIMAL precision", precision, 1, MAX_DECIMAL_PRECISION);
    checkRange("DECIMAL scale", scale, 0, precision);
    return new ColumnType(Kind.DECIMAL, Nullability.NULLABLE, precision, scale, List.of());
  }

  /** Returns a time of day; stored in milliseconds whatever the precision (0 to 9). */
  public static ColumnType time(int precision) {
    return sized(Kind.TIME, precision, 0, MAX_TIME_PRECISION);
  }

  /**
   * Returns a date and time without time zone; stored in milliseconds up to precision 3, in
   * nanoseconds above.
   */
  public static ColumnType timestamp(int precision) {
    return sized(Kind.TIMESTAMP, precision, 0, MAX_TIME_PRECISION);
  }

  /** Returns a point in time; stored in milliseconds up to precision 3, in nanoseconds above. */
  public static ColumnType timestampLtz(int precision) {
    return sized(Kind.TIMESTAMP_LTZ, precision, 0, MAX_TIME_PRECISION);
  }

  /**
   * Returns {@code IP}: a {@code BINARY(16)} of IPv6 addresses, and of IPv4 addresses a.b.c.d as
   * ::ffff:a.b.c.d.
   */
  public static ColumnType ip() {
    return new ColumnType(Kind.BINARY, Nullability.NULLABLE, ADDRESS_LENGTH, 0, List.of(), "IP");
  }

  /** Returns {@code IPV4}: a {@code BIGINT} of IPv4 addresses as numbers. */
  public static ColumnType ipv4() {
    return new ColumnType(Kind.BIGINT, Nullability.NULLABLE, 0, 0, List.of(), "IPV4");
  }

  /**
   * Returns the type of IP addresses that values of this type stand for: {@link #ip} for text and
   * bytes, {@link #ipv4} for BIGINT.
   *
   * @throws IllegalArgumentException if values of this type are no addresses
   */
  public ColumnType ofAddresses() {
    return switch (kind) {
      case CHAR, VARCHAR, BINARY, VARBINARY -> ip().with(nullability);
      case BIGINT -> ipv4().with(nullability);
      default ->
          throw new IllegalArgumentException(
              "%s has no IP addresses: text, bytes and BIGINT have".formatted(this));
    };
  }

  /**
   * Returns a type without parameters: BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE,
   * DATE.
   */
  public static ColumnType of(Kind kind) {
    return switch (kind) {
      case CHAR,
          VARCHAR,
          BINARY,
          VARBINARY,
          DECIMAL,
          TIME,
          TIMESTAMP,
          TIMESTAMP_LTZ,
          ARRAY,
          MAP,
          ROW ->
          throw new IllegalArgumentException(kind + " has parameters");
      default -> new ColumnType(kind, Nullability.NULLABLE, 0, 0, List.of());
    };
  }

  public static ColumnType array(ColumnType element) {
    return nested(Kind.ARRAY, List.of(new Column("element", element)));
  }

  public static ColumnType map(ColumnType key, ColumnType value) {
    return nested(Kind.MAP, List.of(new Column("key", key), new Column("value", value)));
  }

  /**
   * Returns a row with named fields, possibly none; a duplicate name throws {@link
   * IllegalArgumentException}.
   */
  public static ColumnType row(List<Column> fields) {
    Set<String> names = new HashSet<>();
    for (Column field : fields) {
      if (!names.add(field.name())) {
        throw new IllegalArgumentException("duplicate field '" + field.name() + "' in ROW type");
      }
    }
    return nested(Kind.ROW, List.copyOf(fields));
  }

  /**
   * Reads a text form. Key words may be in any case; DECIMAL, TIME, TIMESTAMP and TIMESTAMP_LTZ
   * without parameters mean what they mean in Flink: (10, 0), (0), (6), (6). {@code IP} and {@code
   * IPV4} are {@link #ip} and {@link #ipv4}.
   *
   * @throws IllegalArgumentException naming the position (in characters from 0) and what was
   *     expected there
   */
  public static ColumnType parse(String text) {
    return new TypeParser(text).parse();
  }

  /**
   * Reads columns, as the fields of a ROW are written: {@code id BIGINT, name STRING}.
   *
   * @throws IllegalArgumentException as {@link #parse}
   */
  public static List<Column> parseColumns(String text) {
    return new TypeParser(text).parseFields();
  }

  private static ColumnType sized(Kind kind, int length, int min, int max) {
    checkRange(
        kind + (kind.compareTo(Kind.DECIMAL) > 0 ? " precision" : " length"), length, min, max);
    return new ColumnType(kind, Nullability.NULLABLE, length, 0, List.of());
  }

  private static ColumnType nested(Kind kind, List<Column> fields) {
    var type = new ColumnType(kind, Nullability.NULLABLE, 0, 0, fields);
    if (type.depth() > MAX_DEPTH) {
      throw new IllegalArgumentException("type is nested deeper than " + MAX_DEPTH);
    }
    return type;
  }

  private static void checkRange(String what, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(what + " is " + value + ", must be " + min + " to " + max);
    }
  }

  private int depth() {
    int deepest = 0;
    for (Column field : fields) {
      deepest = Math.max(deepest, field.type().depth());
    }
    return deepest + 1;
  }

  public Kind kind() {
    return kind;
  }

  public boolean isNullable() {
    return nullability == Nullability.NULLABLE;
  }

  /** Returns this type without null. */
  public ColumnType notNull() {
    return isNullable() ? with(Nullability.NOT_NULL) : this;
  }

  /** Returns this type with null allowed. */
  public ColumnType nullable() {
    return isNullable() ? this : with(Nullability.NULLABLE);
  }

  private ColumnType with(Nullability value) {
    return new ColumnType(kind, value, length, scale, fields, logicalName);
  }

  /** Returns whether values are IP addresses: the type was declared as IP or IPV4. */
  public boolean isAddress() {
    return logicalName != null;
  }

  /**
   * Returns the declared length of CHAR and VARCHAR in characters, of BINARY and VARBINARY in
   * bytes.
   */
  public int length() {
    return require(length, Kind.CHAR, Kind.VARCHAR, Kind.BINARY, Kind.VARBINARY);
  }

  /**
   * Digits of a DECIMAL; digits of the fraction of a second of TIME, TIMESTAMP and TIMESTAMP_LTZ.
   */
  public int precision() {
    return require(length, Kind.DECIMAL, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ);
  }

  /** Digits of a DECIMAL after the point. */
  public int scale() {
    return require(scale, Kind.DECIMAL);
  }

  /** Returns the element type of an ARRAY. */
  public ColumnType elementType() {
    require(0, Kind.ARRAY);
    return fields.get(0).type();
  }

  /** Returns the key type of a MAP. */
  public ColumnType keyType() {
    require(0, Kind.MAP);
    return fields.get(0).type();
  }

  /** Returns the value type of a MAP. */
  public ColumnType valueType() {
    require(0, Kind.MAP);
    return fields.get(1).type();
  }

  /** Fields of ROW, in order. */
  public List<Column> fields() {
    require(0, Kind.ROW);
    return fields;
  }

  private int require(int value, Kind... kinds) {
    for (Kind allowed : kinds) {
      if (kind == allowed) {
        return value;
      }
    }
    throw new IllegalStateException(kind + " has no such parameter");
  }

  private String describe() {
    return switch (kind) {
      case VARCHAR -> length == UNLIMITED ? "STRING" : "VARCHAR(" + length + ")";
      case VARBINARY -> length == UNLIMITED ? "BYTES" : "VARBINARY(" + length + ")";
      case CHAR, BINARY, TIME, TIMESTAMP, TIMESTAMP_LTZ -> kind + "(" + length + ")";
      case DECIMAL -> "DECIMAL(" + length + ", " + scale + ")";
      case ARRAY, MAP ->
          fields.stream()
              .map(f -> f.type().text)
              .collect(Collectors.joining(", ", kind + "<", ">"));
      case ROW ->
          fields.stream().map(Column::toString).collect(Collectors.joining(", ", "ROW<", ">"));
      default -> kind.name();
    };
  }

  /** Returns the text as declared, with IP and IPV4, which {@link #parse} reads. */
  public String declaration() {
    String declared =
        switch (kind) {
          case ARRAY, MAP ->
              fields.stream()
                  .map(field -> field.type().declaration())
                  .collect(Collectors.joining(", ", kind + "<", ">"));
          case ROW ->
              fields.stream()
                  .map(Column::declaration)
                  .collect(Collectors.joining(", ", "ROW<", ">"));
          default -> logicalName == null ? describe() : logicalName;
        };
    return declared + suffix();
  }

  static String quoteName(String name) {
    return '`' + name.replace("`", "``") + '`';
  }

  /** Returns the canonical text, which {@link #parse} reads: that of the bytes, without IP. */
  @Override
  public String toString() {
    return text;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ColumnType type && text.equals(type.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
