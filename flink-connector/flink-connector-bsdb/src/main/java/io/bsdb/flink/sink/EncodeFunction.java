package io.bsdb.flink.sink;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.RecordEncoder;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Encodes rows where they come from, so that the shuffle moves what the table will hold. Old
 * versions of rows that are updated are left out.
 */
public final class EncodeFunction extends RichFlatMapFunction<RowData, Change> {
  private static final long serialVersionUID = 1L;

  private final DeclaredTable table;
  private transient @Nullable RecordEncoder encoder;

  public EncodeFunction(DeclaredTable table) {
    this.table = table;
  }

  @Override
  public void open(OpenContext context) {
    encoder = new RecordEncoder(table);
  }

  @Override
  public void flatMap(RowData row, Collector<Change> changes) {
    if (encoder == null) {
      throw new IllegalStateException("the function is not open");
    }
    try {
      switch (row.getRowKind()) {
        case INSERT, UPDATE_AFTER ->
            changes.collect(Change.put(encoder.key(row), encoder.value(row)));
        case DELETE -> changes.collect(Change.delete(encoder.key(row)));
        case UPDATE_BEFORE -> {} // what comes after it says it all
      }
    } catch (ValidationException e) {
      // The row will not get better.
      throw new SuppressRestartsException(e);
    }
  }
}
