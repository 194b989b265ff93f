package io.bsdb.format;

import static io.bsdb.format.SnapshotFormat.HEADER_CHECKSUM;
import static io.bsdb.format.SnapshotFormat.HEADER_DATA_OFFSET;
import static io.bsdb.format.SnapshotFormat.HEADER_LENGTH;
import static io.bsdb.format.SnapshotFormat.HEADER_MAGIC;
import static io.bsdb.format.SnapshotFormat.HEADER_PARTITION;
import static io.bsdb.format.SnapshotFormat.HEADER_PARTITION_COUNT;
import static io.bsdb.format.SnapshotFormat.HEADER_SNAPSHOT_ID;
import static io.bsdb.format.SnapshotFormat.HEADER_VERSION;
import static io.bsdb.format.SnapshotFormat.VERSION;
import static io.bsdb.format.SnapshotFormat.checksum;
import static io.bsdb.format.SnapshotFormat.hex;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;

/**
 * The first 64 bytes of a partition file.
 *
 * @param snapshotId the build that wrote the file
 * @param partition this file's partition, from 0
 * @param partitionCount how many partitions the snapshot has
 * @param dataOffset where the first block starts, from the start of the file
 */
public record FileHeader(UUID snapshotId, int partition, int partitionCount, long dataOffset) {

  public ByteBuffer encode() {
    ByteBuffer buffer = ByteBuffer.allocate(HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    buffer.putLong(0, HEADER_MAGIC);
    buffer.putInt(HEADER_VERSION, VERSION);
    buffer.putInt(HEADER_PARTITION, partition);
    buffer.putInt(HEADER_PARTITION_COUNT, partitionCount);
    buffer.putLong(HEADER_SNAPSHOT_ID, snapshotId.getMostSignificantBits());
    buffer.putLong(HEADER_SNAPSHOT_ID + 8, snapshotId.getLeastSignificantBits());
    buffer.putLong(HEADER_DATA_OFFSET, dataOffset);
    buffer.putInt(HEADER_CHECKSUM, checksum(buffer, 0, HEADER_CHECKSUM));
    return buffer;
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
    if (Integer.compareUnsigned(version, VERSION) > 0) {
      throw new UnsupportedVersionException(
          "file has format version %s, this bsdb reads version %d: file=%s; upgrade bsdb, or rebuild the table with this one"
              .formatted(Integer.toUnsignedString(version), VERSION, file));
    }
    int expected = checksum(bytes, 0, HEADER_CHECKSUM);
    int actual = bytes.getInt(HEADER_CHECKSUM);
    if (expected != actual) {
      throw new CorruptSnapshotException(
          "file header checksum mismatch: file=%s offset=0 expected=%s actual=%s"
              .formatted(file, hex(actual), hex(expected)));
    }
    if (version != VERSION) {
      throw new CorruptSnapshotException(
          "file header has an impossible format version: file=%s offset=%d actual=%d"
              .formatted(file, HEADER_VERSION, version));
    }
    return new FileHeader(
        new UUID(bytes.getLong(HEADER_SNAPSHOT_ID), bytes.getLong(HEADER_SNAPSHOT_ID + 8)),
        bytes.getInt(HEADER_PARTITION),
        bytes.getInt(HEADER_PARTITION_COUNT),
        bytes.getLong(HEADER_DATA_OFFSET));
  }
}
