package io.bsdb.format;

import static io.bsdb.format.SnapshotFormat.FILE_VERSION;
import static io.bsdb.format.SnapshotFormat.HEADER_CHECKSUM;
import static io.bsdb.format.SnapshotFormat.HEADER_DATA_OFFSET;
import static io.bsdb.format.SnapshotFormat.HEADER_FILE_ID;
import static io.bsdb.format.SnapshotFormat.HEADER_LENGTH;
import static io.bsdb.format.SnapshotFormat.HEADER_MAGIC;
import static io.bsdb.format.SnapshotFormat.HEADER_VERSION;
import static io.bsdb.format.SnapshotFormat.hex;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;

/**
 * The first 64 bytes of a partition file.
 *
 * @param fileId this file's own; its manifest entry repeats it, and every checksum in it covers it
 * @param dataOffset where the first block starts, from the start of the file
 * @hidden
 */
@Internal
public record FileHeader(UUID fileId, long dataOffset) {

  public ByteBuffer encode() {
    ByteBuffer buffer = ByteBuffer.allocate(HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    buffer.putLong(0, HEADER_MAGIC);
    buffer.putInt(HEADER_VERSION, FILE_VERSION);
    buffer.put(HEADER_FILE_ID, PartChecksum.bytes(fileId));
    buffer.putLong(HEADER_DATA_OFFSET, dataOffset);
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
   * @throws CorruptSnapshotException if it is no partition file, or damaged
   */
  public static FileHeader decode(ByteBuffer bytes, String file) throws IOException {
    long magic = bytes.getLong(0);
    if (magic != HEADER_MAGIC) {
      throw new CorruptSnapshotException(
          "not a bsdb partition file: file=%s offset=0 expected magic=%016x actual=%016x"
              .formatted(file, HEADER_MAGIC, magic));
    }
    int version = bytes.getInt(HEADER_VERSION);
    if (Integer.compareUnsigned(version, FILE_VERSION) > 0) {
      throw new UnsupportedVersionException(
          "file has format version %s, this bsdb reads version %d: file=%s; upgrade bsdb, or rebuild the table with this one"
              .formatted(Integer.toUnsignedString(version), FILE_VERSION, file));
    }
    UUID fileId = PartChecksum.fileId(bytes, HEADER_FILE_ID);
    int expected = bytes.getInt(HEADER_CHECKSUM);
    int actual = checksum(fileId, bytes);
    if (expected != actual) {
      throw new CorruptSnapshotException(
          "file header checksum mismatch: file=%s offset=0 expected=%s actual=%s"
              .formatted(file, hex(expected), hex(actual)));
    }
    if (version != FILE_VERSION) {
      throw new CorruptSnapshotException(
          "file header has an impossible format version: file=%s offset=%d actual=%d"
              .formatted(file, HEADER_VERSION, version));
    }
    return new FileHeader(fileId, bytes.getLong(HEADER_DATA_OFFSET));
  }
}
