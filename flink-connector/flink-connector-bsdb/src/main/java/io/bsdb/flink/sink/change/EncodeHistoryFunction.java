package io.bsdb.flink.sink.change;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.RecordEncoder;
import io.bsdb.row.RowWriter;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the changes of a table with a history, each of which begins or ends the validity of a row
 * at its own time.
 *
 * <p>What an update replaces ends at the time of the update, where its new row begins: that one
 * comes later and counts, unless a filter leaves it out or it belongs to another entity. So old and
 * new rows need not be matched.
 */
public final class EncodeHistoryFunction extends RichFlatMapFunction<RowData, Change> {
  private static final long serialVersionUID = 1L;

  private final DeclaredTable table;
  private final int endedColumn;
  private final @Nullable String keyedOperator;

  private transient @Nullable RecordEncoder encoder;
  private transient @Nullable TimeOfUpdates times;

  /**
   * @param endedColumn position in the rows; −1: none
   * @param keyedOperator in front of the function, so that only rows without updates and deletes
   *     have times of their own; null if there is none
   */
  public EncodeHistoryFunction(
      DeclaredTable table, int endedColumn, @Nullable String keyedOperator) {
    this.table = table;
    this.endedColumn = endedColumn;
    this.keyedOperator = keyedOperator;
  }

  /** Reports that changes have lost their times in an operator. */
  public static ValidationException lostTimes(DeclaredTable table, String operator) {
    return new ValidationException(
        "table %s keeps a history: updates and deletes come through %s, which can give them the time of another row; read a changelog with UPDATE_BEFORE whose time is METADATA of the change, or an append-only stream with the column 'ended BOOLEAN METADATA'"
            .formatted(table.name(), operator));
  }

  @Override
  public void open(OpenContext context) {
    encoder = new RecordEncoder(table);
    times = new TimeOfUpdates(table);
  }

  @Override
  public void flatMap(RowData row, Collector<Change> changes) {
    if (encoder == null || times == null) {
      throw new IllegalStateException("the function is not open");
    }
    try {
      if (keyedOperator != null && row.getRowKind() != RowKind.INSERT) {
        throw lostTimes(table, keyedOperator);
      }
      byte[] key = encoder.key(row);
      String problem = times.problem(row, key);
      if (problem != null) {
        throw encoder.refused(row, problem);
      }
      changes.collect(Change.put(key, ends(row) ? RowWriter.ended() : encoder.value(row)));
    } catch (ValidationException e) {
      // The row will not get better.
      throw new SuppressRestartsException(e);
    }
  }

  private boolean ends(RowData row) {
    return switch (row.getRowKind()) {
      case INSERT, UPDATE_AFTER ->
          endedColumn >= 0 && !row.isNullAt(endedColumn) && row.getBoolean(endedColumn);
      case UPDATE_BEFORE, DELETE -> true;
    };
  }
}
