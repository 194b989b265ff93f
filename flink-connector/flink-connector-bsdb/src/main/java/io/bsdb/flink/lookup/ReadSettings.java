package io.bsdb.flink.lookup;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.storage.LocalDirectories;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Settings with which a table is read. Lookups that differ in any of them use readers of their own.
 *
 * @param reader the options of readers, as {@link ReaderOptions#toMap} gives them
 * @param refreshInterval how often to look for a new version; zero: never
 * @param version to stay with; null for the one in service
 * @param localDirectory for copies; null: a table that is not local is copied to Flink's temporary
 *     directories
 * @param maxLocalBytes maximum size of the copies of a table, in bytes
 */
public record ReadSettings(
    Map<String, String> reader,
    Duration refreshInterval,
    @Nullable String version,
    @Nullable String localDirectory,
    long maxLocalBytes)
    implements Serializable {
  public ReadSettings {
    reader = Map.copyOf(reader);
  }

  /** Returns the same for one version, all of which will be read. */
  public ReadSettings pinnedTo(String pinned) {
    return pinnedTo(pinned, with("warm-up", "never"));
  }

  /**
   * Returns the same, with the version in service now if there is none to stay with and newer ones
   * are not looked for.
   */
  ReadSettings settled(Table table) throws IOException {
    return version == null && refreshInterval.isZero()
        ? pinnedTo(table.requireCurrentVersion(), reader)
        : this;
  }

  private ReadSettings pinnedTo(String pinned, Map<String, String> options) {
    return new ReadSettings(options, Duration.ZERO, pinned, localDirectory, maxLocalBytes);
  }

  private Map<String, String> with(String option, String value) {
    Map<String, String> options = new HashMap<>(reader);
    options.put(option, value);
    return options;
  }

  /**
   * Returns the version to stay with; null if there is none.
   *
   * @throws NoSuchFileException if the table does not have it
   */
  public @Nullable String requireVersion(Table table) throws IOException {
    if (version != null && !table.contains(version)) {
      throw new NoSuchFileException(
          table.storage().toString(),
          null,
          "no version %s; there are %s".formatted(version, table.versions()));
    }
    return version;
  }

  /** Returns whether a table is read where it lies; else it is copied. */
  public boolean readsInPlace(DeclaredTable table) {
    return table.isLocal() && localDirectory == null;
  }

  /** Returns the directory for copies of a table, as a lookup sees it. */
  Path localDirectory(String table) {
    return localDirectory == null ? LocalDirectories.ofTable(table) : Path.of(localDirectory);
  }

  /** Returns how a table is read. */
  public ReaderOptions readerOptions() {
    return ReaderOptions.parse(reader);
  }

  /** Returns how a share of the keys is read. */
  public ReaderOptions readerOptions(KeyShare share) {
    return ReaderOptions.parse(with("share", share.toString()));
  }
}
