package io.bsdb.flink;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.scan.Extent;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.jspecify.annotations.Nullable;

/**
 * Filters that leave only rows of some keys, because they compare every column of the primary key
 * with constants.
 *
 * @param comparisons by position in the primary key
 */
record KeyFilters(DeclaredTable table, List<Comparison> comparisons) implements ScanFilters {
  private static final int MAX_KEYS = 1_000;

  /**
   * Values that a filter allows in one column.
   *
   * @param values in Java; the column has one of them
   */
  record Comparison(String column, List<Object> values, ResolvedExpression filter) {}

  /**
   * Finds the filters that name keys.
   *
   * @param filters all of which hold
   * @return null if they do not name keys, or too many
   */
  static @Nullable KeyFilters of(DeclaredTable table, List<ResolvedExpression> filters) {
    Map<String, Comparison> byColumn = comparisons(table, filters);
    List<Comparison> comparisons = new ArrayList<>();
    long keys = 1;
    for (String column : table.primaryKey()) {
      Comparison comparison = byColumn.get(column);
      if (comparison == null) {
        return null;
      }
      comparisons.add(comparison);
      keys *= comparison.values.size();
      if (keys > MAX_KEYS) {
        return null;
      }
    }
    return new KeyFilters(table, comparisons);
  }

  /** Returns the first filter of each key column that allows it some values only. */
  static Map<String, Comparison> comparisons(
      DeclaredTable table, List<ResolvedExpression> filters) {
    Map<String, Comparison> byColumn = new HashMap<>();
    for (ResolvedExpression filter : filters) {
      comparison(table, filter, filter)
          .ifPresent(comparison -> byColumn.putIfAbsent(comparison.column, comparison));
    }
    return byColumn;
  }

  /** Returns the filters from which the keys come. */
  @Override
  public List<ResolvedExpression> accepted() {
    return comparisons.stream().map(Comparison::filter).toList();
  }

  @Override
  public long maxRows() {
    return comparisons.stream()
        .mapToLong(comparison -> comparison.values.size())
        .reduce(1, (a, b) -> a * b);
  }

  private static Optional<Comparison> comparison(
      DeclaredTable table, ResolvedExpression expression, ResolvedExpression filter) {
    if (expression instanceof FieldReferenceExpression field) {
      return comparison(table, field, true, filter);
    }
    if (!(expression instanceof CallExpression call)) {
      return Optional.empty();
    }
    FunctionDefinition function = call.getFunctionDefinition();
    List<ResolvedExpression> operands = call.getResolvedChildren();
    if (function == BuiltInFunctionDefinitions.EQUALS) {
      return equality(table, operands.get(0), operands.get(1), filter)
          .or(() -> equality(table, operands.get(1), operands.get(0), filter));
    }
    if (function == BuiltInFunctionDefinitions.NOT
        && operands.get(0) instanceof FieldReferenceExpression field) {
      return comparison(table, field, false, filter);
    }
    return function == BuiltInFunctionDefinitions.OR
        ? anyOf(table, operands, filter)
        : Optional.empty();
  }

  private static Optional<Comparison> anyOf(
      DeclaredTable table, List<ResolvedExpression> operands, ResolvedExpression filter) {
    List<Comparison> comparisons =
        operands.stream().flatMap(operand -> comparison(table, operand, filter).stream()).toList();
    if (comparisons.size() < operands.size()
        || comparisons.stream().map(Comparison::column).distinct().count() > 1) {
      return Optional.empty();
    }
    return Optional.of(
        new Comparison(
            comparisons.get(0).column,
            comparisons.stream().flatMap(comparison -> comparison.values.stream()).toList(),
            filter));
  }

  private static Optional<Comparison> equality(
      DeclaredTable table,
      ResolvedExpression left,
      ResolvedExpression right,
      ResolvedExpression filter) {
    return left instanceof FieldReferenceExpression field
        ? constant(table, field.getName(), left, right)
            .flatMap(value -> comparison(table, field, value, filter))
        : Optional.empty();
  }

  /** Returns the value of a literal that a key column is compared with, if nothing is lost. */
  static Optional<Object> constant(
      DeclaredTable table, String column, ResolvedExpression left, ResolvedExpression right) {
    if (left instanceof FieldReferenceExpression field
        && right instanceof ValueLiteralExpression literal
        && field.getName().equals(column)
        && table.primaryKey().contains(column)) {
      LogicalType type = table.type(column);
      LogicalType literalType = literal.getOutputDataType().getLogicalType();
      if (type.is(LogicalTypeFamily.EXACT_NUMERIC)
          && literalType.is(LogicalTypeFamily.EXACT_NUMERIC)) {
        return literal.getValueAs(BigDecimal.class).flatMap(value -> number(value, type));
      }
      return isExact(literalType, type)
          ? literal
              .getValueAs(KeyConstants.dataType(type).getConversionClass())
              .map(Object.class::cast)
          : Optional.empty();
    }
    return Optional.empty();
  }

  /** Returns a number in the type of a column, if that has it. */
  private static Optional<Object> number(BigDecimal value, LogicalType type) {
    try {
      Object number =
          switch (type.getTypeRoot()) {
            case TINYINT -> value.byteValueExact();
            case SMALLINT -> value.shortValueExact();
            case INTEGER -> value.intValueExact();
            case BIGINT -> value.longValueExact();
            default -> value.setScale(LogicalTypeChecks.getScale(type));
          };
      return Optional.of(number);
    } catch (ArithmeticException otherNumber) {
      return Optional.empty();
    }
  }

  private static Optional<Comparison> comparison(
      DeclaredTable table,
      FieldReferenceExpression field,
      Object value,
      ResolvedExpression filter) {
    return table.primaryKey().contains(field.getName())
        ? Optional.of(new Comparison(field.getName(), List.of(value), filter))
        : Optional.empty();
  }

  /** Returns whether a value of one type, made one of another, equals the same values. */
  private static boolean isExact(LogicalType literal, LogicalType column) {
    return switch (column.getTypeRoot()) {
      case CHAR, VARCHAR -> literal.is(LogicalTypeFamily.CHARACTER_STRING);
      case BINARY, VARBINARY -> literal.is(LogicalTypeFamily.BINARY_STRING);
      case TIME_WITHOUT_TIME_ZONE, TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
          literal.is(column.getTypeRoot())
              && LogicalTypeChecks.getPrecision(literal) <= LogicalTypeChecks.getPrecision(column);
      default -> literal.is(column.getTypeRoot());
    };
  }

  @Override
  public Extent extent() {
    return new Extent.RowsOfKeys(keys());
  }

  /** Returns the keys, encoded with their columns in the order of the DDL; none twice. */
  List<byte[]> keys() {
    KeyConstants constants = new KeyConstants(table, table.primaryKey().size());
    Set<ByteBuffer> keys = new LinkedHashSet<>();
    for (Object[] values : combinations()) {
      byte[] key = constants.encode(values);
      if (key != null) {
        keys.add(ByteBuffer.wrap(key));
      }
    }
    return keys.stream().map(ByteBuffer::array).toList();
  }

  private List<Object[]> combinations() {
    List<Object[]> combinations = Collections.singletonList(new Object[comparisons.size()]);
    for (int i = 0; i < comparisons.size(); i++) {
      List<Object[]> longer = new ArrayList<>();
      for (Object[] combination : combinations) {
        for (Object value : comparisons.get(i).values) {
          Object[] copy = combination.clone();
          copy[i] = value;
          longer.add(copy);
        }
      }
      combinations = longer;
    }
    return combinations;
  }
}
