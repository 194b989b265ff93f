package io.bsdb.cli;

import io.bsdb.cli.input.BadLines;
import io.bsdb.cli.input.CsvSource;
import io.bsdb.cli.input.Inputs;
import io.bsdb.cli.input.JsonLinesSource;
import io.bsdb.cli.input.RecordFormat;
import io.bsdb.cli.input.RowFormat;
import io.bsdb.cli.input.RowSource;
import io.bsdb.cli.input.Separator;
import io.bsdb.cli.input.TextFormat;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.Encoding;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The inputs of a build, and how records lie in them. */
final class InputArguments {
  /** The formats by name. */
  enum Kind {
    TEXT,
    CSV,
    JSONL
  }

  @Option(
      names = {"-i", "--input"},
      required = true,
      arity = "1..*",
      paramLabel = "FILE|DIR|-",
      description =
          "Files, directories (all regular files in them, by name), quoted patterns, or - for"
              + " standard input. Files that end in .gz, .zst or .zstd are decompressed.")
  private List<String> inputs;

  @Option(
      names = "--on-bad-line",
      paramLabel = "POLICY",
      description =
          "What to do with a line that is no record: fail, or skip it. Skipped lines are counted and"
              + " the first ten shown. What is not CSV at all, such as a quote that is not closed,"
              + " always ends the build. Default: fail.")
  private BadLines.Policy onBadLine = BadLines.Policy.FAIL;

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

  Inputs inputs(Console console) throws IOException {
    return Inputs.of(inputs, console.in());
  }

  BadLines badLines(Console console) {
    return new BadLines(onBadLine, console);
  }

  /**
   * Returns the format.
   *
   * @param inputs which tell the columns if the user does not
   * @param badLines of the build, which comes later
   */
  RecordFormat format(Inputs inputs, BadLines badLines, Console console) throws IOException {
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
      return new RowFormat(source, columns(schema), key);
    }
    RowFormat format = new RowFormat(source, source.columns(inputs, badLines.beforehand()), key);
    console.say("schema, inferred from the first rows: %s", format.schema());
    return format;
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
}
