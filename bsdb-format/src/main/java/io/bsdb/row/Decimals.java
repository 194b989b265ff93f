package io.bsdb.row;

import java.math.BigDecimal;
import java.math.BigInteger;

/** Range checks of numbers on their way in (caller's mistakes) and out (damage). */
final class Decimals {
  private static final BigInteger[] LIMITS = new BigInteger[ColumnType.MAX_DECIMAL_PRECISION + 1];
  private static final long[] LONG_LIMITS = new long[Storage.MAX_LONG_DIGITS + 1];

  static {
    for (int digits = 0; digits < LIMITS.length; digits++) {
      LIMITS[digits] = BigInteger.TEN.pow(digits);
    }
    for (int digits = 0; digits < LONG_LIMITS.length; digits++) {
      LONG_LIMITS[digits] = LIMITS[digits].longValueExact();
    }
  }

  private Decimals() {}

  /** Returns the bytes of the shortest two's complement that any number of these digits fits. */
  static int width(int digits) {
    return LIMITS[digits].subtract(BigInteger.ONE).bitLength() / Byte.SIZE + 1;
  }

  /**
   * Returns the unscaled value at the declared scale; throws {@link IllegalArgumentException} if
   * digits would be lost.
   */
  static BigInteger unscaled(BigDecimal value, Column column) {
    ColumnType type = column.type();
    if (value.signum() == 0) {
      return BigInteger.ZERO;
    }
    // First by magnitude: setScale of a huge exponent would build a huge number.
    long integerDigits = (long) value.precision() - value.scale();
    if (integerDigits <= type.precision() - type.scale()) {
      // Likewise of trailing zeros, which a number of many digits may have; they cost no more than
      // the number itself.
      BigDecimal exact = value.scale() > type.scale() ? value.stripTrailingZeros() : value;
      if (exact.scale() <= type.scale()) {
        return exact.setScale(type.scale()).unscaledValue();
      }
    }
    throw tooBig(value.toString(), column);
  }

  /** Checks that an unscaled value of at most 18 digits has no more than declared. */
  static long checkGiven(long unscaled, Column column) {
    if (!fits(unscaled, column.type())) {
      throw tooBig("unscaled " + unscaled, column);
    }
    return unscaled;
  }

  static long checkStored(long unscaled, ColumnType type) {
    if (!fits(unscaled, type)) {
      throw Damage.found("unscaled " + unscaled + " does not fit " + type);
    }
    return unscaled;
  }

  /** Decodes a big-endian unscaled value. */
  static BigDecimal read(byte[] bytes, long slice, ColumnType type) {
    int length = FieldView.length(slice);
    if (length < 1 || length > Storage.MAX_DECIMAL_BYTES) {
      throw Damage.found(type + " of " + length + " bytes");
    }
    var unscaled = new BigInteger(bytes, FieldView.offset(slice), length);
    if (unscaled.abs().compareTo(LIMITS[type.precision()]) >= 0) {
      throw Damage.found("unscaled " + unscaled + " does not fit " + type);
    }
    return new BigDecimal(unscaled, type.scale());
  }

  static int checkNanos(int nanosOfMilli) {
    if (nanosOfMilli < 0 || nanosOfMilli > Storage.MAX_NANOS_OF_MILLI) {
      throw Damage.found(nanosOfMilli + " nanoseconds of a millisecond");
    }
    return nanosOfMilli;
  }

  static int checkGivenNanos(int nanosOfMilli) {
    if (nanosOfMilli < 0 || nanosOfMilli > Storage.MAX_NANOS_OF_MILLI) {
      throw new IllegalArgumentException(
          "nanosOfMilli is " + nanosOfMilli + ", must be 0 to " + Storage.MAX_NANOS_OF_MILLI);
    }
    return nanosOfMilli;
  }

  private static boolean fits(long unscaled, ColumnType type) {
    long limit = LONG_LIMITS[type.precision()];
    return -limit < unscaled && unscaled < limit;
  }

  private static IllegalArgumentException tooBig(String value, Column column) {
    return new IllegalArgumentException(
        "column '" + column.name() + "': " + value + " does not fit " + column.type());
  }
}
