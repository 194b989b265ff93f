package io.bsdb.flink.storage;

import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.configuration.GlobalConfiguration;

/** Default directory of copies of remote tables: below one of Flink's {@code io.tmp.dirs}. */
public final class LocalDirectories {
  private LocalDirectories() {}

  /**
   * Returns the directory for copies of a table, the same each time that a process asks.
   *
   * <p>A lookup function cannot ask its task manager for its configuration, so that the file is
   * read that it was started with.
   */
  public static Path ofTable(String table) {
    return ofTable(table, GlobalConfiguration.loadConfiguration());
  }

  /** Returns the same for a process with a configuration. */
  public static Path ofTable(String table, Configuration configuration) {
    String[] directories = ConfigurationUtils.parseTempDirectories(configuration);
    return Path.of(directories[Math.floorMod(table.hashCode(), directories.length)])
        .resolve("bsdb-copies");
  }
}
