package io.bsdb.row.text;

import com.fasterxml.jackson.core.io.NumberOutput;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.function.Predicate;

/**
 * The text of a FLOAT or DOUBLE: the fewest digits that are read back as the same number, and among
 * these the nearest to it, as Schubfach finds them; except that Schubfach writes the least numbers
 * with two digits where one would do. {@code Double.toString} has other rules before Java 19.
 */
final class ShortestDecimal {
  /** Below, a unit in the last place is more than a unit in the second digit. */
  private static final double LEAST_DOUBLES = 1e-321;

  private static final float LEAST_FLOATS = 1e-42f;

  private ShortestDecimal() {}

  static String of(double value) {
    String text = NumberOutput.toString(value, true);
    return value != 0 && Math.abs(value) < LEAST_DOUBLES
        ? inOneDigit(new BigDecimal(value), one -> one.doubleValue() == value, text)
        : text;
  }

  static String of(float value) {
    String text = NumberOutput.toString(value, true);
    return value != 0 && Math.abs(value) < LEAST_FLOATS
        ? inOneDigit(new BigDecimal(value), one -> one.floatValue() == value, text)
        : text;
  }

  private static String inOneDigit(BigDecimal exact, Predicate<BigDecimal> isSame, String text) {
    BigDecimal one = exact.round(new MathContext(1));
    return isSame.test(one) ? one.unscaledValue() + ".0E" + -one.scale() : text;
  }
}
