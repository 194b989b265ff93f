package io.bsdb.writer.options;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Values of options as text. */
final class OptionText {
  private OptionText() {}

  static String text(Object value) {
    return value instanceof Layout layout
        ? layout.label()
        : value.toString().toLowerCase(Locale.ROOT);
  }

  static boolean bool(String text) {
    if (!text.equals("true") && !text.equals("false")) {
      throw new IllegalArgumentException("expected true or false");
    }
    return text.equals("true");
  }

  static <T> T constant(T[] values, String text) {
    for (T value : values) {
      if (text(value).equals(text)) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        Arrays.stream(values)
            .map(OptionText::text)
            .collect(Collectors.joining(", ", "expected one of ", "")));
  }
}
