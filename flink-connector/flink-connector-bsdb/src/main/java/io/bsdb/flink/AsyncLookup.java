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
   * Chooses for a table. Reads the manifest of the version in service if the choice depends on it;
   * if it cannot be read from here, the table counts as large.
   */
  Kind choose(DeclaredTable table, ReadSettings settings) {
    ReaderOptions options = settings.readerOptions();
    if (!options.access().readsFromDisk()) {
      return Kind.SYNC;
    }
    return switch (this) {
      case FALSE -> Kind.SYNC;
      case TRUE -> Kind.ASYNC;
      case AUTO -> bytes(table, settings) > options.blockCacheBytes() ? Kind.ASYNC : Kind.SYNC;
    };
  }

  /** The kind of function that looks up. */
  enum Kind {
    SYNC,
    ASYNC
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
