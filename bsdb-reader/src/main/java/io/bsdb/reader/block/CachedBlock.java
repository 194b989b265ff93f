package io.bsdb.reader.block;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.block.Block;
import io.bsdb.format.block.BlockHeader;
import io.bsdb.format.block.BlockReader;
import io.bsdb.format.block.DecoderPool;
import io.bsdb.format.symbols.FieldSelection;
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
 * number times a fixed distance, after a mark, which is set once it has been decompressed, and its
 * length. Two threads that decompress the same frame write the same bytes.
 */
final class CachedBlock extends Block {
  private static final int OVERHEAD = 208;

  /** A block whose frames would take more stays compressed. */
  private static final int MAX_PLAIN_BYTES = 1 << 20;

  /** Frames are passed between threads: what is in one must be seen before its mark. */
  private static final VarHandle MARKS = MethodHandles.arrayElementVarHandle(byte[].class);

  private static final byte DECOMPRESSED = 1;
  private static final int LENGTH = 1;
  private static final int BODY = LENGTH + Integer.BYTES;
  private static final VarHandle LENGTHS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final long id;
  private final ByteBuffer bytes;
  private final int base;
  private final int ownedBytes;
  private final int firstRank;
  private final int recordCount;
  private final int frameRecords;
  private final int frameDistance;
  private final byte[] frames;
  private final @Nullable DecoderPool decoders;
  private volatile boolean evicted;

  private CachedBlock(long id, BlockFile file, ByteBuffer bytes, int base, int ownedBytes)
      throws CorruptSnapshotException {
    this.id = id;
    this.bytes = bytes;
    this.base = base;
    this.ownedBytes = ownedBytes;
    this.decoders = file.decoders();
    this.firstRank = BlockHeader.firstRank(bytes, base);
    this.recordCount = BlockHeader.recordCount(bytes, base);
    if (!file.hasFrames()) {
      frameRecords = 0;
      frameDistance = 0;
      frames = new byte[0];
    } else {
      frameRecords = BlockHeader.frameRecords(bytes, base);
      long distance = BODY + (long) file.reader().framePlainLength(bytes, base);
      long length = distance * BlockHeader.frameCount(bytes, base);
      frameDistance = (int) distance;
      frames = new byte[length <= MAX_PLAIN_BYTES ? (int) length : 0];
    }
  }

  /** Caches a block in memory that outlives the cache: only what is decompressed is new. */
  static CachedBlock inMemory(long id, BlockFile file, Block block)
      throws CorruptSnapshotException {
    int base = block.base((int) id);
    return new CachedBlock(id, file, block.bytes(), base, 0);
  }

  /** Copies a block from a buffer that will be used for others. */
  static CachedBlock copyOf(long id, BlockFile file, Block block) throws CorruptSnapshotException {
    int base = block.base((int) id);
    int length = contentLength(block.bytes(), base);
    // zstd reads what is off the heap.
    ByteBuffer copy =
        file.hasFrames() ? ByteBuffer.allocateDirect(length) : ByteBuffer.allocate(length);
    copy.order(ByteOrder.LITTLE_ENDIAN).put(0, block.bytes(), base, length);
    return new CachedBlock(id, file, copy, 0, length);
  }

  /** Returns which block of which partition this is. */
  long id() {
    return id;
  }

  /** Returns the bytes that it takes, decompressed in full. */
  int weight() {
    return OVERHEAD + ownedBytes + frames.length;
  }

  /** Marks this block as evicted from the cache. */
  void evict() {
    evicted = true;
  }

  boolean isEvicted() {
    return evicted;
  }

  @Override
  public Block readable(@Nullable DecoderPool pool, FieldSelection selection) {
    return frames.length > 0 ? this : super.readable(pool, selection);
  }

  @Override
  public int firstRank(int blockBase) {
    return firstRank;
  }

  @Override
  public int recordCount(int blockBase) {
    return recordCount;
  }

  @Override
  public int frameRecords(int blockBase) {
    return frameRecords;
  }

  @Override
  public ByteBuffer bytes() {
    return bytes;
  }

  @Override
  public int base(int number) {
    return base;
  }

  @Override
  public long openFrame(BlockReader reader, int blockBase, int frame)
      throws CorruptSnapshotException {
    int start = frame * frameDistance;
    if ((byte) MARKS.getAcquire(frames, start) != DECOMPRESSED) {
      decompress(reader, frame, start);
    }
    return (long) (start + BODY) << 32 | (int) LENGTHS.get(frames, start + LENGTH);
  }

  private void decompress(BlockReader reader, int frame, int start)
      throws CorruptSnapshotException {
    DecoderPool pool = decoders;
    if (pool == null) {
      throw new IllegalStateException("the block has no frames");
    }
    Block decoder = pool.lend(this, FieldSelection.ALL);
    try {
      long opened = decoder.openFrame(reader, base, frame);
      int length = (int) opened;
      decoder.body().get((int) (opened >>> 32), frames, start + BODY, length);
      LENGTHS.set(frames, start + LENGTH, length);
      MARKS.setRelease(frames, start, DECOMPRESSED);
    } finally {
      decoder.release();
    }
  }

  @Override
  public ByteBuffer body() {
    // Made again: one that is kept would be two more cache misses than its array.
    return frames.length > 0 ? ByteBuffer.wrap(frames).order(ByteOrder.LITTLE_ENDIAN) : bytes;
  }
}
