package io.bsdb.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.bsdb.row.text.RowJsonWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/** Answers for many keys at once, all from one version. */
final class Lookups {
  private static final List<MediaType> OFFERED =
      List.of(MediaType.JSON, MediaType.NDJSON, MediaType.BYTES);
  private static final Set<String> PARAMETERS = Set.of("columns", "numbers", "encoding");

  /** Keys that are looked up in memory before the length of the answer is checked. */
  private static final int STEP = 64;

  private static final int ABSENT = -1;

  private final Exchange exchange;
  private final Held held;
  private final MediaType type;
  private final List<byte[]> keys;
  private final @Nullable RowJsonWriter writer;

  private Lookups(
      Exchange exchange,
      Held held,
      MediaType type,
      List<byte[]> keys,
      @Nullable RowJsonWriter writer) {
    this.exchange = exchange;
    this.held = held;
    this.type = type;
    this.keys = keys;
    this.writer = writer;
  }

  /**
   * Answers with the rows of many keys.
   *
   * @param held released when the answer needs it no more
   * @param body of the request
   */
  static void answer(Exchange exchange, ServedTable table, Held held, byte[] body)
      throws IOException {
    try (Rows.Releasing releasing = new Rows.Releasing(held)) {
      MediaType type = exchange.negotiate(OFFERED);
      Address address = exchange.address();
      address.allow(PARAMETERS);
      KeyList given =
          KeyList.read(
              contentType(exchange),
              body,
              held.rows(),
              address.parameter("encoding"),
              exchange.limits().keys());
      String columns =
          given.columns() == null
              ? address.parameter("columns")
              : String.join(",", given.columns());
      RowJsonWriter writer = held.rows().writer(columns, address.parameter("numbers"));
      if (type == MediaType.BYTES && columns != null) {
        throw new Problem(
            Problem.Kind.BAD_REQUEST, "columns are for JSON: as bytes, a value is whole");
      }
      List<byte[]> keys = given.keys();
      exchange.access.version = held.version();
      exchange.access.keys = keys.size();
      Lookups lookups = new Lookups(exchange, held, type, keys, writer);
      if (!table.readsFromDisk()) {
        lookups.answer(lookups.inMemory());
        return;
      }
      Runnable permit = table.reserve(Math.max(1, keys.size()));
      Rows.awaited(
          exchange,
          releasing.handedOver(),
          permit,
          () -> held.reader().async().getAll(keys),
          lookups::answer);
    }
  }

  private static MediaType contentType(Exchange exchange) {
    String header = exchange.header(HttpHeader.CONTENT_TYPE);
    MediaType type = header == null ? MediaType.JSON : MediaType.of(header);
    if (type == null || !OFFERED.contains(type)) {
      throw new Problem(
          Problem.Kind.WRONG_MEDIA_TYPE,
          "Content-Type is '%s'; there is %s"
              .formatted(header, OFFERED.stream().map(each -> each.name).toList()));
    }
    return type;
  }

  private List<byte @Nullable []> inMemory() throws IOException {
    if (keys.size() <= STEP) {
      return held.reader().getAll(keys);
    }
    Answer size = exchange.newAnswer();
    List<byte @Nullable []> values = new ArrayList<>(keys.size());
    long bytes = 0;
    for (int i = 0; i < keys.size(); i += STEP) {
      for (byte[] value : held.reader().getAll(keys.subList(i, Math.min(keys.size(), i + STEP)))) {
        bytes += value == null ? 0 : value.length;
        values.add(value);
      }
      size.require(bytes);
    }
    return values;
  }

  private void answer(List<byte @Nullable []> values) throws IOException {
    Answer body = exchange.newAnswer();
    int found = 0;
    for (byte[] value : values) {
      found += value == null ? 0 : 1;
    }
    exchange.access.found = found;
    switch (type) {
      case BYTES -> writeBytes(body, values);
      case NDJSON -> writeLines(body, values, found);
      default -> writeJson(body, values, found);
    }
    exchange.answer(held, held.rows().tagField(type), type, body.toByteBuffer());
  }

  private static void writeBytes(Answer body, List<byte @Nullable []> values) {
    for (byte[] value : values) {
      if (value == null) {
        body.writeInt(ABSENT);
      } else {
        body.writeInt(value.length);
        body.write(value, 0, value.length);
      }
    }
  }

  private void writeJson(Answer body, List<byte @Nullable []> values, int found)
      throws IOException {
    try (JsonGenerator json = VersionRows.JSON.createGenerator(body)) {
      json.writeStartObject();
      json.writeStringField("version", held.version());
      json.writeNumberField("found", found);
      json.writeArrayFieldStart("rows");
      for (int i = 0; i < values.size(); i++) {
        writeEntry(json, keys.get(i), values.get(i));
      }
      json.writeEndArray();
      json.writeEndObject();
    }
  }

  private void writeLines(Answer body, List<byte @Nullable []> values, int found)
      throws IOException {
    try (JsonGenerator json = VersionRows.JSON.createGenerator(body)) {
      json.setRootValueSeparator(null);
      for (int i = 0; i < values.size(); i++) {
        writeEntry(json, keys.get(i), values.get(i));
        json.writeRaw('\n');
      }
      json.writeStartObject();
      json.writeBooleanField("complete", true);
      json.writeStringField("version", held.version());
      json.writeNumberField("keys", values.size());
      json.writeNumberField("found", found);
      json.writeEndObject();
      json.writeRaw('\n');
    }
  }

  private void writeEntry(JsonGenerator json, byte[] key, byte @Nullable [] value)
      throws IOException {
    json.writeStartObject();
    json.writeBooleanField("found", value != null);
    if (value != null && writer != null) {
      json.writeFieldName("row");
      writer.writeRow(json, key, value);
    } else if (value != null) {
      VersionRows.writeBytes(json, value);
    }
    json.writeEndObject();
  }
}
