package io.bsdb.row;

import io.bsdb.format.row.LittleEndian;
import org.jspecify.annotations.Nullable;

/**
 * Finds text that has no UTF-8. Java would encode each unpaired surrogate as {@code ?}, and
 * different keys would become one.
 */
final class MalformedText {
  private static final long NOT_ASCII = 0x8080808080808080L;

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

  /**
   * Returns what is wrong with UTF-8 (RFC 3629), or null if it is well-formed. Eight ASCII
   * characters are one comparison.
   */
  static @Nullable String problem(byte[] bytes, int offset, int length) {
    int end = offset + length;
    int i = offset;
    while (i < end) {
      if (end - i >= Long.BYTES && (LittleEndian.getLong(bytes, i) & NOT_ASCII) == 0) {
        i += Long.BYTES;
      } else {
        int width = width(bytes, i, end);
        if (width == 0) {
          return "malformed UTF-8: byte %02x at index %d".formatted(bytes[i], i - offset);
        }
        i += width;
      }
    }
    return null;
  }

  /** Returns the bytes of a character; 0 if there is none. */
  private static int width(byte[] bytes, int i, int end) {
    int first = bytes[i] & 0xFF;
    if (first < 0x80) {
      return 1;
    }
    int width = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (first < 0xC2 || first > 0xF4 || end - i < width) {
      return 0;
    }
    // The second byte shows overlong forms, surrogates, and what is above U+10FFFF.
    int second = bytes[i + 1] & 0xFF;
    int least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    int most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (second < least || second > most) {
      return 0;
    }
    for (int k = 2; k < width; k++) {
      if ((bytes[i + k] & 0xC0) != 0x80) {
        return 0;
      }
    }
    return width;
  }
}
