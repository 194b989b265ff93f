package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.RecordFile;
import java.io.IOException;
import java.nio.file.Path;

/** A kind of store, configured as its documentation advises. */
public interface Peer {
  /** A short name, for tables and {@code --only}. */
  String name();

  /** What was set, for the report. */
  String configuration();

  /** Names the files that it reads: peers with one name share one build. */
  default String files() {
    return name();
  }

  /** Whether a lookup leaves the process's own heap at all. */
  default boolean hasFiles() {
    return true;
  }

  /** Whether its process holds a copy of the files, and so needs none of the page cache. */
  default boolean copiesFiles() {
    return false;
  }

  /** What so many records need of the heap, with room for its collector; 0 if none is there. */
  default long heapBytes(long records) {
    return 0;
  }

  /** Most bytes of a cache on the heap. */
  default long cacheBytes() {
    return 0;
  }

  /** Most bytes of a cache of its own beside the heap. */
  default long offHeapCacheBytes() {
    return 0;
  }

  /** Writes all records into an empty directory, and forces them to disk. */
  void build(RecordFile records, Path directory) throws IOException;

  /** Opens what was built. */
  Store open(RecordFile records, Path directory) throws IOException;
}
