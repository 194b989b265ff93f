package io.bsdb.flink;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.scan.Extent;
import java.util.List;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.jspecify.annotations.Nullable;

/**
 * Filters by which a scan reads less than all rows. It may read more than the filters leave, never
 * less: Flink filters the rows once more. Immutable.
 */
sealed interface ScanFilters permits KeyFilters, KeyRangeFilters {
  /**
   * Finds the filters that help.
   *
   * @param filters all of which hold
   * @return null if all rows have to be read
   */
  static @Nullable ScanFilters of(DeclaredTable table, List<ResolvedExpression> filters) {
    KeyFilters keys = KeyFilters.of(table, filters);
    return keys == null ? KeyRangeFilters.of(table, filters) : keys;
  }

  /** Returns the filters that are used. */
  List<ResolvedExpression> accepted();

  /** Returns how many rows there are at most. */
  long maxRows();

  /** Returns what is to be read. */
  Extent extent();
}
