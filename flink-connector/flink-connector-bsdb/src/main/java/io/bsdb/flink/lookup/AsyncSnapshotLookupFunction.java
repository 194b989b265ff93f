package io.bsdb.flink.lookup;

import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.AsyncLookupFunction;
import org.apache.flink.table.functions.FunctionContext;
import org.jspecify.annotations.Nullable;

/**
 * Looks up many rows at a time, for tables that are read from disk. The sibling of {@link
 * SnapshotLookupFunction}, with the same answers.
 */
public final class AsyncSnapshotLookupFunction extends AsyncLookupFunction {
  private static final long serialVersionUID = 1L;

  private final LookupSpec spec;
  private transient @Nullable AsyncTableLookup table;

  public AsyncSnapshotLookupFunction(LookupSpec spec) {
    this.spec = spec;
  }

  @Override
  public void open(FunctionContext context) throws Exception {
    FollowedTable opened = FollowedTable.open(spec, spec.share(context));
    MetricGroup group = context.getMetricGroup().addGroup("bsdb");
    LookupMetrics metrics =
        new LookupMetrics(
            group, opened, new ThreadSafeSimpleCounter(), new ThreadSafeSimpleCounter());
    table = new AsyncTableLookup(spec, opened, metrics, group);
  }

  @Override
  public CompletableFuture<Collection<RowData>> asyncLookup(RowData compared) {
    if (table == null) {
      throw new IllegalStateException("the function is not open");
    }
    return table.lookup(compared);
  }

  @Override
  public void close() throws IOException {
    AsyncTableLookup opened = table;
    table = null;
    if (opened != null) {
      opened.close();
    }
  }
}
