package io.bsdb.reader.snapshot;

import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.SegmentFile;
import java.nio.file.Path;
import java.util.function.IntPredicate;

/**
 * Places of a version's files.
 *
 * @param directory of the snapshot within its table, or of copies
 * @param together whether all files lie in that directory, whatever version they are from
 * @param present which partitions are there, by number
 */
public record SnapshotFiles(Path directory, boolean together, IntPredicate present) {
  /** Creates the places of all files. */
  public SnapshotFiles(Path directory, boolean together) {
    this(directory, together, partition -> true);
  }

  /** Returns whether a partition is to be opened. */
  boolean needs(int partition, Partitioning partitioning, ReaderOptions options) {
    return present.test(partition) && options.share().needs(partition, partitioning);
  }

  /** Returns the table's directory, or that of copies. */
  Path table() {
    return together ? directory : directory.toAbsolutePath().resolve("../..").normalize();
  }

  public Path partition(PartitionFile file) {
    String version = file.version();
    Path home = together || version == null ? directory : directory.resolveSibling(version);
    return home.resolve(file.name());
  }

  public Path segment(SegmentFile file) {
    return together ? directory.resolve(file.name()) : table().resolve(file.path());
  }
}
