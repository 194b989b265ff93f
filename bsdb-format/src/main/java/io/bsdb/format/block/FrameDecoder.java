package io.bsdb.format.block;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdDictDecompress;
import com.github.luben.zstd.ZstdException;
import io.bsdb.format.CorruptSnapshotException;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Decompresses one frame at a time into a buffer of its own. Used by one thread at a time; borrowed
 * from a {@link Pool}.
 */
public final class FrameDecoder extends Block implements Closeable {
  /** A decoder with more memory is not kept for other calls. */
  private static final int MAX_KEPT = 1 << 20;

  /** Stands for no block. */
  private static final Block NONE =
      new Block() {
        private final ByteBuffer nothing = ByteBuffer.allocate(0);

        @Override
        public ByteBuffer bytes() {
          return nothing;
        }

        @Override
        public int base(int number) {
          return 0;
        }
      };

  private final ZstdDecompressCtx context = new ZstdDecompressCtx();
  private ByteBuffer plain = ByteBuffer.allocateDirect(0);

  private final Pool pool;
  private Block compressed = NONE;

  private FrameDecoder(Pool pool, @Nullable ZstdDictDecompress dictionary) {
    this.pool = pool;
    context.setMagicless(true);
    if (dictionary != null) {
      context.loadDict(dictionary);
    }
  }

  @Override
  public ByteBuffer bytes() {
    return compressed.bytes();
  }

  @Override
  public int base(int number) {
    return compressed.base(number);
  }

  @Override
  public long openFrame(BlockReader reader, int blockBase, int frame)
      throws CorruptSnapshotException {
    return decode(reader, compressed.bytes(), blockBase, frame);
  }

  /**
   * Decompresses a frame.
   *
   * @param frame its number within the block
   * @return its length in {@link #body}, where it starts at 0
   */
  public int decode(BlockReader reader, ByteBuffer block, int blockBase, int frame)
      throws CorruptSnapshotException {
    return decodeAt(reader, block, blockBase, frame, reader.frame(block, blockBase, frame));
  }

  private int decodeAt(BlockReader reader, ByteBuffer block, int blockBase, int frame, long place)
      throws CorruptSnapshotException {
    int limit = reader.framePlainLength(block, blockBase);
    int length = decode(block, (int) (place >>> 32), (int) place, limit, reader.file());
    int first = frame * BlockReader.frameRecords(block, blockBase);
    reader.verifyBody(plain, 0, length, BlockReader.frameRecordCount(block, blockBase, first));
    return length;
  }

  /** Gives back the block that it decompresses, and itself to its pool. */
  @Override
  public void release() {
    Block lent = compressed;
    compressed = NONE;
    lent.release();
    pool.give(this);
  }

  /**
   * Decompresses a frame. The limit is only what the file says: memory grows with what the frame
   * does hold.
   *
   * @param limit maximum length of the frame, decompressed
   * @return its length
   */
  private int decode(ByteBuffer source, int offset, int length, int limit, String file)
      throws CorruptSnapshotException {
    reserve((int) Math.min(limit, Math.max(MAX_KEPT, 4L * length)));
    while (true) {
      int room = Math.min(limit, plain.capacity());
      try {
        return context.decompressDirectByteBuffer(plain, 0, room, source, offset, length);
      } catch (ZstdException e) {
        if (room < limit && e.getErrorCode() == Zstd.errDstSizeTooSmall()) {
          reserve((int) Math.min(limit, 2L * room));
        } else {
          throw new CorruptSnapshotException(
              "frame cannot be decompressed: file=%s length=%d expected<=%d: %s"
                  .formatted(file, length, limit, e.getMessage()),
              e);
        }
      }
    }
  }

  private void reserve(int length) {
    if (plain.capacity() < length) {
      plain = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  @Override
  public long openFrameAt(BlockReader reader, int blockBase, int frame, long place)
      throws CorruptSnapshotException {
    return decodeAt(reader, compressed.bytes(), blockBase, frame, place);
  }

  @Override
  public ByteBuffer body() {
    return plain;
  }

  @Override
  public void close() {
    context.close();
  }

  /**
   * Decoders with one dictionary, for many threads: each thread tends to get back the one that it
   * used before.
   */
  public static final class Pool implements Closeable {
    private static final int SLOTS = 64;

    private final AtomicReferenceArray<@Nullable FrameDecoder> idle =
        new AtomicReferenceArray<>(SLOTS);
    private final @Nullable ZstdDictDecompress dictionary;

    /**
     * @param dictionary may be empty
     */
    Pool(byte[] dictionary, String file) throws CorruptSnapshotException {
      try {
        this.dictionary = dictionary.length == 0 ? null : new ZstdDictDecompress(dictionary);
      } catch (IllegalStateException e) {
        throw new CorruptSnapshotException(
            "not a zstd dictionary: file=%s length=%d %s"
                .formatted(file, dictionary.length, e.getMessage()),
            e);
      }
    }

    private static int slot() {
      return (int) ((Thread.currentThread().getId() * 0x9E3779B97F4A7C15L) >>> 58);
    }

    /** Lends a decoder of a block's frames; to release it releases the block, too. */
    public Block lend(Block block) {
      FrameDecoder decoder = take();
      decoder.compressed = block;
      return decoder;
    }

    /** Lends a decoder, to be given back. */
    public FrameDecoder take() {
      FrameDecoder decoder = idle.getAndSet(slot(), null);
      return decoder != null ? decoder : new FrameDecoder(this, dictionary);
    }

    /** Takes a decoder back; closes one that has grown too large, or for which there is no room. */
    public void give(FrameDecoder decoder) {
      FrameDecoder surplus =
          decoder.plain.capacity() > MAX_KEPT ? decoder : idle.getAndSet(slot(), decoder);
      if (surplus != null) {
        surplus.close();
      }
    }

    /** Frees all, and the dictionary; none may be in use. */
    @Override
    public void close() {
      for (int i = 0; i < SLOTS; i++) {
        FrameDecoder decoder = idle.getAndSet(i, null);
        if (decoder != null) {
          decoder.close();
        }
      }
      if (dictionary != null) {
        dictionary.close();
      }
    }
  }

  /**
   * The pools of a snapshot: partitions that repeat one dictionary share one. Filled by one thread.
   */
  public static final class Pools implements Closeable {
    private final Map<ByteBuffer, Pool> byDictionary = new HashMap<>();

    /**
     * Returns the pool of a dictionary.
     *
     * @param dictionary may be empty
     * @param file that it is from
     */
    public Pool of(byte[] dictionary, String file) throws CorruptSnapshotException {
      Pool pool = byDictionary.get(ByteBuffer.wrap(dictionary));
      if (pool == null) {
        pool = new Pool(dictionary, file);
        byDictionary.put(ByteBuffer.wrap(dictionary), pool);
      }
      return pool;
    }

    @Override
    public void close() {
      byDictionary.values().forEach(Pool::close);
    }
  }
}
