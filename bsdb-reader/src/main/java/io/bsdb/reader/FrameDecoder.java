package io.bsdb.reader;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdDictDecompress;
import com.github.luben.zstd.ZstdException;
import io.bsdb.format.CorruptSnapshotException;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Decompresses one frame at a time into a buffer of its own. Used by one thread at a time; borrowed
 * from a {@link Pool}.
 */
final class FrameDecoder implements Closeable {
  /** A decoder with more memory is not kept for other calls. */
  private static final int LONGEST_KEPT = 1 << 20;

  private final ZstdDecompressCtx context = new ZstdDecompressCtx();
  private ByteBuffer plain = ByteBuffer.allocateDirect(0);

  private FrameDecoder(@Nullable ZstdDictDecompress dictionary) {
    context.setMagicless(true);
    if (dictionary != null) {
      context.loadDict(dictionary);
    }
  }

  /**
   * Decompresses a frame. The limit is only what the file says: memory grows with what the frame
   * does hold.
   *
   * @param limit longest that it may be, decompressed
   * @return its length in {@link #plain}
   */
  int decode(ByteBuffer source, int offset, int length, int limit, Path file)
      throws CorruptSnapshotException {
    reserve((int) Math.min(limit, Math.max(LONGEST_KEPT, 4L * length)));
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

  /** What {@link #decode} filled last; little-endian. */
  ByteBuffer plain() {
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
  static final class Pool implements Closeable {
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
            "dictionary is none: file=%s length=%d %s"
                .formatted(file, dictionary.length, e.getMessage()),
            e);
      }
    }

    private static int slot() {
      return (int) ((Thread.currentThread().getId() * 0x9E3779B97F4A7C15L) >>> 58);
    }

    FrameDecoder take() {
      FrameDecoder decoder = idle.getAndSet(slot(), null);
      return decoder != null ? decoder : new FrameDecoder(dictionary);
    }

    void give(FrameDecoder decoder) {
      FrameDecoder surplus =
          decoder.plain.capacity() > LONGEST_KEPT ? decoder : idle.getAndSet(slot(), decoder);
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
  static final class Pools implements Closeable {
    private final Map<ByteBuffer, Pool> byDictionary = new HashMap<>();

    /**
     * @param dictionary may be empty
     * @param file that it is from
     */
    Pool of(byte[] dictionary, String file) throws CorruptSnapshotException {
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
