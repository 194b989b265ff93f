package io.bsdb.flink;

import io.bsdb.flink.lookup.LookupSpec;
import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.lookup.SnapshotLookupFunction;
import io.bsdb.flink.row.DeclaredTable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;
import org.apache.flink.table.types.DataType;

/**
 * A table as the right side of lookup joins.
 *
 * <p>Takes no filters: Flink leaves an accepted filter out of the plan's digest, and then mixes up
 * two uses of one table with different filters (FLINK-36808).
 */
final class SnapshotTableSource implements LookupTableSource, SupportsProjectionPushDown {
  private final DeclaredTable table;
  private final ReadSettings settings;
  private List<Integer> columns;

  SnapshotTableSource(DeclaredTable table, ReadSettings settings) {
    this(table, settings, IntStream.range(0, table.rowType().getFieldCount()).boxed().toList());
  }

  private SnapshotTableSource(DeclaredTable table, ReadSettings settings, List<Integer> columns) {
    this.table = table;
    this.settings = settings;
    this.columns = columns;
  }

  /** Called many times per query, on the client: touches no files. */
  @Override
  public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
    List<Integer> keys = new ArrayList<>();
    for (int[] key : context.getKeys()) {
      if (key.length != 1) {
        throw new ValidationException(
            "a lookup in table %s cannot compare a field inside of column '%s'; compare whole columns"
                .formatted(table.name(), table.rowType().getFieldNames().get(columns.get(key[0]))));
      }
      keys.add(key[0]);
    }
    return LookupFunctionProvider.of(
        new SnapshotLookupFunction(new LookupSpec(table, settings, columns, keys)));
  }

  @Override
  public boolean supportsNestedProjection() {
    return false;
  }

  @Override
  public void applyProjection(int[][] projectedFields, DataType producedDataType) {
    List<Integer> projected = new ArrayList<>();
    for (int[] field : projectedFields) {
      projected.add(columns.get(field[0]));
    }
    columns = projected;
  }

  @Override
  public DynamicTableSource copy() {
    return new SnapshotTableSource(table, settings, columns);
  }

  @Override
  public String asSummaryString() {
    return "bsdb";
  }
}
