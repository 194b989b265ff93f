package io.bsdb.reader;

import io.bsdb.table.PartitionFile;
import io.bsdb.table.SegmentFile;
import java.nio.file.Path;

/**
 * Places of a version's files.
 *
 * @param directory of the snapshot within its table, or of copies
 * @param together whether all files lie in that directory, whatever version they are from
 */
record SnapshotFiles(Path directory, boolean together) {
  Path partition(PartitionFile file) {
    String version = file.version();
    Path home = together || version == null ? directory : directory.resolveSibling(version);
    return home.resolve(file.name());
  }

  Path segment(SegmentFile file) {
    return together
        ? directory.resolve(file.name())
        : directory.toAbsolutePath().resolve("../..").normalize().resolve(file.path());
  }
}
