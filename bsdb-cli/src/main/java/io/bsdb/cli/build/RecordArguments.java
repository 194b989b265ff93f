package io.bsdb.cli.build;

import io.bsdb.cli.input.BadLines;
import io.bsdb.cli.input.InputArguments;
import io.bsdb.cli.input.Inputs;
import io.bsdb.cli.input.JdbcFormat;
import io.bsdb.cli.input.RecordFormat;
import io.bsdb.cli.input.RowFormat;
import io.bsdb.cli.input.RowSource;
import io.bsdb.cli.input.RowSource.Sampling;
import io.bsdb.cli.input.SqlFormat;
import io.bsdb.cli.input.TextFormat;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.TextFile;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
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
      names = "--jdbc",
      paramLabel = "URL",
      description =
          "Let the database at this address run the --query, not DuckDB. The jar of its JDBC driver"
              + " is copied into lib/.")
  private @Nullable String jdbc;

  @Option(
      names = "--jdbc-properties",
      paramLabel = "FILE",
      description = "Properties of the connection, such as user and password, as NAME=VALUE lines.")
  private @Nullable Path jdbcProperties;

  @Option(
      names = "--on-bad-line",
      paramLabel = "TREATMENT", // not the label of --duplicates, by which completion finds values
      description =
          "Treatment of a line that is not a record: fail, or skip it. Skipped lines are counted"
              + " and the first ten shown. What is not CSV at all, such as a quote that is not"
              + " closed, always ends the build. Default: fail.")
  private BadLines.Policy onBadLine = BadLines.Policy.FAIL;

  @Option(
      names = "--key",
      split = ",",
      paramLabel = "COLUMN",
      description = "For rows: the columns of the key, in its order, with commas between.")
  private List<String> key = List.of();

  @Option(
      names = "--schema",
      paramLabel = "COLUMNS",
      description =
          "The columns to keep in csv and jsonl with their SQL types, such as"
              + " 'id BIGINT, name STRING'. Default: all, with types inferred from the first 10,000"
              + " rows.")
  private @Nullable String schema;

  @Option(
      names = "--ip",
      split = ",",
      paramLabel = "COLUMN",
      description =
          "Columns that hold IP addresses, with commas between: text or 16 bytes become IP, BIGINT"
              + " becomes IPV4. Both are printed as addresses. --schema has the types themselves.")
  private List<String> addresses = List.of();

  /** Returns whether something is given that a build in Flink has no use for. */
  boolean hasQueryOrAddresses() {
    return query != null || jdbc != null || jdbcProperties != null || !addresses.isEmpty();
  }

  List<String> key() {
    return key;
  }

  /** Returns what is to be read. */
  Inputs inputs(InputArguments input, Console console) throws IOException {
    if (jdbc == null ? jdbcProperties != null : query == null) {
      throw CommandFailure.usage("--jdbc needs --query, and --jdbc-properties needs --jdbc");
    }
    if (query == null) {
      if (!input.hasInputs()) {
        throw CommandFailure.usage("Missing required option: '--input=FILE|DIR|-', or --query");
      }
      return input.inputs(console);
    }
    if (input.isGiven()) {
      throw CommandFailure.usage("--query names its files itself: no --input or options of inputs");
    }
    return Inputs.ofQuery();
  }

  BadLines badLines(Console console) {
    return new BadLines(onBadLine, console);
  }

  /**
   * Returns the format.
   *
   * @param inputs which have the columns if the user does not name them
   * @param badLines of the build, which comes later
   * @param options with the limits of the build
   * @param sampling for columns that are to be inferred
   */
  RecordFormat format(
      InputArguments input,
      Inputs inputs,
      BadLines badLines,
      WriterOptions options,
      Sampling sampling,
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
      RecordFormat format = ofHistory(sql(inputs, options), options);
      console.say("schema: %s", format.schema());
      return format;
    }
    if (input.isText()) {
      if (!key.isEmpty() || schema != null || !addresses.isEmpty()) {
        throw CommandFailure.usage("--key, --schema and --ip are for rows: --format csv and jsonl");
      }
      return TextFormat.records(input.textSeparator(), input.textEncoding());
    }
    RowSource source = input.rows();
    if (key.isEmpty()) {
      throw CommandFailure.usage("--format csv and jsonl need --key: which columns are the key?");
    }
    if (schema != null) {
      if (!addresses.isEmpty()) {
        throw CommandFailure.usage("--schema gives all types: write 'column IP' there, not --ip");
      }
      return ofHistory(RowFormat.records(source, columns(schema), key), options);
    }
    List<Column> columns = withAddresses(source.columns(inputs, badLines.beforehand(), sampling));
    RowFormat format = RowFormat.records(source, columns, key);
    console.say(
        "schema, inferred from %s rows: %s",
        sampling == Sampling.FIRST_ROWS ? "the first" : "all", format.schema());
    return format;
  }

  private static RecordFormat ofHistory(RecordFormat format, WriterOptions options) {
    return options.validity() == null ? format : format.withEnded();
  }

  private RecordFormat sql(Inputs inputs, WriterOptions options) throws IOException {
    if (query == null) {
      return SqlFormat.parquet(inputs, key, addresses, resources(options));
    }
    if (jdbc == null) {
      return SqlFormat.query(query, key, addresses, resources(options));
    }
    Properties properties = new Properties();
    if (jdbcProperties != null) {
      properties.load(new StringReader(TextFile.read(jdbcProperties)));
    }
    return JdbcFormat.query(new JdbcFormat.Database(jdbc, properties), query, key, addresses);
  }

  private List<Column> withAddresses(List<Column> columns) {
    List<String> unknown = new ArrayList<>(addresses);
    List<Column> typed = new ArrayList<>();
    for (Column column : columns) {
      boolean isAddress = unknown.remove(column.name());
      try {
        typed.add(isAddress ? new Column(column.name(), column.type().ofAddresses()) : column);
      } catch (IllegalArgumentException e) {
        throw CommandFailure.usage(
            "--ip: column '%s': %s".formatted(column.name(), e.getMessage()));
      }
    }
    if (!unknown.isEmpty()) {
      throw CommandFailure.usage(
          "--ip: no column '%s'; the columns are %s".formatted(unknown.get(0), columns));
    }
    return typed;
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
      return ColumnType.parseColumns(text);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage("--schema '%s': %s".formatted(text, e.getMessage()));
    }
  }
}
