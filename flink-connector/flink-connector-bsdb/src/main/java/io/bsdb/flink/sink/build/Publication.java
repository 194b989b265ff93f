package io.bsdb.flink.sink.build;

import java.util.List;

/**
 * Files of a whole build, to be published.
 *
 * @param files of the partitions that have records
 */
public record Publication(List<BuiltFile> files) {
  public Publication {
    files = List.copyOf(files);
  }
}
