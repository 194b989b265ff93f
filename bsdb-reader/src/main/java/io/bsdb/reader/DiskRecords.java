package io.bsdb.reader;

import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.io.PageBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records read from disk, past the page cache: one read per lookup, verified. */
final class DiskRecords implements Records {
  private final PageBuffer.Pool buffers = new PageBuffer.Pool();
  private final ReaderMetrics.Counters counters;

  DiskRecords(ReaderMetrics.Counters counters) {
    this.counters = counters;
  }

  /** Reads a block and verifies it. Returns where it starts in the buffer. */
  int read(Partition partition, int block, PageBuffer buffer) throws IOException {
    long start = System.nanoTime();
    long offset = partition.offset(block);
    int length = partition.length(block);
    int base = partition.disk().read(offset, length, buffer);
    counters.read(DirectFile.span(offset, length), System.nanoTime() - start);
    partition.verify(buffer.buffer(), base, block);
    return base;
  }

  @Override
  public byte @Nullable [] get(Partition partition, int rank, byte[] key) throws IOException {
    int block = partition.index().block(rank);
    PageBuffer buffer = buffers.take();
    try {
      int base = read(partition, block, buffer);
      return partition.value(buffer.buffer(), base, rank, block, key);
    } finally {
      buffers.give(buffer);
    }
  }

  @Override
  public int get(Partition partition, int rank, byte[] key, ByteBuffer target) throws IOException {
    int block = partition.index().block(rank);
    PageBuffer buffer = buffers.take();
    try {
      int base = read(partition, block, buffer);
      return partition.value(buffer.buffer(), base, rank, block, key, target);
    } finally {
      buffers.give(buffer);
    }
  }

  /** Reads every distinct block once. */
  @Override
  public void getAll(
      Partition[] partitions, int[] ranks, List<byte[]> keys, byte[] @Nullable [] values)
      throws IOException {
    PageBuffer buffer = buffers.take();
    try {
      for (BlockGroups.Group group : BlockGroups.of(partitions, ranks)) {
        int base = read(group.partition(), group.block(), buffer);
        for (int i : group.keys()) {
          values[i] =
              group.partition().value(buffer.buffer(), base, ranks[i], group.block(), keys.get(i));
        }
      }
    } finally {
      buffers.give(buffer);
    }
  }

  @Override
  public void close() {}
}
