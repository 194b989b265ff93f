package io.bsdb.cli;

import io.bsdb.cli.input.BadLines;
import io.bsdb.cli.input.Inputs;
import io.bsdb.cli.input.RecordFormat;
import io.bsdb.cli.input.RowFormat;
import io.bsdb.cli.input.RowSource;
import io.bsdb.cli.input.TextFormat;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which records a build makes of its inputs. */
final class RecordArguments {
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

  BadLines badLines(Console console) {
    return new BadLines(onBadLine, console);
  }

  /**
   * Returns the format.
   *
   * @param inputs which tell the columns if the user does not
   * @param badLines of the build, which comes later
   */
  RecordFormat format(InputArguments input, Inputs inputs, BadLines badLines, Console console)
      throws IOException {
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

  private static List<Column> columns(String text) {
    try {
      return ColumnType.parse("ROW<" + text + ">").fields();
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage("--schema '%s': %s".formatted(text, e.getMessage()));
    }
  }
}
