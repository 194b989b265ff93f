package io.bsdb.flink.row;

import java.io.Serializable;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which columns the planner wants, in which order.
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

  /** All physical columns. */
  public static Projection all(DeclaredTable table) {
    return new Projection(
        IntStream.range(0, table.rowType().getFieldCount()).boxed().toList(), List.of());
  }
}
