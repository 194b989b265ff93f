package io.bsdb.flink.sink;

import io.bsdb.table.PartitionFile;
import java.util.List;

/**
 * What is to be published: the files of a whole build.
 *
 * @param files of the partitions that have records
 */
public record Publication(List<PartitionFile> files) {
  public Publication {
    files = List.copyOf(files);
  }
}
