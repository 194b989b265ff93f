package io.bsdb.flink.catalog;

import io.bsdb.flink.BsdbOptions;
import io.bsdb.table.Table;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.FactoryUtil;

/** A table of what a catalog knows of another table. */
enum MetadataTable {
  SNAPSHOTS {
    @Override
    Schema schema() {
      return VersionsTable.SCHEMA;
    }

    @Override
    List<RowData> rows(Table table) throws IOException {
      return VersionsTable.rows(table);
    }
  },
  SEGMENTS {
    @Override
    Schema schema() {
      return SegmentsTable.SCHEMA;
    }

    @Override
    List<RowData> rows(Table table) throws IOException {
      return SegmentsTable.rows(table);
    }
  };

  abstract Schema schema();

  abstract List<RowData> rows(Table table) throws IOException;

  CatalogTable at(String path) {
    return CatalogTable.newBuilder()
        .schema(schema())
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
