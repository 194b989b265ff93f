package io.bsdb.cli.output;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A number of bytes as people write it, such as {@code 512M} or {@code 4KiB}: powers of 1024. */
public record ByteSize(long bytes) {
  private static final Pattern FORM = Pattern.compile("(\\d{1,18})\\s*([kmgt]?)(?:i?b)?");
  private static final String UNITS = "kmgt";

  /**
   * Parses it.
   *
   * @throws IllegalArgumentException if it is no size
   */
  public static ByteSize parse(String text) {
    Matcher matcher = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      int shift = 10 * (UNITS.indexOf(matcher.group(2)) + 1);
      long number = Long.parseLong(matcher.group(1));
      if (matcher.group(2).isEmpty()) {
        return new ByteSize(number);
      }
      if (number <= Long.MAX_VALUE >> shift) {
        return new ByteSize(number << shift);
      }
    }
    throw new IllegalArgumentException("not a size: '" + text + "', expected like 512M");
  }

  /** For picocli. */
  public static final class Converter implements ITypeConverter<ByteSize> {
    @Override
    public ByteSize convert(String text) {
      try {
        return parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
