package io.bsdb.table;

import io.bsdb.format.SnapshotFormat;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Entry of the manifest for one partition file.
 *
 * @param partition from 0
 * @param name of the file within its directory
 * @param fileId the file's own; its header and all checksums in it repeat it
 * @param length in bytes
 * @param checksum CRC-32C of the whole file
 * @param recordCount records in it
 * @param keyBytes sum of key lengths
 * @param valueBytes sum of value lengths
 * @param version the version in whose directory the file lies; null if in the manifest's own
 * @param foldedThrough the number of the last segment of which no change applies to the file any
 *     more; 0 if all apply
 * @param lowerBound its first key in Base64, in a table in key order: empty for the first
 *     partition; null in hash order
 */
public record PartitionFile(
    int partition,
    String name,
    UUID fileId,
    long length,
    int checksum,
    int recordCount,
    long keyBytes,
    long valueBytes,
    @Nullable String version,
    long foldedThrough,
    @Nullable String lowerBound) {

  /** Creates the entry of a file in the directory of its own version. */
  public PartitionFile(
      int partition,
      String name,
      UUID fileId,
      long length,
      int checksum,
      int recordCount,
      long keyBytes,
      long valueBytes) {
    this(
        partition,
        name,
        fileId,
        length,
        checksum,
        recordCount,
        keyBytes,
        valueBytes,
        null,
        0,
        null);
  }

  /** Returns the same file as the manifest of another version names it. */
  PartitionFile in(String home) {
    return with(partition, name, version == null ? home : version, foldedThrough, lowerBound);
  }

  /** Returns the same file, with the changes of more segments in it. */
  public PartitionFile foldedThrough(long through) {
    return with(partition, name, version, through, lowerBound);
  }

  /** Returns the same file, written by a fold: in a version's directory, with changes in it. */
  public PartitionFile folded(String home, long through) {
    return with(partition, name, home, through, lowerBound);
  }

  /** Returns the same file under another name. */
  public PartitionFile named(String newName) {
    return with(partition, newName, version, foldedThrough, lowerBound);
  }

  /** Returns the same file as a partition of a table in key order. */
  public PartitionFile ordered(int number, String bound) {
    return with(number, name, version, foldedThrough, bound);
  }

  private PartitionFile with(
      int newPartition,
      String newName,
      @Nullable String newVersion,
      long newFoldedThrough,
      @Nullable String newBound) {
    return new PartitionFile(
        newPartition,
        newName,
        fileId,
        length,
        checksum,
        recordCount,
        keyBytes,
        valueBytes,
        newVersion,
        newFoldedThrough,
        newBound);
  }

  /**
   * Returns the directory of the file, relative to the table directory.
   *
   * @param home the version whose manifest this is from
   */
  public String directory(String home) {
    return SnapshotFormat.SNAPSHOTS_DIRECTORY + "/" + (version == null ? home : version);
  }
}
