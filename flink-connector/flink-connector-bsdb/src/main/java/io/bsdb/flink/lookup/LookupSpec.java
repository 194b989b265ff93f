package io.bsdb.flink.lookup;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.Projection;
import io.bsdb.reader.options.KeyShare;
import java.io.Serializable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.functions.FunctionContext;

/**
 * Lookup as the planner asks for it.
 *
 * @param table whose rows are looked up
 * @param settings how it is read
 * @param projection what of the rows is wanted
 * @param keys compared columns and metadata, by position in the projection; in the order in which
 *     their values arrive
 * @param shuffle which rows come to a subtask
 */
public record LookupSpec(
    DeclaredTable table,
    ReadSettings settings,
    Projection projection,
    List<Integer> keys,
    InputShuffle shuffle)
    implements Serializable {

  /**
   * Checks that the whole primary key is compared.
   *
   * @throws ValidationException naming the columns that are not, and what to do
   */
  public LookupSpec {
    keys = List.copyOf(keys);
    Set<String> compared = new HashSet<>();
    for (int key : keys) {
      if (projection.isColumn(key)) {
        compared.add(table.rowType().getFieldNames().get(projection.columns().get(key)));
      }
    }
    List<String> missing =
        table.primaryKey().stream().filter(column -> !compared.contains(column)).toList();
    if (!missing.isEmpty()) {
      throw new ValidationException(message(table, missing));
    }
  }

  private static String message(DeclaredTable table, List<String> missing) {
    StringBuilder text = new StringBuilder();
    text.append(
        "a lookup in table %s must compare every column of its primary key %s by '='; not compared:"
            .formatted(table.name(), table.primaryKey()));
    for (String column : missing) {
      text.append(" '%s' (%s)".formatted(column, table.type(column).copy(true).asSummaryString()));
    }
    String column = missing.get(0);
    return text.append(
            ". If the join condition does compare it, the other side has a wider type, so that Flink casts the table's column; cast the other side instead: ON d.`%s` = CAST(… AS %s)"
                .formatted(column, table.type(column).copy(true).asSummaryString()))
        .toString();
  }

  /** Returns the keys that a subtask is asked for. */
  KeyShare share(FunctionContext context) {
    return shuffle == InputShuffle.NONE
        ? KeyShare.ALL
        : new KeyShare(
            context.getTaskInfo().getIndexOfThisSubtask(),
            context.getTaskInfo().getNumberOfParallelSubtasks());
  }

  /**
   * Returns the compared columns, by position in the row of compared values: positions among all
   * columns of the table; −1: metadata.
   */
  int[] comparedColumns() {
    return keys.stream()
        .mapToInt(key -> projection.isColumn(key) ? projection.columns().get(key) : -1)
        .toArray();
  }

  /** Returns whether what is compared belongs to the primary key; by position in the projection. */
  boolean isInPrimaryKey(int key) {
    return projection.isColumn(key)
        && table
            .primaryKey()
            .contains(table.rowType().getFieldNames().get(projection.columns().get(key)));
  }
}
