package io.bsdb.http;

import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.RecordOrder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Some records of a version. */
final class Sample {
  private Sample() {}

  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  record Row(byte[] key, byte[] value) {}

  /**
   * Returns how records were chosen: in the order of a hash, the first ones are as good as drawn.
   */
  static String choice(VersionRows rows) {
    return rows.manifest().order() == RecordOrder.KEY
        ? "the first of partitions"
        : "drawn by their hash";
  }

  /**
   * Returns the first records of partitions spread over the version.
   *
   * @throws Problem if the version stores no keys
   */
  static List<Row> of(SnapshotReader reader, int count) throws IOException {
    List<Row> records = new ArrayList<>();
    int partitions = reader.partitionCount();
    int each = Math.max(10, (count + partitions - 1) / partitions);
    int step = Math.max(1, (int) ((long) partitions * each / count));
    for (int first = 0; first < step && records.size() < count; first++) {
      for (int i = first; i < partitions && records.size() < count; i += step) {
        int end = Math.min(count, records.size() + each);
        try (RecordCursor cursor = reader.scan(i)) {
          while (records.size() < end && cursor.next()) {
            records.add(new Row(cursor.key(), cursor.value()));
          }
        } catch (UnsupportedOperationException e) {
          throw new Problem(Problem.Kind.NO_KEYS, "the table is approximate: it stores no keys");
        }
      }
    }
    return records;
  }
}
