package io.bsdb.cli;

import io.bsdb.row.Schema;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** How records lie in an input. */
interface RecordFormat {
  /**
   * Reads an input to its end.
   *
   * @param name of the input, for messages
   * @param badLines is told of each line that is not a record
   */
  void read(InputStream in, String name, RecordSink sink, BadLines badLines) throws IOException;

  /** Of the rows; null if keys and values are plain bytes. */
  default @Nullable Schema schema() {
    return null;
  }

  /** A key as messages show it. */
  default String describe(byte[] key) {
    return Encoding.excerpt(key, 0, key.length);
  }

  /** Whether a key or value is short enough; if not, {@code badLines} has heard of it. */
  static boolean fits(
      String what, int length, int longest, String name, long line, BadLines badLines) {
    if (length > longest) {
      badLines.found(
          name,
          line,
          "the %s is too long: %,d bytes, at most %,d".formatted(what, length, longest));
    }
    return length <= longest;
  }
}
