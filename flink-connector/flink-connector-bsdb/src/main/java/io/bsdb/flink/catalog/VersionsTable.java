package io.bsdb.flink.catalog;

import io.bsdb.table.Table;
import io.bsdb.table.VersionFacts;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;

/** The table {@code t$snapshots}: a row per version of {@code t}. */
final class VersionsTable {
  static final Schema SCHEMA =
      Schema.newBuilder()
          .column("version", DataTypes.STRING().notNull())
          .column("sequence", DataTypes.BIGINT().notNull())
          .column("created_at", DataTypes.TIMESTAMP_LTZ(3).notNull())
          .column("records", DataTypes.BIGINT().notNull())
          .column("size_in_bytes", DataTypes.BIGINT().notNull())
          .column("partitions", DataTypes.INT().notNull())
          .column("segments", DataTypes.INT().notNull())
          .column("puts", DataTypes.BIGINT().notNull())
          .column("deletes", DataTypes.BIGINT().notNull())
          .column("in_service", DataTypes.BOOLEAN().notNull())
          .column("options", DataTypes.MAP(DataTypes.STRING(), DataTypes.STRING()))
          .column("properties", DataTypes.MAP(DataTypes.STRING(), DataTypes.STRING()))
          .column("source_positions", DataTypes.MAP(DataTypes.STRING(), DataTypes.STRING()))
          .primaryKey("version")
          .build();

  private VersionsTable() {}

  /** Returns a row for each version that is not deleted meanwhile. */
  static List<RowData> rows(Table table) throws IOException {
    String current = table.currentVersion();
    List<RowData> rows = new ArrayList<>();
    for (String version : table.versions()) {
      Manifest manifest;
      try {
        manifest = table.manifest(version);
      } catch (NoSuchFileException deleted) {
        continue;
      }
      rows.add(row(manifest, version.equals(current)));
    }
    return rows;
  }

  private static RowData row(Manifest manifest, boolean inService) {
    VersionFacts facts = new VersionFacts(manifest);
    return GenericRowData.of(
        StringData.fromString(manifest.version()),
        Table.sequence(manifest.version()),
        TimestampData.fromInstant(manifest.createdAt()),
        facts.partitionRecords(),
        facts.bytes(),
        manifest.partitions().size(),
        facts.segments(),
        facts.puts(),
        facts.deletes(),
        inService,
        map(manifest.options()),
        map(manifest.properties()),
        map(manifest.sourcePositions()));
  }

  private static GenericMapData map(Map<String, String> texts) {
    Map<StringData, StringData> map = new HashMap<>();
    texts.forEach(
        (key, value) -> map.put(StringData.fromString(key), StringData.fromString(value)));
    return new GenericMapData(map);
  }
}
