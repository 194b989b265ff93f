package io.bsdb.flink;

import io.bsdb.flink.KeyFilters.Comparison;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.scan.Extent;
import io.bsdb.table.manifest.RecordOrder;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.functions.FunctionDefinition;
import org.jspecify.annotations.Nullable;

/**
 * Filters that leave only rows of a range of keys of a table in key order: leading key columns
 * equal constants, and bounds of the one after them.
 */
record KeyRangeFilters(
    DeclaredTable table, List<Comparison> leading, @Nullable Bound lower, @Nullable Bound upper)
    implements ScanFilters {
  /** The side of a range that a comparison bounds. */
  private enum Side {
    LOWER,
    UPPER
  }

  private record Bound(Side side, Object value, ResolvedExpression filter) {}

  /** Finds the filters that bound a range; null if none does. */
  static @Nullable KeyRangeFilters of(DeclaredTable table, List<ResolvedExpression> filters) {
    if (table.order() != RecordOrder.KEY) {
      return null;
    }
    Map<String, Comparison> byColumn = KeyFilters.comparisons(table, filters);
    List<Comparison> leading = new ArrayList<>();
    for (String column : table.primaryKey()) {
      Comparison comparison = byColumn.get(column);
      if (comparison == null || comparison.values().size() != 1) {
        break;
      }
      leading.add(comparison);
    }
    Bound lower = null;
    Bound upper = null;
    if (leading.size() < table.primaryKey().size()) {
      String column = table.primaryKey().get(leading.size());
      lower = bound(table, column, Side.LOWER, filters);
      upper = bound(table, column, Side.UPPER, filters);
    }
    return leading.isEmpty() && lower == null && upper == null
        ? null
        : new KeyRangeFilters(table, leading, lower, upper);
  }

  private static @Nullable Bound bound(
      DeclaredTable table, String column, Side side, List<ResolvedExpression> filters) {
    return filters.stream()
        .flatMap(filter -> bounds(table, column, filter, filter))
        .filter(bound -> bound.side == side)
        .findFirst()
        .orElse(null);
  }

  /** Returns the bounds in an expression: of both sides, where Flink joins them to one filter. */
  private static Stream<Bound> bounds(
      DeclaredTable table,
      String column,
      ResolvedExpression expression,
      ResolvedExpression filter) {
    if (!(expression instanceof CallExpression call)) {
      return Stream.empty();
    }
    FunctionDefinition function = call.getFunctionDefinition();
    if (function == BuiltInFunctionDefinitions.AND) {
      return call.getResolvedChildren().stream()
          .flatMap(operand -> bounds(table, column, operand, filter));
    }
    boolean above =
        function == BuiltInFunctionDefinitions.GREATER_THAN
            || function == BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL;
    boolean below =
        function == BuiltInFunctionDefinitions.LESS_THAN
            || function == BuiltInFunctionDefinitions.LESS_THAN_OR_EQUAL;
    if (!above && !below) {
      return Stream.empty();
    }
    ResolvedExpression left = call.getResolvedChildren().get(0);
    ResolvedExpression right = call.getResolvedChildren().get(1);
    Optional<Object> value = KeyFilters.constant(table, column, left, right);
    return (value.isPresent()
            ? value.map(constant -> new Bound(above ? Side.LOWER : Side.UPPER, constant, filter))
            : KeyFilters.constant(table, column, right, left)
                .map(constant -> new Bound(above ? Side.UPPER : Side.LOWER, constant, filter)))
        .stream();
  }

  @Override
  public List<ResolvedExpression> accepted() {
    Set<ResolvedExpression> accepted = new LinkedHashSet<>();
    leading.forEach(comparison -> accepted.add(comparison.filter()));
    if (lower != null) {
      accepted.add(lower.filter);
    }
    if (upper != null) {
      accepted.add(upper.filter);
    }
    return List.copyOf(accepted);
  }

  @Override
  public long maxRows() {
    return Long.MAX_VALUE;
  }

  @Override
  public Extent extent() {
    byte[] all = prefix(null);
    return all == null
        ? new Extent.AllRows()
        : new Extent.RowsOfRange(or(prefix(lower), all), or(prefix(upper), all));
  }

  private static byte[] or(byte @Nullable [] bound, byte[] other) {
    return bound == null ? other : bound;
  }

  /** Returns what the keys at a bound begin with; null if no key has such a value. */
  private byte @Nullable [] prefix(@Nullable Bound bound) {
    List<Object> values = new ArrayList<>();
    leading.forEach(comparison -> values.add(comparison.values().get(0)));
    if (bound != null) {
      values.add(bound.value);
    }
    return new KeyConstants(table, values.size()).encode(values.toArray());
  }
}
