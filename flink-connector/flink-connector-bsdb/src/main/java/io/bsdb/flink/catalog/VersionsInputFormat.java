package io.bsdb.flink.catalog;

import io.bsdb.flink.storage.TableLocation;
import io.bsdb.table.Table;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import org.apache.flink.api.common.io.GenericInputFormat;
import org.apache.flink.api.common.io.NonParallelInput;
import org.apache.flink.core.io.GenericInputSplit;
import org.apache.flink.table.data.RowData;

/** Lists the versions of a table, in one task. */
final class VersionsInputFormat extends GenericInputFormat<RowData> implements NonParallelInput {
  private static final long serialVersionUID = 1L;

  private final String path;
  private transient Queue<RowData> rows = new ArrayDeque<>();

  VersionsInputFormat(String path) {
    this.path = path;
  }

  @Override
  public void open(GenericInputSplit split) throws IOException {
    super.open(split);
    Table table = new TableLocation(path).table();
    Queue<RowData> found = new ArrayDeque<>();
    for (String version : table.versions()) {
      found.add(VersionsTable.row(table, version));
    }
    rows = found;
  }

  @Override
  public boolean reachedEnd() {
    return rows.isEmpty();
  }

  @Override
  public RowData nextRecord(RowData reuse) {
    return rows.remove();
  }
}
