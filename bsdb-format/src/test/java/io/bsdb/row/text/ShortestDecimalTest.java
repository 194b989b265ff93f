package io.bsdb.row.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShortestDecimalTest {
  /** Among them what {@code Double.toString} writes with more or other digits on some JDK. */
  @ParameterizedTest
  @CsvSource({
    "0x1p0, 1.0",
    "-0x0p0, -0.0",
    "2.0E-3, 0.002",
    "9.999E-4, 9.999E-4",
    "9999999, 9999999.0",
    "10000000, 1.0E7",
    "1.0E23, 1.0E23",
    "2.0E23, 2.0E23",
    "8.41E21, 8.41E21",
    "2.2250738585072014E-308, 2.2250738585072014E-308",
    "2.2250738585072011E-308, 2.225073858507201E-308",
    "4.9E-324, 5.0E-324",
    "9.9E-324, 1.0E-323",
    "1.7976931348623157E308, 1.7976931348623157E308",
    "9007199254740993, 9.007199254740992E15",
    "0x1p-44, 5.684341886080802E-14",
    "2.98023223876953125E-8, 2.9802322387695312E-8",
    "-46.94809, -46.94809",
    "NaN, NaN",
    "-Infinity, -Infinity"
  })
  void writesTheFewestDigitsOfADouble(double value, String text) {
    assertThat(ShortestDecimal.of(value)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "1.4E-45, 1.0E-45",
    "1.17549435E-38, 1.1754944E-38",
    "3.4028235E38, 3.4028235E38",
    "1.1E10, 1.1E10",
    "33554432, 3.3554432E7",
    "8.5899346E9, 8.589935E9",
    "2.0E-3, 0.002",
    "0.3, 0.3",
    "16777216, 1.6777216E7",
    "NaN, NaN",
    "Infinity, Infinity"
  })
  void writesTheFewestDigitsOfAFloat(float value, String text) {
    assertThat(ShortestDecimal.of(value)).isEqualTo(text);
  }

  @Test
  void theLeastNumbersMayTakeOneDigit() {
    for (int i = 1; i < 1000; i++) {
      String text = ShortestDecimal.of(i * Double.MIN_VALUE);
      assertThat(Double.parseDouble(text)).isEqualTo(i * Double.MIN_VALUE);
      String single = ShortestDecimal.of(i * Float.MIN_VALUE);
      assertThat(Float.parseFloat(single)).isEqualTo(i * Float.MIN_VALUE);
      if (!text.contains(".0E")) {
        assertThat(new BigDecimal(text).round(new MathContext(1)).doubleValue())
            .as(text)
            .isNotEqualTo(i * Double.MIN_VALUE);
      }
      if (!single.contains(".0E")) {
        assertThat(new BigDecimal(single).round(new MathContext(1)).floatValue())
            .as(single)
            .isNotEqualTo(i * Float.MIN_VALUE);
      }
    }
  }

  @Test
  void noShorterOrNearerDecimalIsTheSameDouble() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      double value =
          switch (random.nextInt(4)) {
            case 0 -> Double.longBitsToDouble(random.nextLong());
            case 1 -> Math.scalb(1.0, random.nextInt(2098) - 1074);
            case 2 -> random.nextInt(1_000_000) / 1e3;
            default -> Double.longBitsToDouble(random.nextLong() >>> 12); // subnormal
          };
      if (Double.isFinite(value) && value != 0) {
        String text = ShortestDecimal.of(value);
        assertThat(Double.parseDouble(text)).as("seed %d", seed).isEqualTo(value);
        BigDecimal decimal = new BigDecimal(text).stripTrailingZeros();
        BigDecimal exact = new BigDecimal(value);
        BigDecimal error = decimal.subtract(exact).abs();
        BigDecimal last = decimal.ulp();
        for (BigDecimal other : new BigDecimal[] {decimal.add(last), decimal.subtract(last)}) {
          assertThat(other.doubleValue() == value && isNearer(other, exact, error))
              .as("%s is nearer than %s, seed %d", other, text, seed)
              .isFalse();
        }
        BigDecimal ten = last.scaleByPowerOfTen(1);
        BigDecimal cut = decimal.subtract(decimal.remainder(ten));
        for (BigDecimal other : new BigDecimal[] {cut, cut.add(ten), cut.subtract(ten)}) {
          assertThat(other.signum() != 0 && other.doubleValue() == value)
              .as("%s is shorter than %s, seed %d", other, text, seed)
              .isFalse();
        }
      }
    }
  }

  private static boolean isNearer(BigDecimal other, BigDecimal exact, BigDecimal error) {
    return other.subtract(exact).abs().compareTo(error) < 0;
  }

  @Test
  void everyFloatIsReadBack() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 100_000; i++) {
      float value = Float.intBitsToFloat(random.nextInt());
      String text = ShortestDecimal.of(value);
      assertThat(Float.valueOf(text)).as("seed %d: %s", seed, text).isEqualTo(Float.valueOf(value));
      assertThat(text.length()).isLessThanOrEqualTo(Float.toString(value).length());
    }
  }
}
