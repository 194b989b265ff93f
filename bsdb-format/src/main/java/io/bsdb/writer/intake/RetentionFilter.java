package io.bsdb.writer.intake;

import io.bsdb.row.Column;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.KeyWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.Validity;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds rows of a history that are no longer kept: those that another row of the same leading
 * columns replaced at or before the horizon. So the newest row of each is always kept. Immutable.
 */
public final class RetentionFilter {
  private final byte[] horizon;

  private RetentionFilter(byte[] horizon) {
    this.horizon = horizon;
  }

  /**
   * Returns the filter of a table; null if all rows are kept.
   *
   * @param schema of its rows, as {@link Validity#requireSchema} demands if it has a history
   */
  public static @Nullable RetentionFilter of(@Nullable Schema schema, @Nullable Validity validity) {
    if (schema == null || validity == null || validity.horizon() == null) {
      return null;
    }
    Instant horizon = validity.horizon();
    Column time = schema.keyColumns().get(schema.keyColumns().size() - 1);
    Schema ofTime =
        Schema.of(List.of(time), List.of(time.name())).withKeyEncoding(KeyEncoding.ORDERED);
    return new RetentionFilter(
        KeyWriter.of(ofTime).writeTimestamp(horizon.toEpochMilli(), 0).toBytes());
  }

  /**
   * Returns whether a row takes the place of the one in front of it, which is then not kept.
   *
   * @param bytes holds both keys
   */
  public boolean replaces(byte[] bytes, int newer, int newerLength, int older, int olderLength) {
    int leading = newerLength - horizon.length;
    int time = newer + leading;
    return newerLength == olderLength
        && leading > 0
        && Arrays.equals(bytes, newer, time, bytes, older, older + leading)
        && Arrays.compareUnsigned(bytes, time, newer + newerLength, horizon, 0, horizon.length)
            <= 0;
  }
}
