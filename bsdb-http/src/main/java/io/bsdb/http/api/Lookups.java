package io.bsdb.http.api;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import io.bsdb.format.ValueReader;
import io.bsdb.http.exchange.Address;
import io.bsdb.http.exchange.Answer;
import io.bsdb.http.exchange.Exchange;
import io.bsdb.http.exchange.MediaType;
import io.bsdb.http.exchange.Problem;
import io.bsdb.http.table.Held;
import io.bsdb.http.table.ServedTable;
import io.bsdb.http.table.VersionRows;
import io.bsdb.reader.KeyValue;
import io.bsdb.reader.Nearest;
import io.bsdb.reader.RecordReader;
import io.bsdb.row.text.RowJsonWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/**
 * Answers for many keys at once, all from one version: with the rows of the keys, or with those
 * nearest to them, each beside the key that was asked for.
 */
final class Lookups extends Reading<List<@Nullable KeyValue>> {
  private static final List<MediaType> OFFERED =
      List.of(MediaType.JSON, MediaType.NDJSON, MediaType.BYTES);
  private static final Set<String> PARAMETERS = Set.of("columns", "numbers", "encoding", "match");

  private static final SerializedString FOUND = new SerializedString("found");
  private static final SerializedString ROW = new SerializedString("row");

  /** Keys that are looked up together at most. */
  private static final int TOGETHER = 64;

  private static final int TOGETHER_FROM_DISK = 256;
  private static final int ABSENT = -1;

  /** Bytes of values that a portion has at most, but for the last one, however unequal they are. */
  private static final long MOST = 16 * PORTION;

  /** Stands for a row that is left to another portion. */
  private static final KeyValue LATER = new KeyValue(new byte[0], new byte[0]);

  private final List<byte[]> keys;
  private final @Nullable Nearest nearest;
  private final @Nullable RowJsonWriter writer;
  private final Answer body;
  private final JsonGenerator json;
  private final int together;
  private long longest;
  private int done;
  private int found;

  private Lookups(
      Exchange exchange,
      Held held,
      MediaType type,
      KeyList given,
      int together,
      @Nullable Nearest nearest,
      @Nullable RowJsonWriter writer)
      throws IOException {
    super(exchange, held, type);
    this.keys = given.keys();
    this.nearest = nearest;
    this.writer = writer;
    this.together = together;
    this.longest = held.rows().meanLength();
    this.body = exchange.newAnswer();
    this.json = Exchange.JSON.createGenerator(body);
    json.setRootValueSeparator(null);
    if (type == MediaType.JSON) {
      json.writeStartObject();
      json.writeStringField("version", held.version());
      json.writeArrayFieldStart("rows");
    }
    exchange.access.keys = keys.size();
  }

  /**
   * Answers with the rows of many keys.
   *
   * @param held released when the answer needs it no more
   * @param body of the request
   */
  static void answer(Exchange exchange, ServedTable table, Held held, byte[] body)
      throws IOException {
    int together = table.readsFromDisk() ? TOGETHER_FROM_DISK : TOGETHER;
    answer(exchange, table, held, OFFERED, type -> of(exchange, held, type, body, together));
  }

  private static Lookups of(Exchange exchange, Held held, MediaType type, byte[] body, int together)
      throws IOException {
    Address address = exchange.address();
    address.allow(PARAMETERS);
    KeyList given =
        KeyList.read(
            contentType(exchange),
            body,
            held.rows(),
            address.parameter("encoding"),
            exchange.limits().keys());
    List<String> columns = given.columns();
    RowJsonWriter writer =
        columns == null ? held.rows().writer(address) : held.rows().writer(columns, address);
    Rows.requireWhole(type, columns == null ? address.parameter("columns") : columns);
    String match = given.match() == null ? address.parameter("match") : given.match();
    Nearest nearest = nearest(match);
    if (nearest != null) {
      held.rows().require(nearest);
      given.keys().forEach(held.rows()::requireColumns);
    }
    return new Lookups(exchange, held, type, given, together, nearest, writer);
  }

  /** Returns what a name stands for; null for the rows of the keys themselves. */
  private static @Nullable Nearest nearest(@Nullable String match) {
    return switch (match == null ? "key" : match) {
      case "key" -> null;
      case "floor" -> Nearest.FLOOR;
      case "ceiling" -> Nearest.CEILING;
      case "longest-prefix" -> Nearest.LONGEST_PREFIX;
      default ->
          throw new Problem(
              Problem.Kind.BAD_REQUEST,
              "match is '%s': expected key, floor, ceiling or longest-prefix",
              match);
    };
  }

  private static MediaType contentType(Exchange exchange) {
    String coding = exchange.header(HttpHeader.CONTENT_ENCODING);
    if (coding != null && !coding.equalsIgnoreCase("identity")) {
      throw new Problem(
          Problem.Kind.WRONG_MEDIA_TYPE,
          "Content-Encoding is '%s'; send the body as it is",
          coding);
    }
    String header = exchange.header(HttpHeader.CONTENT_TYPE);
    MediaType type = header == null ? MediaType.JSON : MediaType.of(header);
    if (type == null || !OFFERED.contains(type)) {
      throw new Problem(
          Problem.Kind.WRONG_MEDIA_TYPE,
          "Content-Type is '%s'; there is %s",
          header,
          OFFERED.stream().map(each -> each.name).toList());
    }
    return type;
  }

