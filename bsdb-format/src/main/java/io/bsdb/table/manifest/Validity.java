package io.bsdb.table.manifest;

import io.bsdb.format.Internal;
import io.bsdb.row.ColumnType;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Schema;
import java.io.Serializable;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What makes a table one with a history: its rows have the time from which they are valid in the
 * last column of the key, and each is valid until the next one with the same leading columns.
 *
 * @param retention how long a row is kept after the next one has replaced it; null: forever
 * @param horizon a time at or before which replaced rows may have been dropped, to the millisecond;
 *     null while none has been. Of columns without time zone it is the time in UTC
 */
public record Validity(@Nullable Duration retention, @Nullable Instant horizon)
    implements Serializable {
  /** A history that never drops a row. */
  public static final Validity FOREVER = new Validity(null, null);

  private static final String NO_END = "forever";
  private static final Duration MAX_RETENTION = Duration.ofDays(365_000);

  public Validity {
    if (retention != null
        && (retention.compareTo(Duration.ofMillis(1)) < 0
            || retention.compareTo(MAX_RETENTION) > 0)) {
      throw new IllegalArgumentException(
          "retention of a history out of range: expected %s to %s, actual %s"
              .formatted(text(Duration.ofMillis(1)), text(MAX_RETENTION), text(retention)));
    }
    horizon = horizon == null ? null : horizon.truncatedTo(ChronoUnit.MILLIS);
  }

  /**
   * Reads what {@link #toString} returns, and retentions in ISO 8601, such as {@code PT720H}.
   *
   * @throws IllegalArgumentException if it is something else
   */
  public static Validity parse(String text) {
    try {
      int slash = text.indexOf('/');
      String retention = slash < 0 ? text : text.substring(0, slash);
      return new Validity(
          retention.equals(NO_END) ? null : duration(retention),
          slash < 0 ? null : Instant.parse(text.substring(slash + 1)));
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "expected '%s' or how long replaced rows are kept, such as 30d or 1h30m"
              .formatted(NO_END),
          e);
    }
  }

  private static Duration duration(String text) {
    boolean days = text.endsWith("d");
    return Duration.parse(text.startsWith("P") ? text : (days ? "P" : "PT") + text);
  }

  /** Returns the same with the horizon that a build or a fold has at a time: it never goes back. */
  public Validity at(Instant now) {
    if (retention == null) {
      return this;
    }
    Instant moved = now.minus(retention);
    return horizon != null && !moved.isAfter(horizon) ? this : new Validity(retention, moved);
  }

  /**
   * Returns whether rows should be dropped again: whether the horizon that {@link #at} gives is at
   * least a tenth of the retention after the recorded one.
   */
  public boolean isDue(Instant now) {
    if (retention == null) {
      return false;
    }
    Instant moved = at(now).horizon;
    return horizon == null
        || (moved != null && !moved.isBefore(horizon.plus(retention.dividedBy(10))));
  }

  /**
   * Checks that a lookup as of a time finds what it would find if nothing had been dropped. For
   * strict lookups in the version whose manifest has this.
   *
   * @throws IllegalArgumentException if the time is before the horizon
   */
  public void requireKept(Instant time) {
    if (horizon != null && time.isBefore(horizon)) {
      throw new IllegalArgumentException(
          ("rows that were valid at %s may have been dropped: the horizon of the history is %s, and"
                  + " its retention %s; ask for the horizon or a later time, or look up what is left"
                  + " without being strict")
              .formatted(time, horizon, retention == null ? NO_END : text(retention)));
    }
  }

  /**
   * Checks that a table can have a history.
   *
   * @param schema of its rows; null for none
   * @throws IllegalArgumentException if it cannot
   */
  public static void requireSchema(@Nullable Schema schema) {
    if (schema == null
        || schema.keyColumns().size() < 2
        || !isTime(schema.keyColumns().get(schema.keyColumns().size() - 1).type())
        || schema.keyEncoding() != KeyEncoding.ORDERED) {
      throw new IllegalArgumentException(
          "a table with a history needs a primary key of two columns or more that sorts and ends"
              + " in a TIMESTAMP or TIMESTAMP_LTZ, the time from which a row is valid, such as"
              + " PRIMARY KEY (item, changed_at); its schema is "
              + (schema == null
                  ? "none"
                  : schema.keyEncoding() == KeyEncoding.PLAIN
                      ? schema + " with keyEncoding 'plain'"
                      : schema));
    }
  }

  /**
   * Returns {@code forever} or the retention, and then the horizon if there is one: {@code 30d},
   * {@code 30d/2026-11-20T08:30:00Z}.
   */
  @Override
  public String toString() {
    return (retention == null ? NO_END : text(retention)) + (horizon == null ? "" : "/" + horizon);
  }

  /**
   * Returns a duration as command lines take it: {@code 30d}, {@code 1h30m}.
   *
   * @hidden
   */
  @Internal
  public static String text(Duration duration) {
    return duration.equals(Duration.ofDays(duration.toDays())) && !duration.isZero()
        ? duration.toDays() + "d"
        : duration.toString().substring("PT".length()).toLowerCase(Locale.ROOT);
  }

  private static boolean isTime(ColumnType type) {
    return switch (type.kind()) {
      case TIMESTAMP, TIMESTAMP_LTZ -> true;
      default -> false;
    };
  }
}
