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

/** Lists the versions or segments of a table, in one task. */
final class VersionsInputFormat extends GenericInputFormat<RowData> implements NonParallelInput {
  private static final long serialVersionUID = 1L;

  private final String path;
  private final MetadataTable listed;
  private transient Queue<RowData> rows = new ArrayDeque<>();

  VersionsInputFormat(String path, MetadataTable listed) {
    this.path = path;
    this.listed = listed;
  }

  @Override
  public void open(GenericInputSplit split) throws IOException {
    super.open(split);
    Table table = new TableLocation(path).table();
    rows = new ArrayDeque<>(listed.rows(table));
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
