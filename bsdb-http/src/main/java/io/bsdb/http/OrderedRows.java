package io.bsdb.http;

import io.bsdb.reader.KeyRange;
import io.bsdb.reader.KeyValue;
import io.bsdb.reader.Nearest;
import io.bsdb.reader.OrderedReader;
import io.bsdb.reader.RecordCursor;
import io.bsdb.row.text.RowJsonWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpField;
import org.jspecify.annotations.Nullable;

/** Answers for rows by the order of their keys: the one nearest to a key, and those of a range. */
final class OrderedRows {
  private static final List<MediaType> OFFERED = List.of(MediaType.JSON, MediaType.NDJSON);
  private static final Set<String> BOUNDS =
      Set.of("prefix", "from", "to", "reverse", "limit", "start");
  private static final Set<String> PARAMETERS =
      Stream.concat(BOUNDS.stream(), Stream.of("encoding", "columns", "numbers"))
          .collect(Collectors.toUnmodifiableSet());
  private static final int LIMIT = 100;

  private OrderedRows() {}

  /** Returns what the last part of an address asks for; null: something else. */
  static @Nullable Nearest rule(String address) {
    return switch (address) {
      case "rows:floor" -> Nearest.FLOOR;
      case "rows:ceiling" -> Nearest.CEILING;
      case "rows:longest-prefix" -> Nearest.LONGEST_PREFIX;
      default -> null;
    };
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
      if (start != null) {
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

    /** Returns the rows, and the one behind them if there is one. */
    List<Sample.Row> read(OrderedReader reader) throws IOException {
      List<Sample.Row> found = new ArrayList<>();
      try (RecordCursor cursor = reader.range(keys)) {
        while (found.size() <= limit && cursor.next()) {
          found.add(new Sample.Row(cursor.key(), cursor.value()));
        }
      }
      return found;
    }

    /** Returns where the next answer begins; null: there is none. */
    @Nullable String next(List<Sample.Row> found) {
      return found.size() <= limit
          ? null
          : Base64.getUrlEncoder().withoutPadding().encodeToString(found.get(limit).key());
    }
  }

  /** Whether a request for rows without a key asks for a range of them. */
  static boolean isRange(Address address, VersionRows rows) {
    return BOUNDS.stream()
        .anyMatch(name -> address.parameter(name) != null && !rows.isKeyColumn(name));
  }

  /**
   * Answers with the row that is nearest to a key.
   *
   * @param held released when the answer needs it no more
   */
  static void nearest(Exchange exchange, ServedTable table, Held held, Nearest nearest)
      throws IOException {
    Address address = exchange.address();
    try (Rows.Releasing releasing = new Rows.Releasing(held)) {
      MediaType type = exchange.negotiate(OFFERED);
      address.allow(Rows.byQuery(held.rows().schema()));
      held.rows().requireOrder();
      RowJsonWriter writer =
          held.rows().writer(address.parameter("columns"), address.parameter("numbers"));
      byte[] key = held.rows().key(address, address.parameter("key"));
      exchange.access.version = held.version();
      exchange.access.keys = 1;
      exchange.access.key = key;
      if (isAnswered(exchange, held, type)) {
        return;
      }
      if (!table.readsFromDisk()) {
        answer(exchange, held, type, writer, nearest.find(held.reader(), key));
        return;
      }
      Runnable permit = table.reserve(1);
      Rows.awaited(
          exchange,
          releasing.handedOver(),
          permit,
          () -> nearest.begin(held.reader(), key),
          found -> answer(exchange, held, type, writer, found));
    }
  }

  private static boolean isAnswered(Exchange exchange, Held held, MediaType type) {
    HttpField tag = held.rows().tagField(type);
    boolean answered = !held.pinned() && exchange.isUnchanged(tag);
    if (answered) {
      exchange.notModified(held, tag);
    }
    return answered;
  }

  private static void answer(
      Exchange exchange,
      Held held,
      MediaType type,
      @Nullable RowJsonWriter writer,
      @Nullable KeyValue found)
      throws IOException {
    if (found == null) {
      exchange.header(held.rows().versionField());
      throw new Problem(
          Problem.Kind.ABSENT, "version %s has no such key".formatted(held.version()));
    }
    exchange.access.found = 1;
    Answer body = exchange.newAnswer();
    try (var json = VersionRows.JSON.createGenerator(body)) {
      VersionRows.writeRecord(json, writer, found.key(), found.value());
    }
    if (type == MediaType.NDJSON) {
      body.write('\n');
    }
    exchange.answer(held, held.rows().tagField(type), type, body.toByteBuffer());
  }

  /**
   * Answers with the rows of a range.
   *
   * @param held released when the answer needs it no more
   */
  static void range(Exchange exchange, ServedTable table, Held held) throws IOException {
    Address address = exchange.address();
    try (Rows.Releasing releasing = new Rows.Releasing(held)) {
      MediaType type = exchange.negotiate(OFFERED);
      address.allow(PARAMETERS);
      held.rows().requireOrder();
      RowJsonWriter writer =
          held.rows().writer(address.parameter("columns"), address.parameter("numbers"));
      Range range = Range.of(address, held.rows(), exchange.limits().keys());
      exchange.access.version = held.version();
      if (isAnswered(exchange, held, type)) {
        return;
      }
      if (!table.readsFromDisk()) {
        answer(exchange, held, type, writer, range, range.read(held.reader().ordered()));
        return;
      }
      Runnable permit = table.reserve(1);
      Rows.awaited(
          exchange,
          releasing.handedOver(),
          permit,
          () -> held.reader().async().ordered().range(range.keys(), range.limit() + 1),
          found ->
              answer(
                  exchange,
                  held,
                  type,
                  writer,
                  range,
                  found.stream().map(each -> new Sample.Row(each.key(), each.value())).toList()));
    }
  }

  private static void answer(
      Exchange exchange,
      Held held,
      MediaType type,
      @Nullable RowJsonWriter writer,
      Range range,
      List<Sample.Row> found)
      throws IOException {
    Lines lines = new Lines(exchange, held, type, "rows");
    int count = Math.min(found.size(), range.limit());
    for (Sample.Row row : found.subList(0, count)) {
      lines.next();
      VersionRows.writeRecord(lines.json(), writer, row.key(), row.value());
    }
    exchange.access.keys = count;
    exchange.access.found = count;
    String next = range.next(found);
    if (next != null) {
      lines.note("next", next);
    }
    exchange.answer(held, held.rows().tagField(type), type, lines.end(next == null));
  }
}
