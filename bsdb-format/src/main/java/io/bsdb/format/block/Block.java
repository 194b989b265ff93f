package io.bsdb.format.block;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.LentBytes;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.symbols.FieldSelection;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A verified block, wherever it was fetched to. It is lent: {@link #release} gives it back, and
 * then its bytes must not be used any more. What lends blocks extends this class, so that fetching
 * one makes no object. Used by one thread, unless the lender allows more.
 */
public abstract class Block extends LentBytes {
  /** Returns the buffer that holds the block; little-endian. */
  public abstract ByteBuffer bytes();

  /**
   * Returns where the block starts in its buffer.
   *
   * @param number of the block in its file
   */
  public abstract int base(int number);

  /**
   * Returns the block in the form in which its records can be read; to release that releases it.
   *
   * @param decoders of its records; null if they are stored as they are
   * @param selection of fields that will be read
   */
  public Block readable(@Nullable DecoderPool decoders, FieldSelection selection) {
    return decoders == null ? this : decoders.lend(this, selection);
  }

  /** Returns the rank of its first record. */
  public int firstRank(int base) {
    return BlockHeader.firstRank(bytes(), base);
  }

  /** Returns how many records it holds. */
  public int recordCount(int base) {
    return BlockHeader.recordCount(bytes(), base);
  }

  /** Returns how many records each of its frames holds, but for the last. */
  public int frameRecords(int base) {
    return BlockHeader.frameRecords(bytes(), base);
  }

  /**
   * Opens a frame, if the block has frames: decompresses it into {@link #body}, unless it is there.
   *
   * @param base returned by {@link #base}
   * @param frame its number within the block
   * @return where the frame's body lies in {@link #body}: offset in the upper 32 bits, length in
   *     the lower
   */
  public long openFrame(BlockReader reader, int base, int frame) throws CorruptSnapshotException {
    throw new IllegalStateException("the block has no frames");
  }

  /**
   * Opens a frame whose slice of the block is known; as {@link #openFrame}.
   *
   * @param place returned by {@link BlockReader#frame}
   */
  public long openFrameAt(BlockReader reader, int base, int frame, long place)
      throws CorruptSnapshotException {
    throw new IllegalStateException("the block has no frames");
  }

  /** Returns the buffer that records lie in: the block's own, or that of opened frames. */
  @Override
  public ByteBuffer body() {
    return bytes();
  }

  /**
   * Finds the value of a record that has a key, as {@link BlockReader#value(ByteBuffer, long,
   * byte[])} does, and decodes it into {@link #body} if it is encoded.
   *
   * @param record where it lies
   */
  public long value(BlockReader reader, long record, byte[] key) throws CorruptSnapshotException {
    return reader.value(body(), record, key);
  }

  /** Finds the value of a record; as {@link #key}. */
  public long value(BlockReader reader, long record) throws CorruptSnapshotException {
    return reader.value(body(), record);
  }

  /**
   * Finds the key of a record; decodes it into {@link #body} if it is encoded.
   *
   * @return offset in the upper 32 bits, length in the lower
   */
  public long key(BlockReader reader, long record) throws CorruptSnapshotException {
    return reader.key(body(), record);
  }

  /** Returns whether this is mapped memory, for all blocks there, as long as their file is open. */
  public boolean isMapped() {
    return false;
  }

  /** Gives the block back. Called once. */
  public void release() {}

  /**
   * Copies what was found in {@link #body}.
   *
   * @param found offset in the upper 32 bits, length in the lower
   */
  public final byte[] copy(long found) {
    return copy((int) (found >>> 32), (int) found);
  }

  /** Returns the bytes of header and content of a verified block, padding excluded. */
  public static int contentLength(ByteBuffer bytes, int base) {
    return BlockHeader.bodyLength(bytes, base) + SnapshotFormat.BLOCK_HEADER_LENGTH;
  }
}
