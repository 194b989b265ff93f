package io.bsdb.flink.scan;

import java.io.Closeable;
import java.io.IOException;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/** The rows of one split. For one thread. */
interface SplitRows extends Closeable {
  /** Returns the next row; null after the last one. */
  @Nullable RowData next() throws IOException;

  @Override
  default void close() throws IOException {}
}
