package io.bsdb.flink.sink.change;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.row.KeyView;
import io.bsdb.row.Schema;
import java.util.Arrays;
import java.util.Objects;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.jspecify.annotations.Nullable;

/**
 * Finds updates whose time is a column of their rows. The old row of such an update has the key
 * that it was put with, and would be overwritten by its end; the new row has another time.
 *
 * <p>Only keys that were put lately are known. An old row with another time than it was put with
 * proves nothing: a filter may have left out its new row, and what follows is a later change. For
 * one thread.
 */
final class TimeOfUpdates {
  private static final int KEYS = 1 << 12;

  private final KeyView view;
  private final String column;
  private final int position;
  private final int precision;

  /** Keys of rows that were put, by their hash. */
  private final byte[] @Nullable [] put = new byte[KEYS][];

  private byte @Nullable [] replaced; // by the update whose new row is the next one
  private @Nullable TimestampData replacedTime;

  TimeOfUpdates(DeclaredTable table) {
    Schema schema = table.schema();
    this.view = KeyView.of(schema);
    this.column = table.lastKeyColumn();
    this.position = schema.position(column);
    this.precision = LogicalTypeChecks.getPrecision(table.type(column));
  }

  /** Returns what is wrong with a row, which comes after those that were given before. */
  @Nullable String problem(RowData row, byte[] key) {
    byte[] before = replaced;
    replaced = null;
    int slot = Arrays.hashCode(key) & (KEYS - 1);
    switch (row.getRowKind()) {
      case UPDATE_BEFORE -> {
        if (Arrays.equals(put[slot], key)) {
          replaced = key;
          replacedTime = time(row);
        }
      }
      case UPDATE_AFTER -> {
        if (before != null && !Arrays.equals(before, key) && sameEntity(before, key)) {
          return "an update changes '%s' from %s to %s; the time must be that of the change, such as METADATA FROM 'value.source.timestamp', not a column of the row"
              .formatted(column, replacedTime, time(row));
        }
        put[slot] = key;
      }
      case INSERT -> put[slot] = key;
      case DELETE -> {}
    }
    return null;
  }

  private TimestampData time(RowData row) {
    return Objects.requireNonNull(row.getTimestamp(position, precision));
  }

  private boolean sameEntity(byte[] a, byte[] b) {
    int leading = view.wrap(a).leadingLength();
    return Arrays.equals(a, 0, leading, b, 0, view.wrap(b).leadingLength());
  }
}
