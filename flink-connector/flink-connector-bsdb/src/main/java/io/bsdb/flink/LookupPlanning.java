package io.bsdb.flink;

import io.bsdb.flink.lookup.AsOfSettings;
import io.bsdb.flink.lookup.InputShuffle;
import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.table.manifest.RecordOrder;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.jspecify.annotations.Nullable;

/** Decisions about lookups when a query is planned; made once, however often Flink asks. */
final class LookupPlanning {
  private final DeclaredTable table;
  private final ReadSettings settings;
  private final AsyncLookup async;
  private final int maxRows;
  private final AsOfSettings asOf;
  private final ReadableConfig configuration;
  private @Nullable Boolean chosen;

  LookupPlanning(
      DeclaredTable table,
      ReadSettings settings,
      AsyncLookup async,
      int maxRows,
      AsOfSettings asOf,
      ReadableConfig configuration) {
    this.table = table;
    this.settings = settings;
    this.async = async;
    this.maxRows = maxRows;
    this.asOf = asOf;
    this.configuration = configuration;
  }

  /**
   * Returns whether lookups are asynchronous. May read a manifest, the first time. What waits for a
   * newer version must not hold up the task.
   */
  synchronized boolean isAsync() {
    if (chosen == null) {
      chosen = asOf.waits() || async.isChosen(table, settings);
    }
    return chosen;
  }

  /** Returns how lookups treat times in a history. */
  AsOfSettings asOf() {
    return asOf;
  }

  /** Returns the most rows that a lookup may find. */
  int maxRows() {
    return maxRows;
  }

  /**
   * Returns how rows are shuffled if the query asks for it: by key unless that gains nothing, as in
   * a table in key order, each of whose partitions has keys of all shares, or is not possible. The
   * adaptive scheduler of batch jobs gives a subtask other partitions than the one with its number;
   * and Flink shuffles changes again, by their own key, where asynchronous lookups are to keep the
   * order of each.
   */
  InputShuffle shuffle() {
    return table.order() == RecordOrder.KEY
            || configuration.get(ExecutionOptions.RUNTIME_MODE) != RuntimeExecutionMode.STREAMING
            || (configuration.get(ExecutionConfigOptions.TABLE_EXEC_ASYNC_LOOKUP_KEY_ORDERED)
                && isAsync())
        ? InputShuffle.NONE
        : InputShuffle.BY_KEY;
  }
}
