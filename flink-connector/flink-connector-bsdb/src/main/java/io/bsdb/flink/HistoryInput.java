package io.bsdb.flink;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.change.EncodeHistoryFunction;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.transformations.KeyedMultipleInputTransformation;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.api.transformations.TwoInputTransformation;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * The rows that are written into a table with a history.
 *
 * @param mode of the changelog; null in a restored plan, for which the planner does not ask
 * @param endedColumn position of the metadata that marks ends; −1: none
 */
record HistoryInput(@Nullable ChangelogMode mode, int endedColumn) {
  /**
   * Returns the function that encodes them.
   *
   * @throws ValidationException if updates come through an operator that keeps rows by key, such as
   *     a join: it sends rows with the times of others. Rows without updates may come through any.
   */
  EncodeHistoryFunction encoder(DeclaredTable table, Transformation<RowData> input) {
    String keyedOperator = keyedOperator(input);
    if (keyedOperator != null && mode != null && !mode.equals(ChangelogMode.insertOnly())) {
      throw EncodeHistoryFunction.lostTimes(table, keyedOperator);
    }
    return new EncodeHistoryFunction(table, endedColumn, keyedOperator);
  }

  /**
   * Returns whether the watermark of the input is about the times of the rows: whether the planner
   * sees the event time in the last column of the key, and therefore puts it on the records. If a
   * later Flink describes that otherwise, watermarks are not published.
   */
  static boolean hasWatermark(DeclaredTable table, Transformation<RowData> input) {
    int time = table.rowType().getFieldIndex(table.lastKeyColumn());
    return input
        .getDescription()
        .contains("StreamRecordTimestampInserter(rowtime field: " + time + ")");
  }

  private static @Nullable String keyedOperator(Transformation<RowData> input) {
    for (Transformation<?> transformation : input.getTransitivePredecessors()) {
      if ((transformation instanceof OneInputTransformation<?, ?> one
              && one.getStateKeySelector() != null)
          || (transformation instanceof TwoInputTransformation<?, ?, ?> two
              && two.getStateKeySelector1() != null)
          || transformation instanceof KeyedMultipleInputTransformation<?>) {
        return transformation.getName();
      }
    }
    return null;
  }
}
