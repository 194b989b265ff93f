package io.bsdb.format;

import static io.bsdb.format.SnapshotFormat.FILE_VERSION;
import static io.bsdb.format.SnapshotFormat.HEADER_DATA_OFFSET;
import static io.bsdb.format.SnapshotFormat.HEADER_LENGTH;
import static io.bsdb.format.SnapshotFormat.HEADER_MAGIC;

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
    buffer.putLong(HEADER_DATA_OFFSET, dataOffset);
    HeaderStart.encode(HEADER_MAGIC, FILE_VERSION, fileId, buffer);
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
    UUID fileId =
        new HeaderStart("bsdb partition file", "file", HEADER_MAGIC, FILE_VERSION)
            .decode(bytes, file);
    return new FileHeader(fileId, bytes.getLong(HEADER_DATA_OFFSET));
  }
}
