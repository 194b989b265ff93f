package io.bsdb.sql;

import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Collects rows as JSON, and refusals as their row and reason. */
final class JsonRows implements RecordSink {
  private final RowJsonWriter json;
  private final List<String> rows = new ArrayList<>();

  JsonRows(Schema schema) {
    this.json = RowJsonWriter.of(schema);
  }

  List<String> rows() {
    return rows;
  }

  @Override
  public void add(byte[] bytes, int keyOffset, int keyLength, int valueLength, long row) {
    int valueOffset = keyOffset + keyLength;
    rows.add(
        json.row(
            Arrays.copyOfRange(bytes, keyOffset, valueOffset),
            Arrays.copyOfRange(bytes, valueOffset, valueOffset + valueLength)));
  }

  @Override
  public void refuse(long row, String reason) {
    rows.add(row + ": " + reason);
  }
}
