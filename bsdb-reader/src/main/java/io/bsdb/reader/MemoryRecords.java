package io.bsdb.reader;

import io.bsdb.reader.io.FileMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records of files in memory, mapped or copied. */
final class MemoryRecords implements Records {
  /** No sum of a batch of bytes. */
  private static final int NEVER = Integer.MIN_VALUE;

  /** Uses the sum of bytes that were read for their cache lines only, so that they are read. */
  static void keep(int sum) {
    if (sum == NEVER) {
      Thread.onSpinWait();
    }
  }

  @Override
  public byte @Nullable [] get(Partition partition, int rank, byte[] key) throws IOException {
    return get(partition, rank, partition.index().block(rank), key);
  }

  private static byte @Nullable [] get(Partition partition, int rank, int block, byte[] key)
      throws IOException {
    ByteBuffer chunk = partition.inMemory(block);
    return partition.value(chunk, FileMemory.index(partition.offset(block)), rank, block, key);
  }

  @Override
  public int get(Partition partition, int rank, byte[] key, ByteBuffer target) throws IOException {
    int block = partition.index().block(rank);
    ByteBuffer chunk = partition.inMemory(block);
    return partition.value(
        chunk, FileMemory.index(partition.offset(block)), rank, block, key, target);
  }

  /**
   * Every stage is done for all keys before the next begins. The cache misses of one stage do not
   * depend on each other, so the processor has many under way at once, where one lookup after the
   * other would wait for each.
   */
  @Override
  public void getAll(
      Partition[] partitions, int[] ranks, List<byte[]> keys, byte[] @Nullable [] values)
      throws IOException {
    int[] blocks = new int[ranks.length];
    for (int i = 0; i < ranks.length; i++) {
      if (ranks[i] >= 0) {
        blocks[i] = partitions[i].index().block(ranks[i]);
      }
    }
    int sum = 0;
    for (int i = 0; i < ranks.length; i++) {
      if (ranks[i] >= 0) {
        sum += partitions[i].touch(ranks[i], blocks[i]);
      }
    }
    keep(sum);
    for (int i = 0; i < ranks.length; i++) {
      if (ranks[i] >= 0) {
        values[i] = get(partitions[i], ranks[i], blocks[i], keys.get(i));
      }
    }
  }

  @Override
  public void close() {}
}
