package io.bsdb.flink.sink.change;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.row.KeyView;
import io.bsdb.row.Schema;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * Finds changelogs whose time is a column of their rows. The old row of an update has the key there
 * that it was put with, and would be overwritten by its end; the new row has another time.
 *
 * <p>One such update proves nothing: of two changes at one time a filter may have left out the
 * later one, and what follows is another change. So it takes several, and no row between them that
 * has another time than it was put with, as most have where the time is that of the change.
 *
 * <p>Only entities that were put lately are known. For one thread.
 */
final class TimeOfUpdates {
  private static final int ENTITIES = 1 << 12;
  private static final int PROOF = 3;

  private final KeyView view;
  private final String column;
  private final int position;
  private final int precision;

  /** The last keys that were put, by the hashes of their entities. */
  private final byte[] @Nullable [] put = new byte[ENTITIES][];

  private byte @Nullable [] replaced; // by the update whose new row is the next one
  private @Nullable TimestampData replacedTime;
  private int found;

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
    int leading = view.wrap(key).leadingLength();
    int slot = ByteBuffer.wrap(key, 0, leading).hashCode() & (ENTITIES - 1);
    byte[] last = put[slot];
    switch (row.getRowKind()) {
      case UPDATE_BEFORE, DELETE -> {
        if (last != null && sameEntity(last, key)) {
          if (!Arrays.equals(last, key)) {
            found = 0;
          } else if (row.getRowKind() == RowKind.UPDATE_BEFORE) {
            replaced = key;
            replacedTime = time(row);
          }
        }
      }
      case UPDATE_AFTER -> {
        put[slot] = key;
        if (before != null
            && !Arrays.equals(before, key)
            && sameEntity(before, key)
            && ++found == PROOF) {
          return "an update changes '%s' from %s to %s; the time must be that of the change, such as METADATA FROM 'value.source.timestamp', not a column of the row"
              .formatted(column, replacedTime, time(row));
        }
      }
      case INSERT -> put[slot] = key;
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
