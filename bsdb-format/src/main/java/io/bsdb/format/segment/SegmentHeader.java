package io.bsdb.format.segment;

import static io.bsdb.format.segment.SegmentFormat.HEADER_CHECKSUM;
import static io.bsdb.format.segment.SegmentFormat.HEADER_FILE_ID;
import static io.bsdb.format.segment.SegmentFormat.HEADER_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.HEADER_NUMBER;
import static io.bsdb.format.segment.SegmentFormat.HEADER_VERSION;
import static io.bsdb.format.segment.SegmentFormat.MAGIC;
import static io.bsdb.format.segment.SegmentFormat.VERSION;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.SnapshotFormat;
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
    buffer.putLong(0, MAGIC);
    buffer.putInt(HEADER_VERSION, VERSION);
    buffer.put(HEADER_FILE_ID, PartChecksum.bytes(fileId));
    buffer.putLong(HEADER_NUMBER, number);
    buffer.putInt(HEADER_CHECKSUM, checksum(fileId, buffer));
    return buffer;
  }

  private static int checksum(UUID fileId, ByteBuffer header) {
    return new PartChecksum(fileId).of(PartChecksum.HEADER, 0, header, 0, HEADER_CHECKSUM);
  }

  /**
   * Decodes the first bytes of {@code file}.
   *
   * @param bytes the file's first 64 bytes, from index 0, little-endian
   * @throws UnsupportedVersionException if a newer bsdb wrote it
   * @throws CorruptSnapshotException if it is no segment, or damaged
   */
  static SegmentHeader decode(ByteBuffer bytes, String file) throws IOException {
    long magic = bytes.getLong(0);
    if (magic != MAGIC) {
      throw new CorruptSnapshotException(
          "not a bsdb segment: file=%s offset=0 expected magic=%016x actual=%016x"
              .formatted(file, MAGIC, magic));
    }
    int version = bytes.getInt(HEADER_VERSION);
    if (Integer.compareUnsigned(version, VERSION) > 0) {
      throw new UnsupportedVersionException(
          "segment has format version %s, this bsdb reads version %d: file=%s; upgrade bsdb, or rebuild the table with this one"
              .formatted(Integer.toUnsignedString(version), VERSION, file));
    }
    UUID fileId = PartChecksum.fileId(bytes, HEADER_FILE_ID);
    int expected = bytes.getInt(HEADER_CHECKSUM);
    int actual = checksum(fileId, bytes);
    if (expected != actual) {
      throw new CorruptSnapshotException(
          "segment header checksum mismatch: file=%s offset=0 expected=%s actual=%s"
              .formatted(file, SnapshotFormat.hex(expected), SnapshotFormat.hex(actual)));
    }
    if (version != VERSION) {
      throw new CorruptSnapshotException(
          "segment header has an impossible format version: file=%s offset=%d actual=%d"
              .formatted(file, HEADER_VERSION, version));
    }
    return new SegmentHeader(fileId, bytes.getLong(HEADER_NUMBER));
  }
}
