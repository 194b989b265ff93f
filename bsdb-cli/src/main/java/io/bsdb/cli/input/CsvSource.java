package io.bsdb.cli.input;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.csv.CsvFactory;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.row.text.ValueParser;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Comma-separated values: a header line, if there is one, then a row per line, unless a field in
 * quotes spans several. Empty lines are passed over.
 */
public final class CsvSource extends TextRows {
  private static final CsvFactory FACTORY =
      CsvFactory.builder()
          .streamReadConstraints(ValueParser.JSON.streamReadConstraints())
          .enable(CsvParser.Feature.WRAP_AS_ARRAY)
          // Tells an empty line from a quoted empty field. SKIP_EMPTY_LINES would also drop the
          // spaces that a line begins with.
          .enable(CsvParser.Feature.EMPTY_UNQUOTED_STRING_AS_NULL)
          .build();

  private final CsvSchema layout;
  private final boolean hasHeader;

  private CsvSource(char delimiter, boolean hasHeader) {
    this.layout = CsvSchema.emptySchema().withColumnSeparator(delimiter);
    this.hasHeader = hasHeader;
  }

  /** Returns the source of files whose first line names the columns. */
  public static CsvSource withHeader(char delimiter) {
    return new CsvSource(delimiter, true);
  }

  /** Returns the source of files with the columns asked for, in order; c1, c2, … by default. */
  public static CsvSource withoutHeader(char delimiter) {
    return new CsvSource(delimiter, false);
  }

  @Override
  public boolean hasNames() {
    return hasHeader;
  }

  @Override
  void read(InputStream in, String name, List<String> columns, Fields fields) throws IOException {
    Rows rows = new Rows(name, columns, fields);
    try (CsvParser parser = FACTORY.createParser(new Utf8Reader(in, name))) {
      parser.setSchema(layout);
      rows.read(parser);
    }
  }

  /** The rows of one input. */
  private final class Rows {
    private final String name;
    private final List<String> columns;
    private final Fields fields;
    private List<String> header = List.of();
    private final List<String> row = new ArrayList<>();
    private boolean written; // whether the last field has text or quotes
    private long line = 1; // where the row begins

    Rows(String name, List<String> columns, Fields fields) {
      this.name = name;
      this.columns = columns;
      this.fields = fields;
    }

    void read(CsvParser parser) throws IOException {
      try {
        for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
          take(token, parser);
        }
      } catch (JsonProcessingException e) {
        // Its own line is where the parser gave up, which may be the end of the file.
        throw CommandFailure.refused(
            "%s:%d: not CSV from here on: %s"
                .formatted(
                    name,
                    parser.currentTokenLocation().getLineNr(),
                    String.valueOf(e.getMessage()).lines().findFirst().orElse("")));
      }
    }

    private void take(JsonToken token, CsvParser parser) throws IOException {
      if (token == JsonToken.VALUE_STRING || token == JsonToken.VALUE_NULL) {
        if (row.isEmpty()) {
          line = parser.currentTokenLocation().getLineNr();
        }
        written = token == JsonToken.VALUE_STRING;
        row.add(written ? parser.getText() : "");
      } else if (token == JsonToken.END_ARRAY && !row.isEmpty()) {
        if (row.size() > 1 || written) {
          end();
        }
        row.clear();
      }
    }

    private static List<String> numbered(int count) {
      return IntStream.rangeClosed(1, count).mapToObj(i -> "c" + i).toList();
    }

    private void end() throws IOException {
      if (header.isEmpty() && !hasHeader) {
        header = columns.isEmpty() ? numbered(row.size()) : columns;
        fields.header(header);
      } else if (header.isEmpty()) {
        header = List.copyOf(row);
        if (new HashSet<>(header).size() < header.size()) {
          throw CommandFailure.refused(
              "%s:1: the header names a column twice: %s".formatted(name, header));
        }
        fields.header(header);
        return;
      }
      try {
        if (row.size() != header.size()) {
          throw new IllegalArgumentException(
              hasHeader
                  ? "%d fields, the header has %d".formatted(row.size(), header.size())
                  : "%d fields for the columns %s".formatted(row.size(), header));
        }
        for (int i = 0; i < row.size(); i++) {
          fields.field(header.get(i), row.get(i));
        }
      } catch (IllegalArgumentException e) {
        fields.refuse(line, String.valueOf(e.getMessage()));
        return;
      }
      fields.end(line);
    }
  }
}
