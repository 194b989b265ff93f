package io.bsdb.cli;

import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.Schema;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How records lie in the inputs. */
final class FormatArguments {
  /** The formats by name. */
  enum Kind {
    TEXT,
    CSV,
    JSONL
  }

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "text, csv or jsonl. Default: text.")
  private Kind kind = Kind.TEXT;

  @Option(
      names = "--separator",
      paramLabel = "TEXT",
      converter = Separator.Converter.class,
      description =
          "Stands between key and value, or between CSV fields. \\t, \\0 and \\xHH are understood."
              + " Default: one space; a comma in CSV.")
  private @Nullable Separator separator;

  @Option(
      names = "--encoding",
      paramLabel = "ENCODING",
      description =
          "How text keys and values are written: utf8, hex or base64. Default: utf8, which keeps"
              + " bytes as they are.")
  private @Nullable Encoding encoding;

  @Option(
      names = "--key",
      split = ",",
      paramLabel = "COLUMN",
      description = "The key's columns in csv and jsonl, in key order, with commas between.")
  private List<String> key = List.of();

  @Option(
      names = "--schema",
      paramLabel = "COLUMNS",
      description =
          "The columns to keep in csv and jsonl with their SQL types, such as"
              + " 'id BIGINT, name STRING'. Default: all, with types inferred from the first 10,000"
              + " rows.")
  private @Nullable String schema;

  /**
   * The format.
   *
   * @param inputs of which the first tells the schema if the user does not
   * @param badLines of the build, which comes later
   */
  RecordFormat create(Inputs inputs, BadLines badLines, Console console) throws IOException {
    if (kind == Kind.TEXT) {
      if (!key.isEmpty() || schema != null) {
        throw CommandFailure.usage("--key and --schema are for --format csv and jsonl");
      }
      Separator chosen = separator == null ? Separator.of(" ") : separator;
      return new TextFormat(chosen.bytes(), encoding == null ? Encoding.UTF8 : encoding);
    }
    if (encoding != null) {
      throw CommandFailure.usage("--encoding is for --format text");
    }
    if (key.isEmpty()) {
      throw CommandFailure.usage("--format csv and jsonl need --key: which columns are the key?");
    }
    RowSource source = source();
    if (schema != null) {
      return new RowFormat(source, TableSchema.given(columns(schema), key));
    }
    TableSchema inferred = TableSchema.inferred(inputs, source, key, badLines.beforehand());
    console.say("schema, inferred from the first rows: %s", inferred.schema());
    return new RowFormat(source, inferred);
  }

  private RowSource source() {
    if (kind == Kind.CSV) {
      return new CsvSource(delimiter());
    }
    if (separator != null) {
      throw CommandFailure.usage("--separator is for --format text and csv");
    }
    return new JsonLinesSource();
  }

  private char delimiter() {
    byte[] bytes = separator == null ? new byte[] {','} : separator.bytes();
    if (bytes.length != 1 || bytes[0] < 0) {
      throw CommandFailure.usage("CSV fields are separated by one ASCII character");
    }
    return (char) bytes[0];
  }

  private static List<Column> columns(String text) {
    try {
      return ColumnType.parse("ROW<" + text + ">").fields();
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage("--schema '%s': %s".formatted(text, e.getMessage()));
    }
  }

  /** A schema of these columns, or an error for the user. */
  static Schema schema(List<Column> columns, List<String> key) {
    try {
      return Schema.of(columns, key);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(e.getMessage() + "; --key names columns of " + columns);
    }
  }
}
