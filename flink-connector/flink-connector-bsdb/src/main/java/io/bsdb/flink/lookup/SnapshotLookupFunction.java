package io.bsdb.flink.lookup;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.LookupFunction;
import org.jspecify.annotations.Nullable;

/**
 * Looks up one row at a time in the version in service. The reader is shared with all tasks of the
 * process; new versions are opened in the background, and the next lookup uses them.
 */
public final class SnapshotLookupFunction extends LookupFunction {
  private static final long serialVersionUID = 1L;

  private final LookupSpec spec;
  private transient @Nullable FollowedTable table;
  private transient @Nullable LookupMetrics metrics;

  public SnapshotLookupFunction(LookupSpec spec) {
    this.spec = spec;
  }

  @Override
  public void open(FunctionContext context) throws Exception {
    FollowedTable opened = FollowedTable.open(spec, spec.share(context));
    table = opened;
    metrics =
        new LookupMetrics(
            context.getMetricGroup().addGroup("bsdb"),
            opened,
            new SimpleCounter(),
            new SimpleCounter());
  }

  @Override
  public Collection<RowData> lookup(RowData compared) throws IOException {
    if (table == null || metrics == null) {
      throw new IllegalStateException("the function is not open");
    }
    List<RowData> found = table.lookup(compared);
    metrics.count(found);
    return found;
  }

  @Override
  public void close() throws IOException {
    FollowedTable opened = table;
    table = null;
    if (opened != null) {
      opened.close();
    }
  }
}