  @Override
  int lookups() {
    return Math.max(1, Math.min(keys.size(), together));
  }

  /** Returns the next keys: fewer if values are long, as all of them are read at once. */
  private List<byte[]> portion() {
    long fit = Math.max(1, PORTION / Math.max(1, longest));
    return keys.subList(done, done + (int) Math.min(Math.min(fit, together), keys.size() - done));
  }

  @Override
  List<@Nullable KeyValue> read() throws IOException {
    List<byte[]> portion = portion();
    RecordReader<KeyValue> copies = copies();
    if (nearest == null) {
      return held.reader().getAll(portion, of(portion, copies));
    }
    List<@Nullable KeyValue> rows = new ArrayList<>();
    for (byte[] key : portion) {
      exchange.requireTime();
      rows.add(nearest.find(held.reader(), key, copies));
    }
    return rows;
  }

  @Override
  CompletableFuture<List<@Nullable KeyValue>> begin() {
    List<byte[]> portion = portion();
    RecordReader<KeyValue> copies = copies();
    if (nearest == null) {
      return held.reader().async().getAll(portion, of(portion, copies));
    }
    List<CompletableFuture<@Nullable KeyValue>> begun = new ArrayList<>();
    for (byte[] key : portion) {
      begun.add(nearest.begin(held.reader(), key, copies));
    }
    return CompletableFuture.allOf(begun.toArray(CompletableFuture[]::new))
        .thenApply(
            all -> {
              List<@Nullable KeyValue> rows = new ArrayList<>();
              begun.forEach(each -> rows.add(each.join()));
              return rows;
            });
  }

  /** Returns what copies the rows of a portion, until they are too long together. */
  private static RecordReader<KeyValue> copies() {
    AtomicLong sum = new AtomicLong();
    return (key, bytes, offset, length) ->
        sum.getAndAdd(length) < MOST ? RecordReader.COPY.read(key, bytes, offset, length) : LATER;
  }

  private static ValueReader<KeyValue> of(List<byte[]> keys, RecordReader<KeyValue> records) {
    return (index, bytes, offset, length) -> records.read(keys.get(index), bytes, offset, length);
  }

  @Override
  boolean take(List<@Nullable KeyValue> rows) throws IOException {
    for (KeyValue row : rows) {
      longest = Math.max(longest, row == null ? 0 : row.value().length);
    }
    for (KeyValue row : rows) {
      if (row == LATER) { // the next portion is shorter, as some of these rows are so long
        return true;
      }
      byte[] key = keys.get(done);
      done++;
      found += row == null ? 0 : 1;
      if (type == MediaType.BYTES) {
        writeBytes(row);
      } else {
        writeEntry(key, row);
        if (type == MediaType.NDJSON) {
          json.writeRaw('\n');
        }
      }
    }
    return done < keys.size();
  }

  private void writeBytes(@Nullable KeyValue row) {
    if (nearest != null) {
      writeBytes(row == null ? null : row.key());
    }
    writeBytes(row == null ? null : row.value());
  }

  private void writeBytes(byte @Nullable [] bytes) {
    if (bytes == null) {
      body.writeInt(ABSENT);
    } else {
      body.writeInt(bytes.length);
      body.write(bytes, 0, bytes.length);
    }
  }

  private void writeEntry(byte[] key, @Nullable KeyValue row) throws IOException {
    json.writeStartObject();
    if (nearest != null) {
      json.writeFieldName("key");
      if (writer == null) {
        json.writeBinary(key);
      } else {
        writer.writeKey(json, key);
      }
    }
    json.writeFieldName(FOUND);
    json.writeBoolean(row != null);
    if (nearest != null) {
      json.writeFieldName(ROW);
      if (row == null) {
        json.writeNull();
      } else {
        VersionRows.writeRecord(json, writer, row.key(), row.value());
      }
    } else if (row != null && writer != null) {
      json.writeFieldName(ROW);
      writer.writeRow(json, row.key(), row.value());
    } else if (row != null) {
      VersionRows.writeBytes(json, row.value());
    }
    json.writeEndObject();
  }

  @Override
  void end() throws IOException {
    exchange.access.found = found;
    if (type == MediaType.JSON) {
      json.writeEndArray();
      json.writeNumberField("found", found);
      json.writeEndObject();
    } else if (type == MediaType.NDJSON) {
      json.writeStartObject();
      json.writeBooleanField("complete", true);
      json.writeStringField("version", held.version());
      json.writeNumberField("keys", done);
      json.writeNumberField("found", found);
      json.writeEndObject();
      json.writeRaw('\n');
    }
    json.close();
    exchange.answer(held.entity(type), type, body.toByteBuffer());
  }
}
