package io.bsdb.flink.lookup;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.Projection;
import io.bsdb.reader.options.KeyShare;
import java.io.Serializable;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/**
 * Lookup as the planner asks for it.
 *
 * @param table whose rows are looked up
 * @param settings how it is read
 * @param projection what of the rows is wanted
 * @param keys compared columns and metadata, by position in the projection; in the order in which
 *     their values arrive
 * @param shuffle which rows come to a subtask
 * @param maxRows maximum number of rows that a lookup may find
 * @param asOf how it treats times in a history
 */
public record LookupSpec(
    DeclaredTable table,
    ReadSettings settings,
    Projection projection,
    List<Integer> keys,
    InputShuffle shuffle,
    int maxRows,
    AsOfSettings asOf)
    implements Serializable {

  /**
   * Checks that the table can answer what is asked.
   *
   * @throws ValidationException naming the columns that are not compared, and what to do
   */
  public LookupSpec {
    keys = List.copyOf(keys);
    shuffle =
        Question.of(table, projection, keys).match() == Question.Match.KEY
            ? shuffle
            : InputShuffle.NONE;
  }

  /** Returns what is asked of the table. */
  Question question() {
    return Question.of(table, projection, keys);
  }

  /** Returns the type of the rows. */
  RowType rowType() {
    return RowType.of(
        IntStream.range(0, projection.columns().size() + projection.metadata().size())
            .mapToObj(position -> projection.type(table, position))
            .toArray(LogicalType[]::new));
  }

  /** Returns whether the rows have arrays or maps, also inside of other columns. */
  boolean hasCollections() {
    return LogicalTypeChecks.hasNested(
        rowType(), type -> type.is(LogicalTypeRoot.ARRAY) || type.is(LogicalTypeRoot.MAP));
  }

  /** Returns the keys that a subtask is asked for. */
  KeyShare share(FunctionContext context) {
    return shuffle == InputShuffle.NONE
        ? KeyShare.ALL
        : new KeyShare(
            context.getTaskInfo().getIndexOfThisSubtask(),
            context.getTaskInfo().getNumberOfParallelSubtasks());
  }
}
