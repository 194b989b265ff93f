package io.bsdb.flink;

import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.Projection;
import io.bsdb.flink.row.SnapshotMetadata;
import io.bsdb.flink.scan.ScanSpec;
import io.bsdb.flink.scan.SnapshotSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.SourceProvider;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.types.DataType;

/**
 * One version of a table, as the input of {@code FOR SYSTEM_TIME AS OF}.
 *
 * <p>Flink takes two scans of one table for the same if they differ in the time alone, and reads
 * one version for both. What it does compare are the keys of the metadata columns: so this source
 * has such a column, whose key names the version, and reads it whether the query selects it or not.
 */
final class HistoricTableSource implements ScanTableSource, SupportsReadingMetadata {
  private static final String KEY_PREFIX = "snapshot-version=";

  private final DeclaredTable table;
  private final ReadSettings settings;
  private final String version;
  private Projection projection;

  HistoricTableSource(DeclaredTable table, ReadSettings settings, String version) {
    this.table = table;
    this.settings = settings;
    this.version = version;
    this.projection = Projection.all(table);
  }

  /** The key of the metadata column that tells a version from others. */
  static String metadataKey(String version) {
    return KEY_PREFIX + version;
  }

  @Override
  public Map<String, DataType> listReadableMetadata() {
    return Map.of(metadataKey(version), DataTypes.STRING().notNull());
  }

  @Override
  public boolean supportsMetadataProjection() {
    return false;
  }

  @Override
  public void applyReadableMetadata(List<String> keys, DataType producedDataType) {
    projection =
        new Projection(
            projection.columns(), Stream.of(SnapshotMetadata.VERSION).limit(keys.size()).toList());
  }

  @Override
  public ChangelogMode getChangelogMode() {
    return ChangelogMode.insertOnly();
  }

  @Override
  public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
    return SourceProvider.of(new SnapshotSource(new ScanSpec(table, settings, projection)));
  }

  @Override
  public DynamicTableSource copy() {
    HistoricTableSource copy = new HistoricTableSource(table, settings, version);
    copy.projection = projection;
    return copy;
  }

  @Override
  public String asSummaryString() {
    return "bsdb";
  }
}
