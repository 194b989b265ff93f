package io.bsdb.live;

/**
 * A position in the log of a writable table, between two changes.
 *
 * @param segment its number; 0 in front of the first
 * @param offset in the segment's file
 */
public record LogPosition(long segment, long offset) {
  /** The start of a log. */
  public static final LogPosition START = new LogPosition(0, 0);

  /** Checks that it is possible. */
  public LogPosition {
    if (segment < 0 || offset < 0) {
      throw new IllegalArgumentException(
          "position in a log: expected>=0 actual=%d/%d".formatted(segment, offset));
    }
  }

  /**
   * Reads what {@link #toString} returns.
   *
   * @throws IllegalArgumentException if it is something else
   */
  public static LogPosition parse(String text) {
    if (!text.matches("[0-9]{1,18}/[0-9]{1,18}")) {
      throw new IllegalArgumentException(
          "not a position in a log: expected=like 17/4096 actual='" + text + "'");
    }
    int slash = text.indexOf('/');
    return new LogPosition(
        Long.parseLong(text.substring(0, slash)), Long.parseLong(text.substring(slash + 1)));
  }

  @Override
  public String toString() {
    return segment + "/" + offset;
  }
}
