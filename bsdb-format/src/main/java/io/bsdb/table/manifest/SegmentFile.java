package io.bsdb.table.manifest;

import io.bsdb.format.SnapshotFormat;
import java.util.UUID;

/**
 * A sealed segment as the manifest names it.
 *
 * @param number orders the segments of a table; from 1, never used again
 * @param fileId this file's own; its name is made of it
 * @param length in bytes
 * @param checksum CRC-32C of the whole file
 * @param firstHash least high word of the hashes of its keys, unsigned
 * @param lastHash greatest high word of the hashes of its keys, unsigned
 * @param puts how many values it sets
 * @param deletes how many keys it deletes
 */
public record SegmentFile(
    long number,
    UUID fileId,
    long length,
    int checksum,
    long firstHash,
    long lastHash,
    long puts,
    long deletes) {

  /** Returns the same segment under a number. */
  public SegmentFile numbered(long newNumber) {
    return new SegmentFile(newNumber, fileId, length, checksum, firstHash, lastHash, puts, deletes);
  }

  /** Returns the name of the file. */
  public String name() {
    return fileId + ".seg";
  }

  /** Returns the file, relative to the table directory. */
  public String path() {
    return path(fileId);
  }

  /** Returns the file of a segment with this id, relative to the table directory. */
  public static String path(UUID fileId) {
    return SnapshotFormat.DATA_DIRECTORY + "/" + fileId + ".seg";
  }
}
