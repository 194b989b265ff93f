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
    int block = partition.index().block(rank);
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
   * other would wait for each. How many depends on how little a stage does beside: the core looks
   * ahead a fixed number of instructions.
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
    ByteBuffer[] chunks = new ByteBuffer[ranks.length];
    for (int i = 0; i < ranks.length; i++) {
      if (ranks[i] >= 0) {
        chunks[i] = partitions[i].inMemory(blocks[i]); // verified before anything else is touched
      }
    }
    int touched = 0;
    for (int i = 0; i < ranks.length; i++) {
      if (ranks[i] >= 0) {
        touched += partitions[i].touchPlace(ranks[i], blocks[i]);
      }
    }
    int[] bases = new int[ranks.length];
    long[] places = new long[ranks.length];
    for (int i = 0; i < ranks.length; i++) {
      if (ranks[i] >= 0) {
        bases[i] = FileMemory.index(partitions[i].offset(blocks[i]));
        places[i] = partitions[i].place(chunks[i], bases[i], ranks[i], blocks[i]);
      }
    }
    for (int i = 0; i < ranks.length; i++) {
      if (ranks[i] >= 0) {
        touched += Partition.touch(chunks[i], places[i]);
      }
    }
    keep(touched);
    for (int i = 0; i < ranks.length; i++) {
      if (ranks[i] >= 0) {
        values[i] = partitions[i].value(chunks[i], bases[i], places[i], ranks[i], keys.get(i));
      }
    }
  }

  @Override
  public void close() {}
}
