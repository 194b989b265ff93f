package io.bsdb.cli.table;

import io.bsdb.cli.output.ByteSize;
import io.bsdb.cli.output.Report;
import io.bsdb.table.Changes;
import io.bsdb.table.Manifest;
import io.bsdb.table.SegmentFile;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Contents of a version in figures, as far as its manifest tells. With changes over the partition
 * files the number of records is not known: a change may set a new key or one that there is, or
 * delete a key that there is not, and the next may undo it.
 *
 * @param records exact; null if there are changes
 */
public record Holdings(
    @Nullable Long records,
    long partitionRecords,
    long partitionBytes,
    long puts,
    long deletes,
    int segments,
    long segmentBytes) {

  public static Holdings of(Manifest manifest) {
    Changes changes = manifest.changes();
    return new Holdings(
        manifest.hasChanges() ? null : manifest.recordCount(),
        manifest.recordCount(),
        manifest.length(),
        changes.segments().stream().mapToLong(SegmentFile::puts).sum(),
        changes.segments().stream().mapToLong(SegmentFile::deletes).sum(),
        changes.segments().size(),
        changes.length());
  }

  /** For people. */
  @Override
  public String toString() {
    return records != null
        ? String.format(Locale.ROOT, "%,d records in %s", records, ByteSize.format(partitionBytes))
        : String.format(
            Locale.ROOT,
            "%,d records in partition files of %s, changed by %s",
            partitionRecords,
            ByteSize.format(partitionBytes),
            changes());
  }

  /** Returns the changes, for people. */
  public String changes() {
    return String.format(
        Locale.ROOT,
        "%,d puts and %,d deletes in %,d segments of %s",
        puts,
        deletes,
        segments,
        ByteSize.format(segmentBytes));
  }

  /** For programs. */
  public Report addTo(Report report) {
    return report
        .add("records", records)
        .add("partitionRecords", partitionRecords)
        .add("bytes", partitionBytes)
        .add("puts", puts)
        .add("deletes", deletes)
        .add("segments", segments)
        .add("segmentBytes", segmentBytes);
  }
}
