package io.bsdb.cli.input;

import java.util.Locale;

/** Operation of a change. */
enum Operation {
  PUT,
  DELETE;

  /**
   * Returns the operation that a word stands for, in upper or lower case.
   *
   * @throws IllegalArgumentException if it stands for none
   */
  static Operation of(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "put", "upsert", "insert", "update", "c", "u", "r", "+" -> PUT;
      case "delete", "d", "-" -> DELETE;
      default ->
          throw new IllegalArgumentException(
              "unknown operation '%s', expected one of put, upsert, insert, update, c, u, r, +, delete, d, -"
                  .formatted(word));
    };
  }
}
