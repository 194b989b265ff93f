package io.bsdb.cli.output;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Short forms of ISO 8601 durations, such as {@code 6h}. */
public final class Age implements ITypeConverter<Duration> {
  /** The longest age: a thousand years. Far longer ones are before the first time of Java. */
  private static final Duration LONGEST = Duration.ofDays(365_000);

  @Override
  public Duration convert(String text) {
    String upper = text.toUpperCase(Locale.ROOT);
    try {
      Duration age = Duration.parse(upper.endsWith("D") ? "P" + upper : "PT" + upper);
      if (!age.isNegative() && age.compareTo(LONGEST) <= 0) {
        return age;
      }
      throw new TypeConversionException(
          age.isNegative()
              ? "a time in the future: '" + text + "'"
              : "too long a time: '" + text + "', expected at most " + LONGEST.toDays() + "d");
    } catch (DateTimeParseException e) {
      throw new TypeConversionException(
          "not a time: '" + text + "', expected a number and a unit, such as 30s, 10m, 6h or 2d");
    }
  }
}
