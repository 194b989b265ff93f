package io.bsdb.format.segment;

import io.bsdb.format.SnapshotFormat;

/** Constants and offsets of segments; the mirror of docs/FORMAT.md. */
final class SegmentFormat {
  /** The format version of the segments of deltas. */
  static final int VERSION = 2;

  /** The format version of the files of a log, which become segments when they are sealed. */
  static final int LOG_VERSION = 3;

  // Header
  static final long MAGIC = 0x4745534244534289L; // 89 'B' 'S' 'D' 'B' 'S' 'E' 'G'
  static final int HEADER_NUMBER = 32;
  static final int HEADER_LENGTH = 64;

  // Frame
  static final int FRAME_KIND = 16; // of bound checksums; no section has it
  static final int FRAME_CHECKSUM = 0;
  static final int FRAME_FRAME_LENGTH = 4;
  static final int FRAME_SEQUENCE = 8;
  static final int FRAME_DURABLE = 16;
  static final int FRAME_RECORDS = 24;
  static final int FRAME_TYPE = 28;
  static final int FRAME_HEADER_LENGTH = 32;
  static final int FRAME_ALIGNMENT = 8;
  static final int TYPE_RECORDS = 1;
  static final int TYPE_SEAL = 2;
  static final int TYPE_START = 3;

  // Seal: what the frames before it hold
  static final int SEAL_FRAMES = FRAME_HEADER_LENGTH;
  static final int SEAL_PUTS = SEAL_FRAMES + 8;
  static final int SEAL_DELETES = SEAL_PUTS + 8;
  static final int SEAL_POSITIONS = SEAL_DELETES + 8;
  static final int SEAL_LENGTH = SEAL_POSITIONS + 8;

  // Start: the first frame of a segment of a log, which records what it continues
  static final int START_NUMBER = FRAME_HEADER_LENGTH;
  static final int START_FILE_ID = START_NUMBER + 8;
  static final int START_END = START_FILE_ID + 16;
  static final int START_LENGTH = START_END + 8;

  /** The most that a record takes beside key and value: its kind and two lengths. */
  static final int MAX_RECORD_OVERHEAD = 1 + 3 + 5;

  /** A writer begins another frame when one has reached this length. */
  static final int FRAME_TARGET_LENGTH = 256 << 10;

  static final int MAX_FRAME_LENGTH =
      FRAME_HEADER_LENGTH
          + FRAME_TARGET_LENGTH
          + MAX_RECORD_OVERHEAD
          + SnapshotFormat.MAX_KEY_LENGTH
          + SnapshotFormat.MAX_VALUE_LENGTH;

  private SegmentFormat() {}

  static long aligned(long offset) {
    return (offset + FRAME_ALIGNMENT - 1) & -FRAME_ALIGNMENT;
  }
}
