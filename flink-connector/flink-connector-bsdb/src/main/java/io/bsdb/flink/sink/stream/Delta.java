package io.bsdb.flink.sink.stream;

import io.bsdb.table.StreamRule;
import io.bsdb.table.manifest.SegmentFile;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes that are to be published at once.
 *
 * @param stream its place in the stream that it is of; null for a batch job
 * @param files in the order in which they apply; none if only the source time of the stream moved
 */
public record Delta(@Nullable StreamRule stream, List<SegmentFile> files) {
  public Delta {
    files = List.copyOf(files);
  }
}
