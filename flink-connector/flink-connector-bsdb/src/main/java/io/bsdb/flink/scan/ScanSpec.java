package io.bsdb.flink.scan;

import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.Projection;
import io.bsdb.flink.row.SnapshotMapping;
import io.bsdb.table.VersionFacts;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.RecordOrder;
import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.plan.stats.TableStats;

/**
 * Scan as the planner asks for it.
 *
 * @param table whose rows are read
 * @param settings how
 * @param projection what of them
 * @param extent which of them
 */
public record ScanSpec(
    DeclaredTable table, ReadSettings settings, Projection projection, Extent extent)
    implements Serializable {
  /** Returns the version to scan: the pinned one, else the one that is in service now. */
  String version() throws IOException {
    String pinned = settings.requireVersion(table.table());
    return pinned == null ? table.table().requireCurrentVersion() : pinned;
  }

  /** Returns whether the table is read where it lies; else each partition is copied. */
  boolean isReadInPlace() {
    return settings.readsInPlace(table);
  }

  /**
   * Returns whether one reader serves all splits; else each split opens its partition alone. In key
   * order a share of the keys is in all partitions.
   */
  boolean isOpenedWhole(Manifest manifest) {
    return manifest.order() == RecordOrder.KEY
        || (isReadInPlace() && !(extent instanceof Extent.RowsOfKeys));
  }

  /**
   * Returns the parts of a version to read.
   *
   * @throws ValidationException if the DDL does not match it
   */
  List<ScanSplit> splits(Manifest manifest) {
    SnapshotMapping mapping = SnapshotMapping.of(table, manifest);
    return partitions(mapping, manifest)
        .mapToObj(partition -> new ScanSplit(manifest.version(), partition, 0))
        .toList();
  }

  private IntStream partitions(SnapshotMapping mapping, Manifest manifest) {
    Partitioning partitioning = manifest.partitioning();
    if (extent instanceof Extent.RowCount count && count.isExactIn(manifest)) {
      return IntStream.of(0);
    }
    if (extent instanceof Extent.RowsOfKeys rows) {
      return mapping.storedKeys(rows.keys()).stream()
          .mapToInt(partitioning::partition)
          .distinct()
          .sorted();
    }
    RangeOfKeys range = RangeOfKeys.of(this, manifest);
    if (range != null) {
      return IntStream.range(0, partitioning.count()).filter(range::overlaps);
    }
    return IntStream.range(0, partitioning.count())
        .filter(
            partition ->
                manifest.hasChanges() || manifest.partitions().get(partition).recordCount() > 0);
  }

  /**
   * Returns the number of rows, if the client can see the table; as the catalog does, it counts
   * each put of a change as one more.
   */
  public TableStats statistics() {
    try {
      VersionFacts facts = new VersionFacts(table.table().manifest(version()));
      return new TableStats(facts.partitionRecords() + facts.puts());
    } catch (IOException | ValidationException e) {
      return TableStats.UNKNOWN;
    }
  }
}
