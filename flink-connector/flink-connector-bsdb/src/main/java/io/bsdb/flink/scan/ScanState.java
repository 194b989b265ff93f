package io.bsdb.flink.scan;

import java.util.List;

/**
 * State of a scan: what has not been given to a reader.
 *
 * @param discovery whether the version has been chosen and cut into splits
 */
record ScanState(Discovery discovery, List<ScanSplit> splits) {
  enum Discovery {
    PENDING,
    DONE
  }

  ScanState {
    splits = List.copyOf(splits);
  }
}
