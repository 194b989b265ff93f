package io.bsdb.flink.scan;

import io.bsdb.flink.row.RowDecoder;
import io.bsdb.reader.RecordCursor;
import java.io.IOException;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/** All rows of a partition. */
public final class PartitionRows implements SplitRows {
  private final ScanSpec spec;
  private final RecordCursor cursor;
  private final RowDecoder.Rows rows;
  private final boolean needsKeys;

  /** Takes over the cursor. */
  public PartitionRows(ScanSpec spec, RecordCursor cursor, RowDecoder decoder) {
    this.spec = spec;
    this.cursor = cursor;
    this.rows = decoder.rows();
    this.needsKeys = decoder.needsKeys();
  }

  @Override
  public @Nullable RowData next() throws IOException {
    if (!cursor.next()) {
      return null;
    }
    try {
      return cursor.value(needsKeys ? rows.of(cursor.key()) : rows);
    } catch (UnsupportedOperationException e) {
      throw new ValidationException(
          "table %s was built with 'sink.keys' = 'omitted' and does not know its primary key columns %s; select other columns, or compare all of these with constants"
              .formatted(spec.table().name(), spec.table().primaryKey()),
          e);
    }
  }

  @Override
  public void close() throws IOException {
    cursor.close();
  }
}
