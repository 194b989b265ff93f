package io.bsdb.flink.row;

import java.io.Serializable;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * The columns that the planner wants, in its order.
 *
 * @param columns by position among all physical columns of the table
 * @param metadata follow the columns
 */
public record Projection(List<Integer> columns, List<SnapshotMetadata> metadata)
    implements Serializable {
  public Projection {
    columns = List.copyOf(columns);
    metadata = List.copyOf(metadata);
  }

  /**
   * Returns whether a position of the projected row is that of a column; else it is that of
   * metadata.
   */
  public boolean isColumn(int position) {
    return position < columns.size();
  }

  /** Returns the metadata at a position of the projected row that is not that of a column. */
  public SnapshotMetadata metadataAt(int position) {
    return metadata.get(position - columns.size());
  }

  /** Returns the type at a position of the projected row. */
  public LogicalType type(DeclaredTable table, int position) {
    return isColumn(position)
        ? table.rowType().getTypeAt(columns.get(position))
        : metadataAt(position).type(table).getLogicalType();
  }

  /** Returns all physical columns. */
  public static Projection all(DeclaredTable table) {
    return new Projection(
        IntStream.range(0, table.rowType().getFieldCount()).boxed().toList(), List.of());
  }
}
