package io.bsdb.format.segment;

import static io.bsdb.format.segment.SegmentFormat.HEADER_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.HEADER_NUMBER;
import static io.bsdb.format.segment.SegmentFormat.LOG_VERSION;
import static io.bsdb.format.segment.SegmentFormat.MAGIC;
import static io.bsdb.format.segment.SegmentFormat.VERSION;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.HeaderStart;
import io.bsdb.format.UnsupportedVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;

/**
 * The first 64 bytes of a segment.
 *
 * @param fileId this file's own; its manifest entry repeats it, and every checksum in it covers it
 * @param number of a segment of a log; 0 in a delta, which gets its number in the manifest
 */
record SegmentHeader(UUID fileId, long number) {
  ByteBuffer encode() {
    ByteBuffer buffer = ByteBuffer.allocate(HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    buffer.putLong(HEADER_NUMBER, number);
    HeaderStart.encode(MAGIC, isLog() ? LOG_VERSION : VERSION, fileId, buffer);
    return buffer;
  }

  /**
   * Decodes the first bytes of {@code file}.
   *
   * @param bytes the file's first 64 bytes, from index 0, little-endian
   * @throws UnsupportedVersionException if a newer bsdb wrote it
   * @throws CorruptSnapshotException if it is no segment, or damaged
   */
  static SegmentHeader decode(ByteBuffer bytes, String file) throws IOException {
    int version = HeaderStart.version(bytes) == VERSION ? VERSION : LOG_VERSION;
    UUID fileId = new HeaderStart("bsdb segment", "segment", MAGIC, version).decode(bytes, file);
    SegmentHeader header = new SegmentHeader(fileId, bytes.getLong(HEADER_NUMBER));
    if (header.isLog() != (version == LOG_VERSION)) {
      throw new CorruptSnapshotException(
          "segment of version %d has an impossible number: file=%s offset=%d actual=%d"
              .formatted(version, file, HEADER_NUMBER, header.number));
    }
    return header;
  }

  /** Returns whether it is a file of a log. */
  boolean isLog() {
    return number != 0;
  }
}
