package io.bsdb.flink.catalog;

import io.bsdb.flink.BsdbOptions;
import io.bsdb.table.Table;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.FactoryUtil;

/** A table of what a catalog knows of another table. */
enum MetadataTable {
  SNAPSHOTS,
  SEGMENTS;

  List<RowData> rows(Table table) throws IOException {
    return switch (this) {
      case SNAPSHOTS -> VersionsTable.rows(table);
      case SEGMENTS -> SegmentsTable.rows(table);
    };
  }

  CatalogTable at(String path) {
    return CatalogTable.newBuilder()
        .schema(this == SNAPSHOTS ? VersionsTable.SCHEMA : SegmentsTable.SCHEMA)
        .options(
            Map.of(
                FactoryUtil.CONNECTOR.key(),
                VersionsTableFactory.IDENTIFIER,
                VersionsTableFactory.LISTED.key(),
                name(),
                BsdbOptions.PATH.key(),
                path))
        .build();
  }
}
