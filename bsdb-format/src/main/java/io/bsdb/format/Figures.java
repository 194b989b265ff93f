package io.bsdb.format;

import java.util.Locale;

/**
 * Numbers for people.
 *
 * @hidden
 */
@Internal
public final class Figures {
  private static final String UNITS = "KMGTP";

  private Figures() {}

  /** Returns a size of three digits and a unit, such as {@code 1.50 MiB}. */
  public static String size(long bytes) {
    if (bytes < 1024) {
      return bytes + " B";
    }
    double size = bytes;
    int unit = -1;
    while (size >= 1000 && unit < UNITS.length() - 1) {
      size /= 1024;
      unit++;
    }
    String number =
        String.format(Locale.ROOT, size < 10 ? "%.2f" : size < 100 ? "%.1f" : "%.0f", size);
    return number + " " + UNITS.charAt(unit) + "iB";
  }

  public static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** Returns a number with what is counted, such as {@code 1 segment} or {@code 2 segments}. */
  public static String count(long number, String noun) {
    return count(number) + ' ' + noun + (number == 1 ? "" : "s");
  }
}
