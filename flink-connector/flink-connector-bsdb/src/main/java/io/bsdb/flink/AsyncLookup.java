package io.bsdb.flink;

import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import java.io.IOException;

/**
 * Says whether lookups wait for the disk one by one, or many at a time. In memory they are
 * synchronous whatever is chosen: nothing would overlap, and for each future Flink sets a timer and
 * sends its task a message, which takes several times as long as the lookup.
 */
public enum AsyncLookup {
  FALSE,
  /** Asynchronous if reads go past the page cache. */
  TRUE,
  /** The same, unless the block cache can hold the table. */
  AUTO;

  /**
   * Returns whether lookups in a table are asynchronous. Reads the manifest of the version in
   * service if the choice depends on it; if it cannot be read from here, the table counts as large.
   */
  boolean isChosen(DeclaredTable table, ReadSettings settings) {
    ReaderOptions options = settings.readerOptions();
    if (!options.access().readsFromDisk()) {
      return false;
    }
    return switch (this) {
      case FALSE -> false;
      case TRUE -> true;
      case AUTO -> bytes(table, settings) > options.blockCacheBytes();
    };
  }

  private static long bytes(DeclaredTable declared, ReadSettings settings) {
    Table table = declared.table();
    try {
      String version = settings.version();
      return table.manifest(version == null ? table.requireCurrentVersion() : version).length();
    } catch (IOException notVisibleFromHere) {
      return Long.MAX_VALUE;
    }
  }
}
