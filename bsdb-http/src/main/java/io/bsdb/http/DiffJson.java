package io.bsdb.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.bsdb.reader.SnapshotDiff.Difference;
import java.io.IOException;
import java.util.Locale;

/** The JSON of a row that differs between two versions. */
final class DiffJson {
  private DiffJson() {}

  static void write(JsonGenerator json, VersionRows first, VersionRows second, Difference row)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("change", row.kind().name().toLowerCase(Locale.ROOT));
    json.writeFieldName("key");
    second.writeKey(json, row.key());
    if (row.before() != null) {
      json.writeFieldName("before");
      VersionRows.writeRow(json, first.writer(null, null), row.key(), row.before());
    }
    if (row.after() != null) {
      json.writeFieldName("after");
      VersionRows.writeRow(json, second.writer(null, null), row.key(), row.after());
    }
    json.writeEndObject();
  }
}
