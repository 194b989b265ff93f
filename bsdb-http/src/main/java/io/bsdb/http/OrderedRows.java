package io.bsdb.http;

import io.bsdb.reader.KeyRange;
import io.bsdb.reader.KeyValue;
import io.bsdb.row.text.RowJsonWriter;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Answers with the rows of a range of keys. */
final class OrderedRows extends Reading<List<KeyValue>> {
  private static final List<MediaType> OFFERED = List.of(MediaType.JSON, MediaType.NDJSON);
  private static final Set<String> BOUNDS =
      Set.of("prefix", "from", "to", "reverse", "limit", "start");
  private static final Set<String> PARAMETERS =
      Stream.concat(BOUNDS.stream(), Stream.of("encoding", "columns", "numbers"))
          .collect(Collectors.toUnmodifiableSet());
  private static final int LIMIT = 100;

  private final Range range;
  private final Lines lines;
  private final @Nullable RowJsonWriter writer;

  /** What has not been read. */
  private KeyRange rest;

  private int count;
  private byte @Nullable [] next;

  private OrderedRows(
      Exchange exchange, Held held, MediaType type, Range range, @Nullable RowJsonWriter writer)
      throws IOException {
    super(exchange, held, type);
    this.range = range;
    this.rest = range.keys();
    this.writer = writer;
    this.lines = new Lines(exchange, held, type, "rows");
  }

  /**
   * A range that a request asks for.
   *
   * @param limit of rows, at least 1
   */
  record Range(KeyRange keys, boolean reversed, int limit) {
    /** Reads a request's parameters; those that are missing are no bounds. */
    static Range of(Address address, VersionRows rows, int most) {
      String prefix = address.parameter("prefix");
      String from = address.parameter("from");
      String to = address.parameter("to");
      if (prefix != null && (from != null || to != null)) {
        throw new Problem(
            Problem.Kind.BAD_REQUEST, "prefix= is a range of its own: leave from= and to= out");
      }
      String encoding = address.parameter("encoding");
      KeyRange keys =
          prefix == null ? KeyRange.all() : KeyRange.prefix(rows.prefix(prefix, encoding));
      if (from != null) {
        keys = keys.from(rows.prefix(from, encoding));
      }
      if (to != null) {
        keys = keys.before(rows.prefix(to, encoding));
      }
      boolean reversed = reversed(address.parameter("reverse"));
      String start = address.parameter("start");
      if (start != null && !start.isEmpty()) { // an empty one is the start of the range
        byte[] key = VersionRows.parse(() -> Base64.getUrlDecoder().decode(start));
        keys = reversed ? keys.through(key) : keys.from(key);
      }
      return new Range(
          reversed ? keys.reversed() : keys,
          reversed,
          address.number("limit", Math.min(LIMIT, most), most));
    }

    private static boolean reversed(@Nullable String text) {
      if (text == null || text.equals("true") || text.equals("false")) {
        return "true".equals(text);
      }
      throw new Problem(
          Problem.Kind.BAD_REQUEST, "reverse is '%s': expected true or false".formatted(text));
    }

    /** Returns the text of a key with which the next answer begins. */
    static String start(byte[] key) {
      return Base64.getUrlEncoder().withoutPadding().encodeToString(key);
    }
  }

  /** Whether a request for rows without a key asks for a range of them. */
  static boolean isRange(Address address, VersionRows rows) {
    return BOUNDS.stream()
        .anyMatch(name -> address.parameter(name) != null && !rows.isKeyColumn(name));
  }

  /**
   * Answers with the rows of a range.
   *
   * @param held released when the answer needs it no more
   */
  static void range(Exchange exchange, ServedTable table, Held held) throws IOException {
    answer(
        exchange,
        table,
        held,
        OFFERED,
        new Question() {
          @Override
          public Set<String> parameters(VersionRows rows) {
            return PARAMETERS;
          }

          @Override
          public Reading<?> read(Exchange exchange, Held held, MediaType type) throws IOException {
            held.rows().requireOrder();
            Address address = exchange.address();
            RowJsonWriter writer =
                held.rows().writer(address.parameter("columns"), address.parameter("numbers"));
            Range range = Range.of(address, held.rows(), exchange.limits().keys());
            return new OrderedRows(exchange, held, type, range, writer);
          }
        });
  }

  @Override
  CompletableFuture<List<KeyValue>> begin() {
    return held.reader().async().ordered().range(rest, range.limit() + 1 - count, PORTION);
  }

  @Override
  boolean take(List<KeyValue> rows) throws IOException {
    long bytes = 0;
    for (KeyValue row : rows) {
      if (count == range.limit()) {
        next = row.key();
        return false;
      }
      lines.next();
      VersionRows.writeRecord(lines.json(), writer, row.key(), row.value());
      count++;
      bytes += row.key().length + row.value().length;
      rest = range.reversed() ? rest.before(row.key()) : rest.after(row.key());
    }
    return bytes >= PORTION;
  }

  @Override
  void end() throws IOException {
    exchange.access.keys = count;
    exchange.access.found = count;
    byte[] start = next;
    if (start != null) {
      lines.note("next", Range.start(start));
    }
    exchange.answer(held, held.rows().tagField(type), type, lines.end(start == null));
  }
}
