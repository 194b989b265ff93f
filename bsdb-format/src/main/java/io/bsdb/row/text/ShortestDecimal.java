package io.bsdb.row.text;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The text of a FLOAT or DOUBLE: the fewest digits that are read back as the same number, and of
 * these the nearest to it. {@code Double.toString} has other rules before Java 19, and shows two
 * digits where one would do after it.
 */
final class ShortestDecimal {
  /** All decimals of so many digits are different numbers, subnormal ones excepted. */
  private static final int DOUBLE_DIGITS = 15;

  private static final int FLOAT_DIGITS = 6;

  // From 10^-3 to 10^7 numbers are written without an exponent.
  private static final int LOWEST_PLAIN_EXPONENT = -3;
  private static final int HIGHEST_PLAIN_EXPONENT = 6;

  /** From the lowest plain exponent on. */
  private static final double[] POWERS_OF_TEN = {
    1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7
  };

  /** Up to 10^19, which is unsigned. */
  private static final long[] LONG_POWERS_OF_TEN =
      LongStream.iterate(1, power -> power * 10).limit(20).toArray();

  private ShortestDecimal() {}

  static String of(double value) {
    String text = Double.toString(value);
    if (value == 0 || !Double.isFinite(value) || isShortest(text, DOUBLE_DIGITS)) {
      return text;
    }
    long bits = Double.doubleToRawLongBits(value);
    String plain =
        plain(value, significand(bits, 52), 52 - Math.getExponent(value), 1L << 52, DOUBLE_DIGITS);
    return plain != null ? plain : exact(value);
  }

  /** The same by exact arithmetic, whatever the magnitude. */
  static String exact(double value) {
    return shortest(
        new BigDecimal(value),
        Math.abs(value) < Double.MIN_NORMAL ? 1 : DOUBLE_DIGITS,
        decimal -> decimal.doubleValue() == value);
  }

  static String of(float value) {
    String text = Float.toString(value);
    if (value == 0 || !Float.isFinite(value) || isShortest(text, FLOAT_DIGITS)) {
      return text;
    }
    int bits = Float.floatToRawIntBits(value);
    String plain =
        plain(value, significand(bits, 23), 23 - Math.getExponent(value), 1L << 23, FLOAT_DIGITS);
    return plain != null ? plain : exact(value);
  }

  /** The same by exact arithmetic, whatever the magnitude. */
  static String exact(float value) {
    return shortest(
        new BigDecimal(value),
        Math.abs(value) < Float.MIN_NORMAL ? 1 : FLOAT_DIGITS,
        decimal -> decimal.floatValue() == value);
  }

  /**
   * Finds the decimal in 128 bits, which suffice for numbers that are written without an exponent.
   * With n digits behind the point, {@code significand * 10^n} is the number in units of {@code
   * 2^-shift} of the last digit; a decimal is the same number if it is at most half a unit of the
   * significand away, which is {@code 10^n / 2}.
   *
   * @param significand of the number, which is {@code significand / 2^shift} without its sign
   * @param smallest significand there is: the next number below such a one is nearer
   * @param first number of digits to try
   * @return null if it takes exact arithmetic
   */
  private static @Nullable String plain(
      double value, long significand, int shift, long smallest, int first) {
    double magnitude = Math.abs(value);
    if (!(magnitude >= 1e-3 && magnitude < 1e7) || shift < 1 || significand == smallest) {
      return null;
    }
    int exponent = LOWEST_PLAIN_EXPONENT;
    while (magnitude >= POWERS_OF_TEN[exponent + 1 - LOWEST_PLAIN_EXPONENT]) {
      exponent++;
    }
    long mask = (1L << shift) - 1;
    for (int places = Math.max(0, first - 1 - exponent); places < first + 2 - exponent; places++) {
      long unit = LONG_POWERS_OF_TEN[places];
      long low = significand * unit;
      long high = Math.multiplyHigh(significand, unit) + ((unit >> 63) & significand);
      long below = (high << (Long.SIZE - shift)) | (low >>> shift);
      long rest = low & mask;
      long missing = mask + 1 - rest;
      boolean isBelow = isHalf(rest, unit, significand);
      boolean isAbove = isHalf(missing, unit, significand);
      if (isBelow || isAbove) {
        boolean up =
            isAbove && (!isBelow || rest > missing || (rest == missing && (below & 1) == 1));
        return text(
            BigDecimal.valueOf(value < 0 ? -below - (up ? 1 : 0) : below + (up ? 1 : 0), places));
      }
    }
    return null;
  }

  /** Returns the significand of a number that is not subnormal. */
  private static long significand(long bits, int length) {
    long first = 1L << length;
    return (bits & (first - 1)) | first;
  }

  /** Whether a distance is at most half of a unit; half is near enough for an even significand. */
  private static boolean isHalf(long distance, long unit, long significand) {
    int comparison = Long.compareUnsigned(2 * distance, unit);
    return comparison < 0 || (comparison == 0 && (significand & 1) == 0);
  }

  /**
   * Returns whether a text without an exponent is of so few digits that no other decimal of as many
   * is the same number, and none of them is a zero too many.
   */
  private static boolean isShortest(String text, int digits) {
    int last = text.length() - 1;
    return last <= digits
        && text.indexOf('E') < 0
        && (text.charAt(last) != '0' || text.charAt(last - 1) == '.');
  }

  /**
   * Finds the decimal, among those that round down and up to ever more digits: the nearest one may
   * be another number at a power of two, where the next number below is nearer than the next above.
   */
  private static String shortest(BigDecimal exact, int digits, Predicate<BigDecimal> isSame) {
    BigDecimal below = exact.round(new MathContext(digits, RoundingMode.FLOOR));
    BigDecimal above = exact.round(new MathContext(digits, RoundingMode.CEILING));
    boolean belowIsSame = isSame.test(below);
    if (belowIsSame && isSame.test(above)) {
      return text(exact.round(new MathContext(digits, RoundingMode.HALF_EVEN)));
    }
    if (belowIsSame || isSame.test(above)) {
      return text(belowIsSame ? below : above);
    }
    return shortest(exact, digits + 1, isSame);
  }

  private static String text(BigDecimal decimal) {
    BigDecimal stripped = decimal.stripTrailingZeros();
    int exponent = stripped.precision() - 1 - stripped.scale();
    if (exponent < LOWEST_PLAIN_EXPONENT || exponent > HIGHEST_PLAIN_EXPONENT) {
      return withPoint(stripped.scaleByPowerOfTen(-exponent)) + 'E' + exponent;
    }
    return withPoint(stripped);
  }

  private static String withPoint(BigDecimal decimal) {
    return decimal.scale() > 0 ? decimal.toPlainString() : decimal.toPlainString() + ".0";
  }
}
