package io.bsdb.format;

import java.util.Locale;

/**
 * Text that somebody else wrote, such as the content of a damaged file, made fit for messages.
 *
 * @hidden
 */
@Internal
public final class Excerpt {
  private static final int MAX_LENGTH = 200;

  private Excerpt() {}

  /**
   * Returns the start of a text on one line: what a terminal might interpret or would not show is
   * escaped, as in {@code \}{@code u001b}.
   */
  public static String of(String text) {
    StringBuilder excerpt = new StringBuilder();
    int end = Math.min(MAX_LENGTH, text.length());
    for (int i = 0; i < end; ) {
      int character = text.codePointAt(i);
      if (isShown(character)) {
        excerpt.appendCodePoint(character);
      } else {
        excerpt.append(String.format(Locale.ROOT, "\\u%04x", character));
      }
      i += Character.charCount(character);
    }
    if (end < text.length()) {
      excerpt.append("… (").append(text.length()).append(" characters)");
    }
    return excerpt.toString();
  }

  /** Returns a text as one word of a shell's command that a message shows to be pasted. */
  public static String shellWord(Object text) {
    return "'" + text.toString().replace("'", "'\\''") + "'";
  }

  private static boolean isShown(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.PRIVATE_USE,
          Character.SURROGATE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
