package io.bsdb.flink;

import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.row.Row;
import io.bsdb.row.RowCodec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Reads tables without a query, which is faster. */
final class Stored {
  private Stored() {}

  static List<Row> rows(Path table) throws IOException {
    List<Row> rows = new ArrayList<>();
    try (SnapshotReader reader = SnapshotReader.open(table);
        RecordCursor cursor = reader.scan()) {
      RowCodec codec = RowCodec.of(Objects.requireNonNull(reader.manifest().schema()));
      while (cursor.next()) {
        rows.add(codec.decode(cursor.key(), cursor.value()));
      }
    }
    return rows;
  }
}
