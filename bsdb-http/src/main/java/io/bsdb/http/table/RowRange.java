package io.bsdb.http.table;

import io.bsdb.http.exchange.Address;
import io.bsdb.http.exchange.Problem;
import io.bsdb.reader.KeyRange;
import java.util.Base64;

/**
 * A range that a request asks for.
 *
 * @param limit of rows, at least 1
 */
public record RowRange(KeyRange keys, boolean reversed, int limit) {
  private static final int LIMIT = 100;

  /** Reads a request's parameters; those that are missing are no bounds. */
  public static RowRange of(Address address, VersionRows rows, int most) {
    String prefix = address.parameter("prefix");
    String from = address.parameter("from");
    String to = address.parameter("to");
    if (prefix != null && (from != null || to != null)) {
      throw new Problem(
          Problem.Kind.BAD_REQUEST, "prefix= is a range of its own: leave from= and to= out");
    }
    String encoding = address.parameter("encoding");
    KeyRange keys =
        prefix == null ? KeyRange.all() : KeyRange.prefix(rows.prefix(prefix, encoding));
    if (from != null) {
      keys = keys.from(rows.prefix(from, encoding));
    }
    if (to != null) {
      keys = keys.before(rows.prefix(to, encoding));
    }
    boolean reversed = address.flag("reverse");
    String start = address.parameter("start");
    if (start != null && !start.isEmpty()) { // an empty one is the start of the range
      byte[] key = VersionRows.parse(() -> Base64.getUrlDecoder().decode(start));
      keys = reversed ? keys.through(key) : keys.from(key);
    }
    return new RowRange(
        reversed ? keys.reversed() : keys,
        reversed,
        address.number("limit", Math.min(LIMIT, most), most));
  }

  /** Returns the text of a key with which the next answer begins. */
  public static String start(byte[] key) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(key);
  }
}
