package io.bsdb.flink.lookup;

import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.KeyShare;
import java.util.List;

/** Lets tests see which readers are open. */
public final class OpenReaders {
  private OpenReaders() {}

  public static int count() {
    return SharedSnapshots.openCount();
  }

  /** The shares of the keys that are open. */
  public static List<KeyShare> shares() {
    return SharedSnapshots.shares();
  }

  static List<String> versions() {
    return SharedSnapshots.open().stream().map(TableReader::version).toList();
  }

  static long failedRefreshes() {
    return SharedSnapshots.open().stream().mapToLong(TableReader::failedRefreshes).sum();
  }
}
