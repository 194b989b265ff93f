package io.bsdb.row;

import org.jspecify.annotations.Nullable;

/**
 * Finds text that has no UTF-8. Java would encode each unpaired surrogate as {@code ?}, and
 * different keys would become one.
 */
final class MalformedText {
  private MalformedText() {}

  /** Returns what is wrong with a text, or null if it can be encoded. */
  static @Nullable String problem(String text) {
    int i = 0;
    while (i < text.length()) {
      int point = text.codePointAt(i);
      if (Character.MIN_SURROGATE <= point && point <= Character.MAX_SURROGATE) {
        return "malformed text: unpaired surrogate \\u%04x at index %d".formatted(point, i);
      }
      i += Character.charCount(point);
    }
    return null;
  }
}
