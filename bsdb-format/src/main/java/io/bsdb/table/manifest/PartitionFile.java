package io.bsdb.table.manifest;

import io.bsdb.format.SnapshotFormat;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Entry of the manifest for one partition file.
 *
 * @param name of the file within its directory
 * @param fileId the file's own; its header and all checksums in it repeat it
 * @param length in bytes
 * @param checksum CRC-32C of the whole file
 * @param recordCount records in it
 * @param keyBytes sum of key lengths
 * @param valueBytes sum of value lengths
 * @param place of the file in the version
 */
public record PartitionFile(
    String name,
    UUID fileId,
    long length,
    int checksum,
    int recordCount,
    long keyBytes,
    long valueBytes,
    Place place) {

  /**
   * Place of a partition file in a version.
   *
   * @param partition from 0
   * @param version the version in whose directory the file lies; null if in the manifest's own
   * @param foldedThrough the number of the last segment whose changes no longer apply to the file;
   *     0 if all apply
   * @param lowerBound of its keys; none in hash order
   */
  public record Place(
      int partition, @Nullable String version, long foldedThrough, Bound lowerBound) {
    /** Creates the place of a file in the directory of its own version, in hash order. */
    public Place(int partition) {
      this(partition, null, 0, Bound.NONE);
    }
  }

  /** Returns the number of the partition, from 0. */
  public int partition() {
    return place.partition;
  }

  /** Returns the version in whose directory the file lies; null if in the manifest's own. */
  public @Nullable String version() {
    return place.version;
  }

  /**
   * Returns the number of the last segment whose changes no longer apply to the file; 0 if all
   * apply.
   */
  public long foldedThrough() {
    return place.foldedThrough;
  }

  /** Returns the bound of its keys; none in hash order. */
  public Bound lowerBound() {
    return place.lowerBound;
  }

  /** Returns the same file as the manifest of another version names it. */
  public PartitionFile in(String home) {
    return version() == null ? folded(home, foldedThrough()) : this;
  }

  /** Returns the same file, with the changes of more segments in it. */
  public PartitionFile foldedThrough(long through) {
    return at(new Place(partition(), version(), through, lowerBound()));
  }

  /** Returns the same file, written by a fold: in a version's directory, with changes in it. */
  public PartitionFile folded(String home, long through) {
    return at(new Place(partition(), home, through, lowerBound()));
  }

  /** Returns the same file as a partition of a table in key order. */
  public PartitionFile ordered(int number, Bound bound) {
    return at(new Place(number, version(), foldedThrough(), bound));
  }

  /** Returns the same file under another name. */
  public PartitionFile named(String newName) {
    return with(newName, place);
  }

  private PartitionFile at(Place newPlace) {
    return with(name, newPlace);
  }

  private PartitionFile with(String newName, Place newPlace) {
    return new PartitionFile(
        newName, fileId, length, checksum, recordCount, keyBytes, valueBytes, newPlace);
  }

  /**
   * Returns the directory of the file, relative to the table directory.
   *
   * @param home the version whose manifest this is from
   */
  public String directory(String home) {
    return SnapshotFormat.SNAPSHOTS_DIRECTORY + "/" + (version() == null ? home : version());
  }
}
