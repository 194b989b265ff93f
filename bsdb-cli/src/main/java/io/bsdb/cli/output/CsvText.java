package io.bsdb.cli.output;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.Schema;
import io.bsdb.row.text.ValueParser;
import java.io.IOException;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Rows as fields of text: NULL is empty, nested values are JSON, bytes Base64. */
public final class CsvText {
  private static final Pattern TO_QUOTE = Pattern.compile("[\",\r\n]|^\\s|\\s$");

  /** Takes JSON as it is written. */
  private static final Column TEXT = new Column("text", ColumnType.string());

  private CsvText() {}

  /** Returns the names of the columns. */
  static String header(Schema schema) {
    return schema.columns().stream()
        .map(Column::name)
        .map(CsvText::quoted)
        .collect(Collectors.joining(","));
  }

  /**
   * Returns a row as a line.
   *
   * @param json an object with all columns in order
   */
  public static String line(byte[] json) throws IOException {
    StringJoiner line = new StringJoiner(",");
    try (JsonParser in = ValueParser.JSON.createParser(json)) {
      in.nextToken();
      while (in.nextToken() == JsonToken.FIELD_NAME) {
        JsonToken value = in.nextToken();
        if (value == JsonToken.VALUE_NULL) {
          line.add("");
        } else {
          line.add(quoted(value.isScalarValue() ? in.getText() : nested(in)));
        }
      }
    }
    return line.toString();
  }

  private static String nested(JsonParser in) throws IOException {
    try {
      return String.valueOf(ValueParser.read(TEXT, in));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.refused(e.getMessage() + "; take --format json");
    }
  }

  /** An empty text is quoted, other than NULL. */
  private static String quoted(String field) {
    return field.isEmpty() || TO_QUOTE.matcher(field).find()
        ? '"' + field.replace("\"", "\"\"") + '"'
        : field;
  }
}
