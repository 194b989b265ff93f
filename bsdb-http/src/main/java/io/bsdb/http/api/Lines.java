package io.bsdb.http.api;

import com.fasterxml.jackson.core.JsonGenerator;
import io.bsdb.http.exchange.Answer;
import io.bsdb.http.exchange.Exchange;
import io.bsdb.http.exchange.MediaType;
import io.bsdb.http.table.Held;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/** A list in an answer: a member of a JSON object, or a line each and one at the end. */
final class Lines {
  private final Exchange exchange;
  private final Held held;
  private final MediaType type;
  private final Answer body;
  private final JsonGenerator json;
  private final Map<String, Object> notes = new LinkedHashMap<>();
  private boolean first = true;

  Lines(Exchange exchange, Held held, MediaType type, String name) throws IOException {
    this.exchange = exchange;
    this.held = held;
    this.type = type;
    this.body = exchange.newAnswer();
    this.json = Exchange.JSON.createGenerator(body);
    json.setCodec(Exchange.MAPPER);
    json.setRootValueSeparator(null);
    if (type == MediaType.JSON) {
      json.writeStartObject();
      json.writeArrayFieldStart(name);
    }
  }

  /** Takes the next entry. */
  JsonGenerator json() {
    return json;
  }

  /** Begins an entry. */
  void next() throws IOException {
    if (type == MediaType.NDJSON && !first) {
      json.writeRaw('\n');
    }
    first = false;
  }

  /** Adds a member to the end of the answer. */
  void note(String name, Object value) {
    notes.put(name, value);
  }

  /** Answers with what may be another list next time; otherwise as {@link #end}. */
  void answer(boolean complete) throws IOException {
    exchange.answer(200, type, end(complete));
  }

  /**
   * Ends the list and returns it.
   *
   * @param complete whether there are no more entries
   */
  ByteBuffer end(boolean complete) throws IOException {
    if (type == MediaType.JSON) {
      json.writeEndArray();
    } else {
      next();
      json.writeStartObject();
    }
    json.writeBooleanField("complete", complete);
    json.writeStringField("version", held.version());
    for (Map.Entry<String, Object> note : notes.entrySet()) {
      json.writeObjectField(note.getKey(), note.getValue());
    }
    json.writeEndObject();
    if (type == MediaType.NDJSON) {
      json.writeRaw('\n');
    }
    json.close();
    return body.toByteBuffer();
  }
}
