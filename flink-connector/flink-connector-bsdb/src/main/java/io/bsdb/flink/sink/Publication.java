package io.bsdb.flink.sink;

import io.bsdb.table.PartitionFile;
import java.util.List;

/**
 * Files of a whole build, to be published.
 *
 * @param files of the partitions that have records
 */
public record Publication(List<PartitionFile> files) {
  public Publication {
    files = List.copyOf(files);
  }
}
