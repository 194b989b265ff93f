package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.Workload;
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

  /** Twice what a row takes in entry, key, list, row and string. */
  private static final long HEAP_BYTES_PER_ROW = 720;

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
      long key = Workload.keyNumber(id);
      StringData name = StringData.fromString(WorkloadFunctions.value(id));
      filled.put(key, List.of(GenericRowData.of(key, key * WorkloadFunctions.FACTOR, name)));
    }
    return filled;
  }

  /** What so many rows need of the heap, with room for its collector. */
  static long heapBytes(long rows) {
    return rows * HEAP_BYTES_PER_ROW;
  }

  @Override
  public Collection<RowData> lookup(RowData compared) {
    if (table == null) {
      throw new IllegalStateException("the function is not open");
    }
    long key = rows == 1 ? Workload.keyNumber(0) : compared.getLong(0);
    return table.getOrDefault(key, List.of());
  }
}
