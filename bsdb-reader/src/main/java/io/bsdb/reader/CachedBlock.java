package io.bsdb.reader;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.BlockReader;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A verified block in the cache: its bytes, or its frames, each decompressed when it is first asked
 * for. Safe for many threads.
 *
 * <p>All frames share one array, so that a record is two steps from here: a frame lies at its
 * number times a fixed distance, behind a mark, which is set once it has been decompressed, and its
 * length. Two threads that decompress the same frame write the same bytes.
 */
final class CachedBlock {
  private static final int OVERHEAD = 160;

  /** A block whose frames would take more stays compressed. */
  private static final int MOST_PLAIN_BYTES = 1 << 20;

  /** Frames are passed between threads: what is in one must be seen before its mark. */
  private static final VarHandle MARKS = MethodHandles.arrayElementVarHandle(byte[].class);

  private static final byte DECOMPRESSED = 1;
  private static final int LENGTH = 1;
  private static final int BODY = LENGTH + Integer.BYTES;
  private static final VarHandle LENGTHS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final long id;
  private final ByteBuffer block;
  private final int base;
  private final int ownedBytes;
  private final int firstRank;
  private final int recordCount;
  private final int frameRecords;
  private final int frameDistance;
  private final byte[] frames;
  private volatile boolean evicted;

  private CachedBlock(long id, Partition partition, ByteBuffer block, int base, int ownedBytes)
      throws CorruptSnapshotException {
    this.id = id;
    this.block = block;
    this.base = base;
    this.ownedBytes = ownedBytes;
    this.firstRank = BlockReader.firstRank(block, base);
    this.recordCount = BlockReader.recordCount(block, base);
    if (!partition.hasFrames()) {
      frameRecords = 0;
      frameDistance = 0;
      frames = new byte[0];
      return;
    }
    frameRecords = BlockReader.frameRecords(block, base);
    long distance = BODY + (long) partition.blocks().framePlainLength(block, base);
    long bytes = distance * BlockReader.frameCount(block, base);
    frameDistance = (int) distance;
    frames = new byte[bytes <= MOST_PLAIN_BYTES ? (int) bytes : 0];
  }

  /** Of a block in memory that outlives the cache: only what is decompressed is new. */
  static CachedBlock inMemory(long id, Partition partition, ByteBuffer block, int base)
      throws CorruptSnapshotException {
    return new CachedBlock(id, partition, block, base, 0);
  }

  /** Copies a block from a buffer that will be used for others. */
  static CachedBlock copyOf(long id, Partition partition, ByteBuffer source, int base)
      throws CorruptSnapshotException {
    int length = BlockReader.bodyLength(source, base) + SnapshotFormat.BLOCK_HEADER_LENGTH;
    // zstd reads what is off the heap.
    ByteBuffer copy =
        partition.hasFrames() ? ByteBuffer.allocateDirect(length) : ByteBuffer.allocate(length);
    copy.order(ByteOrder.LITTLE_ENDIAN).put(0, source, base, length);
    return new CachedBlock(id, partition, copy, 0, length);
  }

  /** Which block of which partition. */
  long id() {
    return id;
  }

  /** Bytes that it takes, decompressed in full. */
  int weight() {
    return OVERHEAD + ownedBytes + frames.length;
  }

  /** Notes that the cache has let go of it. */
  void evict() {
    evicted = true;
  }

  boolean isEvicted() {
    return evicted;
  }

  /** The value of {@code key} if it is the one with this rank, or null. */
  byte @Nullable [] value(Partition partition, int number, int rank, byte[] key)
      throws CorruptSnapshotException {
    if (frames.length == 0) {
      return partition.value(block, base, rank, number, key);
    }
    ByteBuffer plain = plain();
    return Partition.copy(plain, find(partition, plain, rank - firstRank, key));
  }

  /** The same into a buffer of the caller: the length, or NOT_FOUND. */
  int value(Partition partition, int number, int rank, byte[] key, ByteBuffer target)
      throws CorruptSnapshotException {
    if (frames.length == 0) {
      return partition.value(block, base, rank, number, key, target);
    }
    ByteBuffer plain = plain();
    return Partition.copy(plain, find(partition, plain, rank - firstRank, key), target);
  }

  private ByteBuffer plain() {
    return ByteBuffer.wrap(frames).order(ByteOrder.LITTLE_ENDIAN);
  }

  private long find(Partition partition, ByteBuffer plain, int record, byte[] key)
      throws CorruptSnapshotException {
    int frame = record / frameRecords;
    int first = frame * frameRecords;
    int start = frame * frameDistance;
    if ((byte) MARKS.getAcquire(frames, start) != DECOMPRESSED) {
      decompress(partition, record, start);
    }
    return partition.findInBody(
        plain,
        start + BODY,
        (int) LENGTHS.get(frames, start + LENGTH),
        Math.min(frameRecords, recordCount - first),
        record - first,
        key);
  }

  private void decompress(Partition partition, int record, int start)
      throws CorruptSnapshotException {
    FrameDecoder decoder = partition.decoders().take();
    try {
      long frame = partition.blocks().frame(block, base, record);
      int length = partition.decode(decoder, block, base, frame);
      decoder.plain().get(0, frames, start + BODY, length);
      LENGTHS.set(frames, start + LENGTH, length);
      MARKS.setRelease(frames, start, DECOMPRESSED);
    } finally {
      partition.decoders().give(decoder);
    }
  }
}
