package io.bsdb.format.block;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdDictDecompress;
import com.github.luben.zstd.ZstdException;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.ZstdLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** Decompresses one frame at a time into a buffer of its own. */
final class FrameDecoder extends BlockDecoder {
  private final ZstdDecompressCtx context = new ZstdDecompressCtx();
  private ByteBuffer plain = ByteBuffer.allocateDirect(0);

  private FrameDecoder(Pool pool, int slot, @Nullable ZstdDictDecompress dictionary) {
    super(pool, slot);
    context.setMagicless(true);
    if (dictionary != null) {
      context.loadDict(dictionary);
    }
  }

  @Override
  boolean isLarge() {
    return plain.capacity() > MAX_KEPT;
  }

  @Override
  public long openFrame(BlockReader reader, int blockBase, int frame)
      throws CorruptSnapshotException {
    return openFrameAt(reader, blockBase, frame, reader.frame(bytes(), blockBase, frame));
  }

  private int decodeAt(BlockReader reader, ByteBuffer block, int blockBase, int frame, long place)
      throws CorruptSnapshotException {
    int limit = reader.framePlainLength(block, blockBase);
    int length = decode(block, (int) (place >>> 32), (int) place, limit, reader.file());
    int first = frame * BlockHeader.frameRecords(block, blockBase);
    reader.verifyBody(plain, 0, length, BlockHeader.frameRecordCount(block, blockBase, first));
    return length;
  }

  /**
   * Decompresses a frame. The limit is only what the file claims: memory grows with what the frame
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
    return decodeAt(reader, bytes(), blockBase, frame, place);
  }

  @Override
  public ByteBuffer body() {
    return plain;
  }

  @Override
  public void close() {
    free(context::close);
  }

  /** Frees memory of zstd, but for what a lookup that had no stack left to end has in use. */
  private static void free(Runnable close) {
    try {
      close.run();
    } catch (IllegalStateException e) {
      // It stays until the process ends; all else is closed.
    }
  }

  /** Decoders with one dictionary. */
  static final class Pool extends DecoderPool {
    private final @Nullable ZstdDictDecompress dictionary;

    /**
     * @param dictionary may be empty
     */
    Pool(byte[] dictionary, String file) throws IOException {
      ZstdLibrary.require(file);
      try {
        this.dictionary = dictionary.length == 0 ? null : new ZstdDictDecompress(dictionary);
      } catch (IllegalStateException e) {
        throw new CorruptSnapshotException(
            "not a zstd dictionary: file=%s length=%d %s"
                .formatted(file, dictionary.length, e.getMessage()),
            e);
      }
    }

    @Override
    BlockDecoder create(int slot) {
      return new FrameDecoder(this, slot, dictionary);
    }

    /** Frees all, and the dictionary. */
    @Override
    public void close() {
      super.close();
      if (dictionary != null) {
        free(dictionary::close);
      }
    }
  }
}
