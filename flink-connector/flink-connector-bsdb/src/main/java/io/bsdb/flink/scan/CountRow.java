package io.bsdb.flink.scan;

import java.util.Collections;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/** One row that says how many there are, in the version or in a partition. */
final class CountRow implements SplitRows {
  private @Nullable RowData row;

  CountRow(long count, int columns) {
    this.row = GenericRowData.of(Collections.nCopies(columns, (Object) count).toArray());
  }

  @Override
  public @Nullable RowData next() {
    RowData next = row;
    row = null;
    return next;
  }
}
