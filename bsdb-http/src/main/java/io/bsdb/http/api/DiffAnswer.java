package io.bsdb.http.api;

import com.fasterxml.jackson.core.JsonGenerator;
import io.bsdb.http.exchange.Address;
import io.bsdb.http.exchange.Exchange;
import io.bsdb.http.exchange.MediaType;
import io.bsdb.http.exchange.Problem;
import io.bsdb.http.table.Comparisons;
import io.bsdb.http.table.Held;
import io.bsdb.http.table.ServedTable;
import io.bsdb.http.table.Service;
import io.bsdb.http.table.VersionRows;
import io.bsdb.reader.diff.SnapshotDiff;
import io.bsdb.reader.diff.SnapshotDiff.Difference;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Answers with the rows that differ between two versions. */
public final class DiffAnswer {
  private static final int MAX_DIFFERENCES = 10_000;

  private final Service service;
  private final Comparisons comparisons;

  public DiffAnswer(Service service, Comparisons comparisons) {
    this.service = service;
    this.comparisons = comparisons;
  }

  void answer(Exchange exchange, ServedTable table) throws IOException {
    Address address = exchange.address();
    address.allow(Set.of("from", "to", "limit", "sample"));
    String from = address.parameter("from");
    String to = address.parameter("to");
    if (from == null) {
      throw new Problem(Problem.Kind.BAD_REQUEST, "parameter 'from' is missing: a version");
    }
    int limit = address.number("limit", 100, MAX_DIFFERENCES);
    double share = share(address.parameter("sample"));
    MediaType type = exchange.negotiate(List.of(MediaType.JSON, MediaType.NDJSON));
    Lines lines;
    boolean complete;
    try (Closeable turn = comparisons.turn();
        Held first = service.hold(table, from);
        Held second = service.hold(table, to);
        SnapshotDiff diff = comparisons.begin(first, second, share)) {
      exchange.access.version = second.version();
      lines = new Lines(exchange, second, type, "differences");
      int found = 0;
      SnapshotDiff.Difference next = diff.next();
      while (next != null && found < limit) {
        found++;
        lines.next();
        write(lines.json(), first.rows(), second.rows(), next);
        next = diff.next();
      }
      lines.note("from", first.version());
      lines.note("to", second.version());
      lines.note("compared", diff.compared());
      complete = next == null && !diff.isStopped();
    }
    lines.answer(complete);
  }

  private static double share(@Nullable String text) {
    if (text == null) {
      return 1;
    }
    boolean isNumber = text.matches("[0-9]*\\.?[0-9]+(?:[eE][+-]?[0-9]{1,3})?");
    double share = isNumber ? Double.parseDouble(text) : 0;
    if (share > 0 && share <= 1) {
      return share;
    }
    throw new Problem(
        Problem.Kind.BAD_REQUEST,
        "parameter 'sample' is '%s': expected a number above 0, at most 1",
        text);
  }

  private static void write(
      JsonGenerator json, VersionRows first, VersionRows second, Difference row)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("change", row.kind().name().toLowerCase(Locale.ROOT));
    json.writeFieldName("key");
    second.writeKey(json, row.key());
    if (row.before() != null) {
      json.writeFieldName("before");
      VersionRows.writeRow(json, first.storedWriter(), row.key(), row.before());
    }
    if (row.after() != null) {
      json.writeFieldName("after");
      VersionRows.writeRow(json, second.storedWriter(), row.key(), row.after());
    }
    json.writeEndObject();
  }
}
