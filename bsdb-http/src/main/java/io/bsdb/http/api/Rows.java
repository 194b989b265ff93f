package io.bsdb.http.api;

import com.fasterxml.jackson.core.JsonGenerator;
import io.bsdb.format.io.IOConsumer;
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
import io.bsdb.row.Column;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Answers with one row: that of a key, or the one nearest to it. */
final class Rows extends Reading<Optional<KeyValue>> {
  private static final List<MediaType> OF_KEY =
      List.of(MediaType.JSON, MediaType.NDJSON, MediaType.BYTES);
  private static final List<MediaType> NEAR_KEY = List.of(MediaType.JSON, MediaType.NDJSON);
  private static final String STRICT = "strict";
  private static final Set<String> BY_PATH = Set.of("encoding", "columns", "numbers");

  private final byte[] key;
  private final @Nullable Nearest nearest;
  private final @Nullable RowJsonWriter writer;
  private @Nullable ByteBuffer found;

  private Rows(
      Exchange exchange,
      Held held,
      MediaType type,
      byte[] key,
      @Nullable Nearest nearest,
      @Nullable RowJsonWriter writer) {
    super(exchange, held, type);
    this.key = key;
    this.nearest = nearest;
    this.writer = writer;
    exchange.access.keys = 1;
    exchange.access.key = key;
  }

  /**
   * Answers with a row.
   *
   * @param held released when the answer needs it no more
   * @param nearest which one; null for that of the key itself
   * @param keyText from the path; null if the query has the key
   */
  static void get(
      Exchange exchange,
      ServedTable table,
      Held held,
      @Nullable Nearest nearest,
      @Nullable String keyText)
      throws IOException {
    answer(
        exchange,
        table,
        held,
        nearest == null ? OF_KEY : NEAR_KEY,
        type -> of(exchange, held, type, nearest, keyText));
  }

  private static Rows of(
      Exchange exchange,
      Held held,
      MediaType type,
      @Nullable Nearest nearest,
      @Nullable String keyText) {
    Address address = exchange.address();
    address.allow(keyText != null ? BY_PATH : byQuery(held.rows().schema(), nearest));
    if (nearest != null) {
      held.rows().require(nearest);
    }
    RowJsonWriter writer = held.rows().writer(address);
    requireWhole(type, address.parameter("columns"));
    byte[] key =
        keyText != null
            ? held.rows().key(keyText, address.parameter("encoding"))
            : held.rows().key(address);
    if (nearest != null) {
      held.rows().requireColumns(key);
    }
    if (nearest == Nearest.FLOOR && !held.rows().isKeyColumn(STRICT) && address.flag(STRICT)) {
      held.rows().requireKept(key);
    }
    return new Rows(exchange, held, type, key, nearest, writer);
  }

  /** Refuses to choose columns of what is not taken apart. */
  static void requireWhole(MediaType type, @Nullable Object columns) {
    if (type == MediaType.BYTES && columns != null) {
      throw new Problem(
          Problem.Kind.BAD_REQUEST, "columns are for JSON: as bytes, a value is whole");
    }
  }

  /** Returns the parameters of a lookup whose key is in the query. */
  private static Set<String> byQuery(@Nullable Schema schema, @Nullable Nearest nearest) {
    Set<String> names = new HashSet<>(BY_PATH);
    names.add("key");
    if (nearest == Nearest.FLOOR) {
      names.add(STRICT);
    }
    if (schema != null) {
      schema.keyColumns().stream().map(Column::name).forEach(names::add);
    }
    return names;
  }

  @Override
  Optional<KeyValue> read() throws IOException {
    RowJsonWriter rows = writer;
    if (nearest == null && rows != null && type != MediaType.BYTES) {
      found =
          held.reader()
              .get(
                  key,
                  (index, bytes, offset, length) ->
                      json(out -> rows.writeRow(out, key, bytes, offset, length)));
      return Optional.empty();
    }
    return Optional.ofNullable(
        nearest == null
            ? held.reader().get(key, RecordReader.COPY.of(key))
            : nearest.find(held.reader(), key));
  }

  @Override
  CompletableFuture<Optional<KeyValue>> begin() {
    return (nearest == null
            ? held.reader().async().get(key, RecordReader.COPY.of(key))
            : nearest.begin(held.reader(), key))
        .thenApply(Optional::ofNullable);
  }

  @Override
  boolean take(Optional<KeyValue> row) throws IOException {
    if (row.isPresent()) {
      found = answer(row.get());
    }
    return false;
  }

  private ByteBuffer answer(KeyValue row) throws IOException {
    if (type == MediaType.BYTES) {
      exchange.newAnswer().require(row.value().length);
      exchange.share().add(row.value().length);
      return ByteBuffer.wrap(row.value());
    }
    return json(
        out -> {
          if (nearest == null) {
            VersionRows.writeRow(out, writer, row.key(), row.value());
          } else {
            VersionRows.writeRecord(out, writer, row.key(), row.value());
          }
        });
  }

  private ByteBuffer json(IOConsumer<JsonGenerator> row) throws IOException {
    Answer body = exchange.newAnswer();
    try (JsonGenerator json = Exchange.JSON.createGenerator(body)) {
      row.accept(json);
    }
    if (type == MediaType.NDJSON) {
      body.write('\n');
    }
    return body.toByteBuffer();
  }

  @Override
  void end() {
    ByteBuffer body = found;
    if (body == null) {
      exchange.header(held.rows().versionField());
      throw new Problem(
          Problem.Kind.ABSENT,
          "version %s %s",
          held.version(),
          nearest == null ? "does not have the key" : "has no such key");
    }
    exchange.access.found = 1;
    exchange.answer(held.entity(type), type, body);
  }
}
