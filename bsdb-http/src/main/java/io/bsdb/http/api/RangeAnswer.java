package io.bsdb.http.api;

import io.bsdb.http.exchange.Address;
import io.bsdb.http.exchange.Exchange;
import io.bsdb.http.exchange.MediaType;
import io.bsdb.http.table.Held;
import io.bsdb.http.table.RowRange;
import io.bsdb.http.table.ServedTable;
import io.bsdb.http.table.VersionRows;
import io.bsdb.reader.KeyRange;
import io.bsdb.reader.KeyValue;
import io.bsdb.row.text.RowJsonWriter;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Answers with the rows of a range of keys. */
final class RangeAnswer extends Reading<List<KeyValue>> {
  private static final List<MediaType> OFFERED = List.of(MediaType.JSON, MediaType.NDJSON);

  /** Rows of a portion where some are hidden: millions of these may follow one another. */
  private static final int HIDDEN = 1000;

  private static final Set<String> BOUNDS =
      Set.of("prefix", "from", "to", "reverse", "limit", "start");
  private static final Set<String> PARAMETERS =
      Stream.concat(BOUNDS.stream(), Stream.of("encoding", "columns", "numbers"))
          .collect(Collectors.toUnmodifiableSet());

  private final RowRange range;
  private final Lines lines;
  private final @Nullable RowJsonWriter writer;

  /** The part that has not been read. */
  private KeyRange rest;

  /** Rows that were asked for last, and how many of them were hidden. */
  private int asked;

  private int hidden;

  private int count;
  private byte @Nullable [] next;

  private RangeAnswer(
      Exchange exchange, Held held, MediaType type, RowRange range, @Nullable RowJsonWriter writer)
      throws IOException {
    super(exchange, held, type);
    this.range = range;
    this.rest = range.keys();
    this.writer = writer;
    this.lines = new Lines(exchange, held, type, "rows");
  }

  /** Returns whether a request for rows without a key asks for a range of them. */
  static boolean isRange(Address address, VersionRows rows) {
    return BOUNDS.stream()
        .anyMatch(name -> address.parameter(name) != null && !rows.isKeyColumn(name));
  }

  /**
   * Answers with the rows of a range.
   *
   * @param held released when the answer needs it no more
   */
  static void answer(Exchange exchange, ServedTable table, Held held) throws IOException {
    answer(
        exchange,
        table,
        held,
        OFFERED,
        type -> {
          Address address = exchange.address();
          address.allow(PARAMETERS);
          held.rows().requireOrder();
          RowJsonWriter writer = held.rows().writer(address);
          RowRange range = RowRange.of(address, held.rows(), exchange.limits().keys());
          return new RangeAnswer(exchange, held, type, range, writer);
        });
  }

  @Override
  CompletableFuture<List<KeyValue>> begin() {
    int wanted = range.limit() + 1 - count;
    asked = hidden == 0 ? wanted : Math.max(wanted, HIDDEN);
    return held.reader().allVersions().async().ordered().range(rest, asked, PORTION);
  }

  @Override
  boolean take(List<KeyValue> rows) throws IOException {
    long bytes = 0;
    hidden = 0;
    for (KeyValue row : rows) {
      if (held.rows().isHidden(row.value())) {
        hidden++;
      } else if (count == range.limit()) {
        next = row.key();
        return false;
      } else {
        lines.next();
        VersionRows.writeRecord(lines.json(), writer, row.key(), row.value());
        count++;
      }
      bytes += row.key().length + row.value().length;
      rest = range.reversed() ? rest.before(row.key()) : rest.after(row.key());
    }
    return bytes >= PORTION || (hidden > 0 && rows.size() == asked);
  }

  @Override
  void end() throws IOException {
    exchange.access.keys = count;
    exchange.access.found = count;
    byte[] start = next;
    if (start != null) {
      lines.note("next", RowRange.start(start));
    }
    exchange.answer(held.entity(type), type, lines.end(start == null));
  }
}
