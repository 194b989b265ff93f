package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.RecordFile;
import java.nio.file.Path;

/** A kind of store, configured as its documentation advises. */
public interface Peer {
  /** Returns a short name, for tables and {@code --only}. */
  String name();

  /** Returns the settings, for the report. */
  String configuration();

  /** Names the files that it reads: peers with one name share one build. */
  default String files() {
    return name();
  }

  /** Returns whether there is anything to build. */
  default boolean hasFiles() {
    return true;
  }

  /** Returns whether it finds floors and ranges. */
  default boolean isOrdered() {
    return false;
  }

  /** Returns what so many records need of the heap, with room for its collector. */
  default long heapBytes(long records) {
    return 0;
  }

  /** Returns what its process needs beside the heap and the mapped files: caches. */
  default long cacheBytes() {
    return 0;
  }

  /** Writes all records into an empty directory, and forces them to disk. */
  void build(RecordFile records, Path directory) throws Exception;

  /** Opens what was built. */
  Store open(RecordFile records, Path directory) throws Exception;
}
