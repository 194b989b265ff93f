package io.bsdb.cli;

import io.bsdb.format.Manifest;
import io.bsdb.format.row.RowCodec;
import io.bsdb.format.row.Schema;
import io.bsdb.reader.RecordCursor;
import java.io.IOException;

/** What one record must satisfy beside its checksum. */
@FunctionalInterface
interface RecordCheck {
  /** Checks the cursor's current record. */
  void record(RecordCursor cursor) throws IOException;

  /** Rows must fit the schema; plain bytes need only be readable. */
  static RecordCheck of(Manifest manifest) {
    boolean keysStored = !"omitted".equals(manifest.options().get("keys"));
    Schema schema = manifest.schema();
    if (schema == null || !keysStored) {
      return cursor -> cursor.value();
    }
    RowCodec codec = RowCodec.of(schema);
    return cursor -> codec.verify(cursor.key(), cursor.value());
  }
}
