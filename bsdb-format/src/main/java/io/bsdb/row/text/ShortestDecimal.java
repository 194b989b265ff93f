package io.bsdb.row.text;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.function.Predicate;

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

  private ShortestDecimal() {}

  static String of(double value) {
    String text = Double.toString(value);
    if (value == 0 || !Double.isFinite(value) || isShortest(text, DOUBLE_DIGITS)) {
      return text;
    }
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
    return shortest(
        new BigDecimal(value),
        Math.abs(value) < Float.MIN_NORMAL ? 1 : FLOAT_DIGITS,
        decimal -> decimal.floatValue() == value);
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
