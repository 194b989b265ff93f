package io.bsdb.benchmarks.flink;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.LookupFunction;
import org.jspecify.annotations.Nullable;

/** What bsdb is compared with: a map on the heap, or, with one row, always the same answer. */
public final class HeapLookup extends LookupFunction {
  private static final long serialVersionUID = 1L;

  /** By number of rows; kept from job to job, because filling it is not what is measured. */
  private static final Map<Long, Map<Long, List<RowData>>> TABLES = new HashMap<>();

  private final long rows;
  private transient @Nullable Map<Long, List<RowData>> table;

  HeapLookup(long rows) {
    this.rows = rows;
  }

  @Override
  public void open(FunctionContext context) {
    synchronized (TABLES) {
      table = TABLES.computeIfAbsent(rows, HeapLookup::fill);
    }
  }

  private static Map<Long, List<RowData>> fill(long rows) {
    Map<Long, List<RowData>> filled = new HashMap<>(Math.toIntExact(rows * 4 / 3 + 1));
    for (long id = 0; id < rows; id++) {
      filled.put(
          id, List.of(GenericRowData.of(id, id * 3, StringData.fromString(LookupBench.NAME + id))));
    }
    return filled;
  }

  @Override
  public Collection<RowData> lookup(RowData compared) {
    if (table == null) {
      throw new IllegalStateException("the function is not open");
    }
    return table.getOrDefault(rows == 1 ? 0L : compared.getLong(0), List.of());
  }
}
