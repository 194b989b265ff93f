package io.bsdb.flink.catalog;

import io.bsdb.table.Table;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.SegmentFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;

/**
 * The table {@code t$segments}: a row per file of changes of the version of {@code t} in service.
 */
final class SegmentsTable {
  static final Schema SCHEMA =
      Schema.newBuilder()
          .column("number", DataTypes.BIGINT().notNull())
          .column("file", DataTypes.STRING().notNull())
          .column("size_in_bytes", DataTypes.BIGINT().notNull())
          .column("puts", DataTypes.BIGINT().notNull())
          .column("deletes", DataTypes.BIGINT().notNull())
          .column("folded", DataTypes.BOOLEAN().notNull())
          .primaryKey("file")
          .build();

  private SegmentsTable() {}

  /** Returns a row for each segment: those that are folded and kept, then those that apply. */
  static List<RowData> rows(Table table) throws IOException {
    List<RowData> rows = new ArrayList<>();
    String version = table.currentVersion();
    if (version != null) {
      Changes changes = table.manifest(version).changes();
      changes.history().segments().forEach(segment -> rows.add(row(segment, true)));
      changes.segments().forEach(segment -> rows.add(row(segment, false)));
    }
    return rows;
  }

  private static RowData row(SegmentFile segment, boolean folded) {
    return GenericRowData.of(
        segment.number(),
        StringData.fromString(segment.path()),
        segment.length(),
        segment.puts(),
        segment.deletes(),
        folded);
  }
}
