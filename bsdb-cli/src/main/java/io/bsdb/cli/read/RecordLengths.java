package io.bsdb.cli.read;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.Progress;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Number of records of a snapshot with all changes applied, ended rows of a history included, and
 * lengths of their keys and values.
 *
 * @param keys none if the snapshot stores no keys
 */
record RecordLengths(long records, LengthHistogram keys, LengthHistogram values) {
  /** Reads all records. */
  static RecordLengths of(Path snapshot, Manifest manifest, Console console) throws IOException {
    LengthHistogram keys = new LengthHistogram();
    LengthHistogram values = new LengthHistogram();
    try (SnapshotReader reader = SnapshotReader.open(snapshot);
        Progress progress =
            Progress.start(console, "reading", reader.partitionCount(), Progress.Unit.PARTITIONS)) {
      for (int partition = 0; partition < reader.partitionCount(); partition++) {
        try (RecordCursor cursor = reader.allVersions().scan(partition)) {
          while (cursor.next()) {
            if (!manifest.hasKeysOmitted()) {
              keys.add(cursor.key().length);
            }
            values.add(cursor.value().length);
            progress.records().lazySet(progress.records().getPlain() + 1);
          }
        }
        progress.position().incrementAndGet();
      }
      return new RecordLengths(progress.records().get(), keys, values);
    }
  }
}
