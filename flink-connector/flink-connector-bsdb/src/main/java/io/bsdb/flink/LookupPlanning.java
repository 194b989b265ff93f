package io.bsdb.flink;

import io.bsdb.flink.lookup.AsyncLookup;
import io.bsdb.flink.lookup.InputShuffle;
import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.row.DeclaredTable;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.jspecify.annotations.Nullable;

/** What is decided about lookups when a query is planned; once, however often Flink asks. */
final class LookupPlanning {
  private final DeclaredTable table;
  private final ReadSettings settings;
  private final AsyncLookup async;
  private final RuntimeExecutionMode mode;
  private AsyncLookup.@Nullable Kind kind;

  LookupPlanning(
      DeclaredTable table, ReadSettings settings, AsyncLookup async, RuntimeExecutionMode mode) {
    this.table = table;
    this.settings = settings;
    this.async = async;
    this.mode = mode;
  }

  /** Whether lookups are synchronous. May read a manifest, the first time. */
  synchronized AsyncLookup.Kind lookupKind() {
    AsyncLookup.Kind chosen = kind;
    if (chosen == null) {
      chosen = async.choose(table, settings);
      kind = chosen;
    }
    return chosen;
  }

  /**
   * How rows are shuffled if the query asks for it. The adaptive scheduler of batch jobs gives a
   * subtask other partitions than the one with its number.
   */
  InputShuffle shuffle() {
    return mode == RuntimeExecutionMode.STREAMING ? InputShuffle.BY_KEY : InputShuffle.NONE;
  }
}
