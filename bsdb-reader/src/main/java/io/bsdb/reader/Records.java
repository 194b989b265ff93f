package io.bsdb.reader;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings records from wherever blocks are: one implementation for memory, one for disk, one for a
 * cache before either.
 */
interface Records extends Closeable {
  /** Where these options say that records come from. */
  static Records of(ReaderOptions options, ReaderMetrics.Counters counters) {
    DiskRecords disk = options.access().readsFromDisk() ? new DiskRecords(counters) : null;
    if (options.blockCacheBytes() > 0) {
      return new CachedRecords(disk, options.blockCacheBytes(), counters);
    }
    return disk == null ? new MemoryRecords() : disk;
  }

  /** The value of {@code key} if it is the one with this rank, or null. */
  byte @Nullable [] get(Partition partition, int rank, byte[] key) throws IOException;

  /** The same into a buffer of the caller: the length, or NOT_FOUND. */
  int get(Partition partition, int rank, byte[] key, ByteBuffer target) throws IOException;

  /**
   * The values of many keys.
   *
   * @param partitions that of each key
   * @param ranks that of each key; negative for absent keys
   * @param values gets the values; null for absent keys
   */
  void getAll(Partition[] partitions, int[] ranks, List<byte[]> keys, byte[] @Nullable [] values)
      throws IOException;

  /** Whether the calling thread is completing futures of others within a lookup of its own. */
  default boolean isAnswering() {
    return false;
  }
}
