package io.bsdb.table;

import io.bsdb.format.Internal;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.Validity;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Figures of a version as far as its manifest contains them, for reports, pages and tables. */
@Internal
public record VersionFacts(Manifest manifest) {
  /**
   * Returns the number of records; null with changes over the partition files, because a change may
   * set a new key or one that there is, or delete a key that there is not, and the next may undo
   * it.
   */
  public @Nullable Long records() {
    return manifest.hasChanges() ? null : partitionRecords();
  }

  /** Returns the number of records in the partition files, ended rows of a history included. */
  public long partitionRecords() {
    return manifest.recordCount();
  }

  /** Returns the bytes of partition files and segments. */
  public long bytes() {
    return manifest.length() + segmentBytes();
  }

  /** Returns the bytes of the keys in the partition files, as they were written. */
  public long keyBytes() {
    return manifest.partitions().stream().mapToLong(PartitionFile::keyBytes).sum();
  }

  /** Returns the bytes of the values in the partition files, as they were written. */
  public long valueBytes() {
    return manifest.partitions().stream().mapToLong(PartitionFile::valueBytes).sum();
  }

  /** Returns the number of puts in the segments. */
  public long puts() {
    return manifest.changes().count() - deletes();
  }

  /** Returns the number of deletes in the segments. */
  public long deletes() {
    return manifest.changes().deletes();
  }

  /** Returns the number of segments. */
  public int segments() {
    return manifest.changes().segments().size();
  }

  /** Returns the bytes of the segments. */
  public long segmentBytes() {
    return manifest.changes().length();
  }

  /** Returns {@code hash}, {@code key} or {@code history}. */
  public String order() {
    if (manifest.validity() != null) {
      return "history";
    }
    return manifest.order() == RecordOrder.KEY ? "key" : "hash";
  }

  /** Returns records, bytes and changes by the names that they have in JSON. */
  public Map<String, @Nullable Object> figures() {
    Map<String, @Nullable Object> figures = new LinkedHashMap<>();
    figures.put("records", records());
    figures.put("partitionRecords", partitionRecords());
    figures.put("bytes", manifest.length());
    figures.put("puts", puts());
    figures.put("deletes", deletes());
    figures.put("segments", segments());
    figures.put("segmentBytes", segmentBytes());
    return figures;
  }

  /** Returns retention and horizon of a history by their names in the manifest; else nothing. */
  public Map<String, @Nullable Object> history() {
    Map<String, @Nullable Object> history = new LinkedHashMap<>();
    Validity validity = manifest.validity();
    if (validity != null) {
      history.put("retention", text(validity.retention()));
      history.put("horizon", text(validity.horizon()));
    }
    return history;
  }

  private static @Nullable String text(@Nullable Object value) {
    return value == null ? null : value.toString();
  }
}
