package io.bsdb.flink.scan;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/** The rows of one split. For one thread. */
interface SplitRows extends Closeable {
  /** Returns one row, with the number of rows in each of its columns. */
  static SplitRows ofCount(long count, int columns) {
    Iterator<RowData> row =
        List.<RowData>of(GenericRowData.of(Collections.nCopies(columns, (Object) count).toArray()))
            .iterator();
    return () -> row.hasNext() ? row.next() : null;
  }

  /** Returns the next row; null after the last one. */
  @Nullable RowData next() throws IOException;

  @Override
  default void close() throws IOException {}
}
