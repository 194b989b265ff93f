package io.bsdb.live;

import io.bsdb.live.log.LogDirectory;
import io.bsdb.table.Table;
import java.time.Duration;

/** Where tests keep writable tables: on disk, with files of the log as short as they want. */
final class Places {
  private Places() {}

  static LiveTable.Place onDisk(int maxSegmentLength, int publishedSegments) {
    return onDisk(maxSegmentLength, publishedSegments, LiveTable.Place.DISK.markEvery());
  }

  static LiveTable.Place onDisk(int maxSegmentLength, int publishedSegments, Duration markEvery) {
    return new LiveTable.Place(
        LogDirectory::new,
        root -> Table.at(root).storage(),
        maxSegmentLength,
        publishedSegments,
        markEvery);
  }
}
