package io.bsdb.format.block;

import static io.bsdb.format.SnapshotFormat.BLOCK_CONTENT_LENGTH;
import static io.bsdb.format.SnapshotFormat.BLOCK_FIRST_RANK;
import static io.bsdb.format.SnapshotFormat.BLOCK_FRAME_RECORDS;
import static io.bsdb.format.SnapshotFormat.BLOCK_HEADER_LENGTH;
import static io.bsdb.format.SnapshotFormat.BLOCK_RECORD_COUNT;

import java.nio.ByteBuffer;

/** Reads the fields of the header of a verified block. Buffers are little-endian. */
public final class BlockHeader {
  private BlockHeader() {}

  /** Returns how many records a verified block holds. */
  public static int recordCount(ByteBuffer block, int base) {
    return block.getShort(base + BLOCK_RECORD_COUNT) & 0xFFFF;
  }

  /** Returns the rank of a verified block's first record. */
  public static int firstRank(ByteBuffer block, int base) {
    return block.getInt(base + BLOCK_FIRST_RANK);
  }

  /** Records per frame of a verified block that has frames; the last one may hold fewer. */
  public static int frameRecords(ByteBuffer block, int base) {
    return block.getShort(base + BLOCK_FRAME_RECORDS) & 0xFFFF;
  }

  /** Returns how many frames a verified block holds. */
  public static int frameCount(ByteBuffer block, int base) {
    int perFrame = frameRecords(block, base);
    return (recordCount(block, base) + perFrame - 1) / perFrame;
  }

  /**
   * Returns the bytes after the header of a verified block, padding excluded: without frames, its
   * body.
   */
  public static int bodyLength(ByteBuffer block, int base) {
    return block.getInt(base + BLOCK_CONTENT_LENGTH) - BLOCK_HEADER_LENGTH;
  }

  /**
   * Records of the frame that holds record {@code index} of the block; the last frame may hold
   * fewer than the others.
   */
  public static int frameRecordCount(ByteBuffer block, int base, int index) {
    int perFrame = frameRecords(block, base);
    return Math.min(perFrame, recordCount(block, base) - index / perFrame * perFrame);
  }
}
