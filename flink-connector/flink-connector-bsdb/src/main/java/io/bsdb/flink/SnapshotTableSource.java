package io.bsdb.flink;

import io.bsdb.flink.follow.TableFollowSource;
import io.bsdb.flink.lookup.AsyncSnapshotLookupFunction;
import io.bsdb.flink.lookup.InputShuffle;
import io.bsdb.flink.lookup.KeyPartitioner;
import io.bsdb.flink.lookup.LookupSpec;
import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.lookup.SnapshotLookupFunction;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.Projection;
import io.bsdb.flink.row.SnapshotMetadata;
import io.bsdb.flink.scan.Extent;
import io.bsdb.flink.scan.ScanSpec;
import io.bsdb.flink.scan.SnapshotSource;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.RowLevelModificationScanContext;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.SourceProvider;
import org.apache.flink.table.connector.source.abilities.SupportsAggregatePushDown;
import org.apache.flink.table.connector.source.abilities.SupportsFilterPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsLookupCustomShuffle;
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.connector.source.abilities.SupportsRowLevelModificationScan;
import org.apache.flink.table.connector.source.abilities.SupportsStatisticReport;
import org.apache.flink.table.connector.source.lookup.AsyncLookupFunctionProvider;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.expressions.AggregateExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.plan.stats.TableStats;
import org.apache.flink.table.types.DataType;
import org.jspecify.annotations.Nullable;

/**
 * A table as the right side of lookup joins, and as the input of queries.
 *
 * <p>Filters that name keys, or a range of them, make a scan read only these. Flink applies them
 * once more, in scans and lookups alike, because it leaves what a lookup source accepts out of the
 * plan's digest and mixes up uses of one table that differ in it (FLINK-36808).
 */
