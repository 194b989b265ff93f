package io.bsdb.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.csv.CsvFactory;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Comma-separated values: a header line, then a row per line, unless a field in quotes spans
 * several. Empty lines are passed over.
 */
final class CsvSource implements RowSource {
  private final CsvSchema layout;

  CsvSource(char delimiter) {
    layout = CsvSchema.emptySchema().withColumnSeparator(delimiter);
  }

  @Override
  public boolean isTyped() {
    return false;
  }

  @Override
  public void read(InputStream in, String name, Sink sink) throws IOException {
    CsvFactory factory =
        CsvFactory.builder()
            .streamReadConstraints(CONSTRAINTS)
            .enable(CsvParser.Feature.WRAP_AS_ARRAY)
            // Tells an empty line from a quoted empty field. SKIP_EMPTY_LINES would also drop the
            // spaces that a line begins with.
            .enable(CsvParser.Feature.EMPTY_UNQUOTED_STRING_AS_NULL)
            .build();
    Rows rows = new Rows(name, sink);
    try (CsvParser parser = factory.createParser(new Utf8Reader(in, name))) {
      parser.setSchema(layout);
      rows.read(parser);
    } catch (JsonProcessingException e) {
      throw CommandFailure.refused(
          "%s:%d: not CSV from here on: %s".formatted(name, rows.line, firstLine(e.getMessage())));
    }
  }

  private static String firstLine(@Nullable String message) {
    return String.valueOf(message).lines().findFirst().orElse("");
  }

  /** The rows of one input. */
  private static final class Rows {
    private final String name;
    private final Sink sink;
    private final List<String> header = new ArrayList<>();
    private final List<String> row = new ArrayList<>();
    private final Map<String, JsonNode> fields = new LinkedHashMap<>();
    private boolean written; // whether the last field has text or quotes
    private long line = 1; // where the row begins, or what is not CSV

    Rows(String name, Sink sink) {
      this.name = name;
      this.sink = sink;
    }

    void read(CsvParser parser) throws IOException {
      try {
        for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
          take(token, parser);
        }
      } catch (JsonProcessingException e) {
        // Its own line is where the parser gave up, which may be the end of the file.
        line = parser.currentTokenLocation().getLineNr();
        throw e;
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

    private void end() throws IOException {
      if (header.isEmpty()) {
        header.addAll(checkedHeader(row, name));
      } else {
        hand();
      }
    }

    private void hand() throws IOException {
      if (row.size() != header.size()) {
        sink.refuse(line, "%d fields, the header has %d".formatted(row.size(), header.size()));
        return;
      }
      fields.clear();
      for (int i = 0; i < row.size(); i++) {
        fields.put(header.get(i), TextNode.valueOf(row.get(i)));
      }
      sink.row(fields, line);
    }
  }

  private static List<String> checkedHeader(List<String> names, String name) {
    if (new HashSet<>(names).size() < names.size()) {
      throw CommandFailure.refused(
          "%s:1: the header names a column twice: %s".formatted(name, names));
    }
    return names;
  }
}
