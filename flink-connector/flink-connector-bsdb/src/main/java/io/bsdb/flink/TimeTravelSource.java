package io.bsdb.flink;

import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.Projection;
import io.bsdb.flink.scan.ScanSpec;
import io.bsdb.flink.scan.SnapshotSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.Schema.UnresolvedColumn;
import org.apache.flink.table.api.Schema.UnresolvedPhysicalColumn;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.Column.MetadataColumn;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.SourceProvider;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.connector.source.abilities.SupportsStatisticReport;
import org.apache.flink.table.plan.stats.TableStats;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;

/**
 * A table as it was at a time, as the input of queries.
 *
 * <p>Flink's planner merges scans of one table that read the same columns, even of different times,
 * because a scan's digest holds the table's name and what was pushed into the source, but no time
 * until the plan is physical. It holds the names of metadata, though. So one column of the table
 * passes for metadata, of a name that has the version in it. And the columns that a query wants are
 * not pushed into the source, because the rule that does it leaves out metadata that are not
 * wanted.
 */
public final class TimeTravelSource
    implements ScanTableSource, SupportsReadingMetadata, SupportsStatisticReport {
  private final ScanSpec spec;
  private final MetadataColumn marked;

  private TimeTravelSource(ScanSpec spec, MetadataColumn marked) {
    this.spec = spec;
    this.marked = marked;
  }

  /**
   * The columns of a table at a time: the last one outside the key passes for metadata; the last of
   * all, if all are in the key.
   *
   * @param columns all physical, with a primary key
   */
  public static Schema schema(Schema columns, String version) {
    List<String> key = columns.getPrimaryKey().orElseThrow().getColumnNames();
    List<UnresolvedColumn> all = columns.getColumns();
    int marked = all.size() - 1;
    for (int i = 0; i < all.size(); i++) {
      if (!key.contains(all.get(i).getName())) {
        marked = i;
      }
    }
    Schema.Builder schema = Schema.newBuilder().fromColumns(all.subList(0, marked));
    UnresolvedPhysicalColumn column = (UnresolvedPhysicalColumn) all.get(marked);
    schema.columnByMetadata(column.getName(), column.getDataType(), "version " + version, false);
    schema.fromColumns(all.subList(marked + 1, all.size()));
    if (!key.contains(column.getName())) {
      schema.primaryKey(key);
    }
    return schema.build();
  }

  private static MetadataColumn marked(ResolvedSchema schema) {
    return schema.getColumns().stream()
        .filter(MetadataColumn.class::isInstance)
        .map(MetadataColumn.class::cast)
        .findFirst()
        .orElseThrow();
  }

  /**
   * The source of a version.
   *
   * @param schema as {@link #schema} makes it
   * @param settings with the version to stay with
   */
  static TimeTravelSource of(
      String name, String path, ResolvedSchema schema, ReadSettings settings) {
    List<String> names = schema.getColumnNames();
    MetadataColumn marked = marked(schema);
    DeclaredTable table =
        new DeclaredTable(
            name,
            path,
            (RowType) schema.toSourceRowDataType().getLogicalType(),
            schema.getPrimaryKey().map(key -> key.getColumns()).orElse(names));
    List<Integer> produced = new ArrayList<>();
    for (Column column : schema.getColumns()) {
      if (column.isPhysical()) {
        produced.add(names.indexOf(column.getName()));
      }
    }
    produced.add(names.indexOf(marked.getName()));
    return new TimeTravelSource(
        new ScanSpec(table, settings, new Projection(produced, List.of())), marked);
  }

  @Override
  public ChangelogMode getChangelogMode() {
    return ChangelogMode.insertOnly();
  }

  @Override
  public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
    return SourceProvider.of(new SnapshotSource(spec));
  }

  @Override
  public TableStats reportStatistics() {
    return spec.statistics();
  }

  @Override
  public Map<String, DataType> listReadableMetadata() {
    return Map.of(marked.getMetadataKey().orElseThrow(), marked.getDataType());
  }

  /** Always all of it, behind the other columns. */
  @Override
  public void applyReadableMetadata(List<String> metadataKeys, DataType producedDataType) {}

  @Override
  public boolean supportsMetadataProjection() {
    return false;
  }

  /** Itself: nothing in it ever changes. */
  @Override
  public DynamicTableSource copy() {
    return this;
  }

  @Override
  public String asSummaryString() {
    return "bsdb";
  }
}
