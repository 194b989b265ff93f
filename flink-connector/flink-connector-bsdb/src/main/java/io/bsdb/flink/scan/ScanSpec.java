package io.bsdb.flink.scan;

import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.Projection;
import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.plan.stats.TableStats;

/**
 * What is to be scanned.
 *
 * @param table whose rows are read
 * @param settings how
 * @param projection what of them
 */
public record ScanSpec(DeclaredTable table, ReadSettings settings, Projection projection)
    implements Serializable {
  /** The version to scan: the pinned one, else the one that is in service now. */
  String version() throws IOException {
    String pinned = settings.requireVersion(table.table());
    return pinned == null ? table.table().requireCurrentVersion() : pinned;
  }

  /** Whether the table is read where it lies; else each partition is copied. */
  boolean isReadInPlace() {
    return settings.readsInPlace(table);
  }

  /** The number of rows, if the client can see the table. */
  public TableStats statistics() {
    try {
      return new TableStats(table.table().manifest(version()).recordCount());
    } catch (IOException | ValidationException e) {
      return TableStats.UNKNOWN;
    }
  }
}
