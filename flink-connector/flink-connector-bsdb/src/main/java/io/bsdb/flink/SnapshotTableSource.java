package io.bsdb.flink;

import io.bsdb.flink.lookup.AsyncSnapshotLookupFunction;
import io.bsdb.flink.lookup.InputShuffle;
import io.bsdb.flink.lookup.KeyPartitioner;
import io.bsdb.flink.lookup.LookupSpec;
import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.lookup.SnapshotLookupFunction;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.Projection;
import io.bsdb.flink.row.SnapshotMetadata;
import io.bsdb.flink.scan.ScanSpec;
import io.bsdb.flink.scan.SnapshotSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.SourceProvider;
import org.apache.flink.table.connector.source.abilities.SupportsLookupCustomShuffle;
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.connector.source.abilities.SupportsStatisticReport;
import org.apache.flink.table.connector.source.lookup.AsyncLookupFunctionProvider;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;
import org.apache.flink.table.plan.stats.TableStats;
import org.apache.flink.table.types.DataType;

/**
 * A table as the right side of lookup joins, and as the input of queries.
 *
 * <p>Takes no filters: Flink leaves an accepted filter out of the plan's digest, and then mixes up
 * two uses of one table with different filters (FLINK-36808).
 */
final class SnapshotTableSource
    implements LookupTableSource,
        ScanTableSource,
        SupportsProjectionPushDown,
        SupportsReadingMetadata,
        SupportsLookupCustomShuffle,
        SupportsStatisticReport {
  private final DeclaredTable table;
  private final ReadSettings settings;

  /** The same for all copies, because a query must not see two kinds. */
  private final LookupPlanning planning;

  private Projection projection;

  /** Of the lookup joins that ask for a shuffle, those whose partitioner is still to come. */
  private final Deque<LookupSpec> shuffled = new ArrayDeque<>();

  SnapshotTableSource(DeclaredTable table, ReadSettings settings, LookupPlanning planning) {
    this(table, settings, planning, Projection.all(table));
  }

  private SnapshotTableSource(
      DeclaredTable table, ReadSettings settings, LookupPlanning planning, Projection projection) {
    this.table = table;
    this.settings = settings;
    this.planning = planning;
    this.projection = projection;
  }

  /** Called many times per query, on the client. */
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
            context.preferCustomShuffle() ? planning.shuffle() : InputShuffle.NONE);
    if (context.preferCustomShuffle()) {
      shuffled.push(spec);
    }
    return switch (planning.lookupKind()) {
      case SYNC -> LookupFunctionProvider.of(new SnapshotLookupFunction(spec));
      case ASYNC -> AsyncLookupFunctionProvider.of(new AsyncSnapshotLookupFunction(spec));
    };
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
    return ChangelogMode.insertOnly();
  }

  @Override
  public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
    return SourceProvider.of(new SnapshotSource(scan()));
  }

  private ScanSpec scan() {
    return new ScanSpec(table, settings, projection);
  }

  @Override
  public TableStats reportStatistics() {
    return scan().statistics();
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
      readable.put(metadata.key(), metadata.type());
    }
    return readable;
  }

  @Override
  public void applyReadableMetadata(List<String> metadataKeys, DataType producedDataType) {
    projection =
        new Projection(
            projection.columns(), metadataKeys.stream().map(SnapshotMetadata::of).toList());
  }

  @Override
  public DynamicTableSource copy() {
    return new SnapshotTableSource(table, settings, planning, projection);
  }

  @Override
  public String asSummaryString() {
    return "bsdb";
  }
}
