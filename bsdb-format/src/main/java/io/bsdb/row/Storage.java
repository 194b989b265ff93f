package io.bsdb.row;

/** Storage of the fields of a type, and the accessors that read them. */
enum Storage {
  BOOLEAN(1),
  BYTE(1),
  SHORT(2),
  INT(4),
  LONG(8),
  FLOAT(4),
  DOUBLE(8),
  /** Unscaled value of a DECIMAL of at most 18 digits. */
  DECIMAL_LONG(8),
  /** Milliseconds since 1970. */
  TIMESTAMP_MILLIS(8),
  /** Milliseconds since 1970, then nanoseconds of the millisecond. */
  TIMESTAMP_NANOS(12),
  TEXT(0),
  BYTES(0),
  /** Unscaled value of a DECIMAL of more than 18 digits: big-endian two's complement. */
  DECIMAL_BYTES(0),
  ARRAY(0),
  ROW(0),
  /** A row of two arrays. */
  MAP(0);

  /** Maximum number of digits of a decimal number that any long can hold. */
  static final int MAX_LONG_DIGITS = 18;

  /** Longest two's complement of a number of 38 digits. */
  static final int MAX_DECIMAL_BYTES = 16;

  static final int MAX_NANOS_OF_MILLI = 999_999;

  /** Place of the nanoseconds in {@link #TIMESTAMP_NANOS}, after the milliseconds. */
  static final int NANOS_OFFSET = Long.BYTES;

  /** Bytes of the slot in a row; 0: variable. */
  final int width;

  Storage(int width) {
    this.width = width;
  }

  boolean isVariable() {
    return width == 0;
  }

  /** Returns the bytes in a key; 0: variable. */
  int keyWidth() {
    return this == DECIMAL_LONG ? 0 : width;
  }

  static Storage of(ColumnType type) {
    return switch (type.kind()) {
      case CHAR, VARCHAR -> TEXT;
      case BINARY, VARBINARY -> BYTES;
      case BOOLEAN -> BOOLEAN;
      case TINYINT -> BYTE;
      case SMALLINT -> SHORT;
      case INT, DATE, TIME -> INT;
      case BIGINT -> LONG;
      case FLOAT -> FLOAT;
      case DOUBLE -> DOUBLE;
      case DECIMAL -> type.precision() <= MAX_LONG_DIGITS ? DECIMAL_LONG : DECIMAL_BYTES;
      case TIMESTAMP, TIMESTAMP_LTZ -> type.precision() <= 3 ? TIMESTAMP_MILLIS : TIMESTAMP_NANOS;
      case ARRAY -> ARRAY;
      case MAP -> MAP;
      case ROW -> ROW;
    };
  }
}
