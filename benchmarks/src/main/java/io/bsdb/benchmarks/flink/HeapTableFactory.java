package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.harness.DataSet;
import io.bsdb.benchmarks.harness.Workload;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.LookupFunction;

/**
 * Makes tables of {@code 'connector' = 'bench-heap'}: maps on the heap that bsdb is compared with.
 * With one row the answer is always the same.
 */
public final class HeapTableFactory implements DynamicTableSourceFactory {
  /** Twice what a row takes in entry, key, list, row and string: the collector needs room. */
  static final long HEAP_BYTES_PER_ROW = 720;

  @Override
  public String factoryIdentifier() {
    return "bench-heap";
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of();
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of();
  }

  @Override
  public DynamicTableSource createDynamicTableSource(Context context) {
    String rows = Objects.requireNonNull(context.getCatalogTable().getOptions().get("rows"));
    return new HeapTable(Long.parseLong(rows));
  }

  private record HeapTable(long rows) implements LookupTableSource {
    @Override
    public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
      return LookupFunctionProvider.of(new HeapLookup(rows));
    }

    @Override
    public DynamicTableSource copy() {
      return this;
    }

    @Override
    public String asSummaryString() {
      return "bench-heap";
    }
  }

  /** Looks keys up in the map. */
  public static final class HeapLookup extends LookupFunction {
    private static final long serialVersionUID = 1L;

    /** By number of rows; kept from job to job, because filling it is not what is measured. */
    private static final Map<Long, Map<Long, List<RowData>>> TABLES = new ConcurrentHashMap<>();

    private final long rows;
    private transient Map<Long, List<RowData>> table = Map.of();

    HeapLookup(long rows) {
      this.rows = rows;
    }

    @Override
    public void open(FunctionContext context) {
      table = TABLES.computeIfAbsent(rows, HeapLookup::fill);
    }

    private static Map<Long, List<RowData>> fill(long rows) {
      Map<Long, List<RowData>> filled = new HashMap<>(Math.toIntExact(rows * 4 / 3 + 1));
      for (long id = 0; id < rows; id++) {
        Object[] row = DataSet.NUMBERS.row(id);
        row[2] = StringData.fromString((String) row[2]);
        filled.put((Long) row[0], List.of(GenericRowData.of(row)));
      }
      return filled;
    }

    @Override
    public Collection<RowData> lookup(RowData compared) {
      long key = rows == 1 ? Workload.keyNumber(0) : compared.getLong(0);
      return table.getOrDefault(key, List.of());
    }
  }
}
