package io.bsdb.cli;

import io.bsdb.cli.input.BadLines;
import io.bsdb.cli.input.Inputs;
import io.bsdb.cli.input.RecordFormat;
import io.bsdb.cli.input.RowFormat;
import io.bsdb.cli.input.RowSource;
import io.bsdb.cli.input.SqlFormat;
import io.bsdb.cli.input.TextFormat;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.writer.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options on the records that a build makes of its inputs. */
final class RecordArguments {
  @Option(
      names = "--query",
      paramLabel = "SELECT",
      description =
          "Take the rows of a query that DuckDB runs, in this process, such as"
              + " \"SELECT id, name FROM 'x/*.parquet' WHERE active\"; in place of --input. It"
              + " reads files and writes nothing.")
  private @Nullable String query;

  @Option(
      names = "--on-bad-line",
      paramLabel = "POLICY",
      description =
          "What to do with a line that is no record: fail, or skip it. Skipped lines are counted and"
              + " the first ten shown. What is not CSV at all, such as a quote that is not closed,"
              + " always ends the build. Default: fail.")
  private BadLines.Policy onBadLine = BadLines.Policy.FAIL;

  @Option(
      names = "--key",
      split = ",",
      paramLabel = "COLUMN",
      description = "The key's columns, of rows, in key order, with commas between.")
  private List<String> key = List.of();

  @Option(
      names = "--schema",
      paramLabel = "COLUMNS",
      description =
          "The columns to keep in csv and jsonl with their SQL types, such as"
              + " 'id BIGINT, name STRING'. Default: all, with types inferred from the first 10,000"
              + " rows.")
  private @Nullable String schema;

  boolean hasQuery() {
    return query != null;
  }

  List<String> key() {
    return key;
  }

  /** Returns what is to be read. */
  Inputs inputs(InputArguments input, Console console) throws IOException {
    if (query == null) {
      if (!input.hasInputs()) {
        throw CommandFailure.usage("Missing required option: '--input=FILE|DIR|-', or --query");
      }
      return input.inputs(console);
    }
    if (input.isGiven()) {
      throw CommandFailure.usage(
          "--query names its files itself: no --input, --format, --separator, --encoding or --charset");
    }
    return Inputs.ofQuery();
  }

  BadLines badLines(Console console) {
    return new BadLines(onBadLine, console);
  }

  /**
   * Returns the format.
   *
   * @param inputs which tell the columns if the user does not
   * @param badLines of the build, which comes later
   * @param options what the build may use
   */
  RecordFormat format(
      InputArguments input,
      Inputs inputs,
      BadLines badLines,
      WriterOptions options,
      Console console)
      throws IOException {
    if (query != null || input.isParquet()) {
      if (key.isEmpty()) {
        throw CommandFailure.usage("rows need --key: which columns are the key?");
      }
      if (schema != null) {
        throw CommandFailure.usage(
            "--schema is for csv and jsonl; a --query may CAST, and may read Parquet files");
      }
      SqlFormat.Resources resources = resources(options);
      SqlFormat format =
          query == null
              ? SqlFormat.parquet(inputs, key, resources)
              : SqlFormat.query(query, key, resources);
      console.say("schema: %s", format.schema());
      return format;
    }
    if (input.isText()) {
      if (!key.isEmpty() || schema != null) {
        throw CommandFailure.usage("--key and --schema are for --format csv and jsonl");
      }
      return TextFormat.records(input.textSeparator(), input.textEncoding());
    }
    RowSource source = input.rows();
    if (key.isEmpty()) {
      throw CommandFailure.usage("--format csv and jsonl need --key: which columns are the key?");
    }
    if (schema != null) {
      return RowFormat.records(source, columns(schema), key);
    }
    RowFormat format =
        RowFormat.records(source, source.columns(inputs, badLines.beforehand()), key);
    console.say("schema, inferred from the first rows: %s", format.schema());
    return format;
  }

  /** While the inputs are read, the build itself needs an eighth of its memory. */
  private static SqlFormat.Resources resources(WriterOptions options) {
    Path temporary = options.temporaryDirectory();
    return new SqlFormat.Resources(
        options.memoryBytes() * 3 / 4,
        options.threads(),
        temporary == null ? Path.of(System.getProperty("java.io.tmpdir")) : temporary);
  }

  private static List<Column> columns(String text) {
    try {
      return ColumnType.parse("ROW<" + text + ">").fields();
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage("--schema '%s': %s".formatted(text, e.getMessage()));
    }
  }
}
