package io.bsdb.format;

import static io.bsdb.format.SnapshotFormat.HEADER_CHECKSUM;
import static io.bsdb.format.SnapshotFormat.HEADER_FILE_ID;
import static io.bsdb.format.SnapshotFormat.HEADER_VERSION;
import static io.bsdb.format.SnapshotFormat.hex;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * The part that headers of all kinds of files share: magic, version, file id and, at their end, a
 * checksum.
 *
 * @param kind of file, such as {@code bsdb segment}
 * @param noun for it in messages
 * @param magic of the kind
 * @param version the newest that this library reads
 * @hidden
 */
@Internal
public record HeaderStart(String kind, String noun, long magic, int version) {

  /** Completes a header whose own fields are set: adds what all have, and the checksum. */
  public static void encode(long magic, int version, UUID fileId, ByteBuffer header) {
    header.putLong(0, magic);
    header.putInt(HEADER_VERSION, version);
    header.put(HEADER_FILE_ID, PartChecksum.bytes(fileId));
    header.putInt(HEADER_CHECKSUM, checksum(fileId, header));
  }

  private static int checksum(UUID fileId, ByteBuffer header) {
    return new PartChecksum(fileId).of(PartChecksum.HEADER, 0, header, 0, HEADER_CHECKSUM);
  }

  /** Returns the format version of a header that has not been verified. */
  public static int version(ByteBuffer bytes) {
    return bytes.getInt(HEADER_VERSION);
  }

  /**
   * Verifies a header.
   *
   * @return the file id
   * @throws UnsupportedVersionException if a newer bsdb wrote it
   * @throws CorruptSnapshotException if it is no file of this kind, or damaged
   */
  public UUID decode(ByteBuffer bytes, String file) throws IOException {
    long actualMagic = bytes.getLong(0);
    if (actualMagic != magic) {
      throw new CorruptSnapshotException(
          "not a %s: file=%s offset=0 expected magic=%016x actual=%016x"
              .formatted(kind, file, magic, actualMagic));
    }
    int actualVersion = bytes.getInt(HEADER_VERSION);
    if (Integer.compareUnsigned(actualVersion, version) > 0) {
      throw new UnsupportedVersionException(
          "%s has format version %s, this bsdb reads version %d: file=%s; upgrade bsdb, or rebuild the table with this one"
              .formatted(noun, Integer.toUnsignedString(actualVersion), version, file));
    }
    UUID fileId = PartChecksum.fileId(bytes, HEADER_FILE_ID);
    int expected = bytes.getInt(HEADER_CHECKSUM);
    int actual = checksum(fileId, bytes);
    if (expected != actual) {
      throw new CorruptSnapshotException(
          "%s header checksum mismatch: file=%s offset=0 expected=%s actual=%s"
              .formatted(noun, file, hex(expected), hex(actual)));
    }
    if (actualVersion != version) {
      throw new CorruptSnapshotException(
          "%s header has an impossible format version: file=%s offset=%d actual=%d"
              .formatted(noun, file, HEADER_VERSION, actualVersion));
    }
    return fileId;
  }
}
