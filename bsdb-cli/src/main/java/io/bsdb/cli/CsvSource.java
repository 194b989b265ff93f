package io.bsdb.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.csv.CsvFactory;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import java.io.CharConversionException;
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
 * several.
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
            .enable(CsvParser.Feature.WRAP_AS_ARRAY)
            .enable(CsvParser.Feature.SKIP_EMPTY_LINES)
            .build();
    try (CsvParser parser = factory.createParser(in)) {
      parser.setSchema(layout);
      rows(parser, name, sink);
    } catch (JsonProcessingException | CharConversionException e) {
      long line = e instanceof JsonProcessingException json ? line(json) : 0;
      throw CommandFailure.refused(
          "%s:%s not CSV in UTF-8: %s"
              .formatted(name, line > 0 ? line + ":" : "", firstLine(e.getMessage())));
    }
  }

  private static long line(JsonProcessingException e) {
    return e.getLocation() == null ? 0 : e.getLocation().getLineNr();
  }

  private static String firstLine(@Nullable String message) {
    return String.valueOf(message).lines().findFirst().orElse("");
  }

  private static void rows(CsvParser parser, String name, Sink sink) throws IOException {
    List<String> header = new ArrayList<>();
    List<String> row = new ArrayList<>();
    Map<String, JsonNode> fields = new LinkedHashMap<>();
    long line = 0;
    for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
      if (token == JsonToken.VALUE_STRING) {
        if (row.isEmpty()) {
          line = parser.currentTokenLocation().getLineNr();
        }
        row.add(parser.getText());
      } else if (token == JsonToken.END_ARRAY && !row.isEmpty()) {
        if (header.isEmpty()) {
          header.addAll(checkedHeader(row, name));
        } else if (row.size() == header.size()) {
          fields.clear();
          for (int i = 0; i < row.size(); i++) {
            fields.put(header.get(i), TextNode.valueOf(row.get(i)));
          }
          sink.row(fields, line);
        } else {
          sink.refuse(line, "%d fields, the header has %d".formatted(row.size(), header.size()));
        }
        row.clear();
      }
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
