package io.bsdb.flink.lookup;

import java.io.Closeable;
import java.io.IOException;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/** Looks up in a table, from version to version. For one thread. */
final class TableLookup implements Closeable {
  private final FollowedTable table;
  private final LookupMetrics metrics = new LookupMetrics(new SimpleCounter(), new SimpleCounter());

  /** Changed by the one thread, read by that of the metrics too. */
  private volatile VersionLookup version;

  /**
   * Takes over the table.
   *
   * @throws org.apache.flink.table.api.ValidationException if the DDL does not match it
   */
  TableLookup(FollowedTable table) throws IOException {
    this.table = table;
    this.version = table.first();
  }

  void register(MetricGroup group) {
    metrics.register(group, table, () -> version.reader().metrics());
  }

  /** The row with these values; null if there is none. */
  @Nullable RowData lookup(RowData compared) throws IOException {
    VersionLookup current = version;
    if (!current.isCurrent()) {
      current = changeOver(current);
    }
    RowData found = current.lookup(compared);
    metrics.count(found);
    return found;
  }

  private VersionLookup changeOver(VersionLookup previous) throws IOException {
    VersionLookup next = table.successor();
    if (next == null) {
      return previous;
    }
    version = next;
    previous.close();
    return next;
  }

  @Override
  public void close() throws IOException {
    try {
      version.close();
    } finally {
      table.close();
    }
  }
}