final class SnapshotTableSource
    implements LookupTableSource,
        ScanTableSource,
        SupportsProjectionPushDown,
        SupportsFilterPushDown,
        SupportsAggregatePushDown,
        SupportsReadingMetadata,
        SupportsLookupCustomShuffle,
        SupportsRowLevelModificationScan,
        SupportsStatisticReport {
  private static final Set<String> COUNTS =
      Set.of(
          "org.apache.flink.table.planner.functions.aggfunctions.Count1AggFunction",
          "org.apache.flink.table.planner.functions.aggfunctions.CountAggFunction");

  private final DeclaredTable table;
  private ReadSettings settings;

  /** The version that the query names; null if it reads the one in service. */
  private final @Nullable String chosen;

  /** The same for all copies, because a query must not see two kinds. */
  private final LookupPlanning planning;

  /** Whether a scan goes on with the changes from each version to a later one. */
  private final boolean follows;

  private Projection projection;
  private @Nullable ScanFilters filters;

  /**
   * Number of columns that each are the number of rows and take the place of rows; 0: rows are
   * wanted.
   */
  private int counts;

  /** Lookup joins that ask for a shuffle and whose partitioner is still to come. */
  private final Deque<LookupSpec> shuffled = new ArrayDeque<>();

  SnapshotTableSource(
      DeclaredTable table, ReadSettings settings, LookupPlanning planning, boolean follows) {
    this(table, settings, settings.version(), planning, follows, Projection.all(table));
  }

  private SnapshotTableSource(
      DeclaredTable table,
      ReadSettings settings,
      @Nullable String chosen,
      LookupPlanning planning,
      boolean follows,
      Projection projection) {
    this.table = table;
    this.settings = settings;
    this.chosen = chosen;
    this.planning = planning;
    this.follows = follows;
    this.projection = projection;
  }

  /** Returns the provider of a lookup. Called many times per query, on the client. */
  @Override
  public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
    List<Integer> keys = new ArrayList<>();
    for (int[] key : context.getKeys()) {
      if (key.length != 1) {
        throw new ValidationException(
            "a lookup in table %s cannot compare a field inside of a column; compare whole columns"
                .formatted(table.name()));
      }
      keys.add(key[0]);
    }
    LookupSpec spec =
        new LookupSpec(
            table,
            settings,
            projection,
            keys,
            context.preferCustomShuffle() ? planning.shuffle() : InputShuffle.NONE,
            planning.maxRows(),
            planning.asOf());
    if (context.preferCustomShuffle()) {
      shuffled.push(spec);
    }
    return planning.isAsync()
        ? AsyncLookupFunctionProvider.of(new AsyncSnapshotLookupFunction(spec))
        : LookupFunctionProvider.of(new SnapshotLookupFunction(spec));
  }

  /**
   * Flink asks for the provider of a join, then translates the join's input, then asks for the
   * partitioner. In the input there may be other joins with this very source, as Flink merges equal
   * ones; so the calls nest. While it optimizes, Flink asks for providers only: what that leaves
   * behind stays at the bottom.
   */
  @Override
  public Optional<InputDataPartitioner> getPartitioner() {
    LookupSpec spec = shuffled.poll();
    return spec == null || spec.shuffle() == InputShuffle.NONE
        ? Optional.empty()
        : Optional.of(new KeyPartitioner(spec));
  }

  @Override
  public ChangelogMode getChangelogMode() {
    return follows ? ChangelogMode.all() : ChangelogMode.insertOnly();
  }

  @Override
  public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
    ScanSpec spec = new ScanSpec(table, settings, projection, extent());
    return new SourceProvider() {
      /** Refuses late: Flink asks tables for a provider that it then looks up in. */
      @Override
      public Source<RowData, ?, ?> createSource() {
        requireScannable();
        if (follows) {
          return new TableFollowSource(spec);
        }
        return new SnapshotSource(spec, chosen != null);
      }

      @Override
      public boolean isBounded() {
        return !follows;
      }
    };
  }

  private void requireScannable() {
    if (follows && !projection.metadata().isEmpty()) {
      throw new ValidationException(
          "table %s cannot be followed with metadata columns: %s can change where the row does not; leave them out of the query"
              .formatted(
                  table.name(),
                  projection.metadata().stream().map(SnapshotMetadata::key).toList()));
    }
    for (SnapshotMetadata metadata : projection.metadata()) {
      if (metadata.isAskedFor()) {
        throw new ValidationException(
            "the column METADATA FROM '%s' of table %s cannot be scanned: it is what a lookup join asks for; leave it out of the query, or join by FOR SYSTEM_TIME AS OF"
                .formatted(metadata.key(), table.name()));
      }
    }
  }

  private Extent extent() {
    if (counts > 0) {
      return new Extent.RowCount(counts);
    }
    return filters == null ? new Extent.AllRows() : filters.extent();
  }

  @Override
  public TableStats reportStatistics() {
    TableStats rows = new ScanSpec(table, settings, projection, new Extent.AllRows()).statistics();
    long most = filters == null ? Long.MAX_VALUE : filters.maxRows();
    return most == Long.MAX_VALUE || (rows.getRowCount() >= 0 && rows.getRowCount() < most)
        ? rows
        : new TableStats(most);
  }

  @Override
  public Result applyFilters(List<ResolvedExpression> conditions) {
    filters = follows ? null : ScanFilters.of(table, conditions);
    return Result.of(filters == null ? List.of() : filters.accepted(), conditions);
  }

  /** Takes the number of all rows; Flink does not ask where rows are filtered. */
  @Override
  public boolean applyAggregates(
      List<int[]> groupingSets, List<AggregateExpression> aggregates, DataType producedDataType) {
    boolean counted =
        filters == null
            && !follows
            && groupingSets.stream().allMatch(set -> set.length == 0)
            && aggregates.stream().allMatch(SnapshotTableSource::countsRows);
    counts = counted ? aggregates.size() : 0;
    return counted;
  }

  /**
   * Returns whether an aggregate is COUNT(*); recognized by name, because Flink loads the planner's
   * classes apart.
   */
  private static boolean countsRows(AggregateExpression aggregate) {
    return COUNTS.contains(aggregate.getFunctionDefinition().getClass().getName())
        && !aggregate.isDistinct()
        && aggregate.getFilterExpression().isEmpty()
        && aggregate.getArgs().stream()
            .noneMatch(column -> column.getOutputDataType().getLogicalType().isNullable());
  }

  /**
   * Stays with the version in service, which UPDATE and DELETE then change. They must know which
   * one is read.
   */
  @Override
  public @Nullable RowLevelModificationScanContext applyRowLevelModificationScan(
      RowLevelModificationType type, @Nullable RowLevelModificationScanContext previous) {
    if (settings.version() == null) {
      try {
        settings = settings.pinnedTo(table.table().requireCurrentVersion());
      } catch (IOException e) {
        throw new ValidationException(
            "table %s cannot be read: path=%s: %s".formatted(table.name(), table.path(), e), e);
      }
    }
    return previous;
  }

  @Override
  public boolean supportsNestedProjection() {
    return false;
  }

  @Override
  public void applyProjection(int[][] projectedFields, DataType producedDataType) {
    List<Integer> projected = new ArrayList<>();
    for (int[] field : projectedFields) {
      projected.add(projection.columns().get(field[0]));
    }
    projection = new Projection(projected, projection.metadata());
  }

  @Override
  public Map<String, DataType> listReadableMetadata() {
    Map<String, DataType> readable = new LinkedHashMap<>();
    for (SnapshotMetadata metadata : SnapshotMetadata.values()) {
      readable.put(metadata.key(), metadata.type(table));
    }
    return readable;
  }

  @Override
  public void applyReadableMetadata(List<String> metadataKeys, DataType producedDataType) {
    projection =
        new Projection(
            projection.columns(),
            metadataKeys.stream().map(key -> SnapshotMetadata.of(key, table)).toList());
  }

  @Override
  public DynamicTableSource copy() {
    SnapshotTableSource copy =
        new SnapshotTableSource(table, settings, chosen, planning, follows, projection);
    copy.filters = filters;
    copy.counts = counts;
    return copy;
  }

  @Override
  public String asSummaryString() {
    return "bsdb";
  }
}
