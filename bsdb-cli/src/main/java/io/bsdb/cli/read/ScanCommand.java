package io.bsdb.cli.read;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.CsvText;
import io.bsdb.cli.output.Encoding;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.RecordText;
import io.bsdb.cli.table.TableCommand;
import io.bsdb.reader.KeyRange;
import io.bsdb.reader.OrderedReader;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.row.Column;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import io.bsdb.sql.DuckDb;
import io.bsdb.sql.ParquetFile;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Prints all records, or those of a range of keys. */
@Command(
    name = "scan",
    header = "Prints all records, in the order in which they are stored.",
    description = {
      "",
      "One record per line: the key, a tab, the value; in a table with a schema, or with --json, a"
          + " JSON object. DIR may also be the directory of one snapshot.",
      "",
      "The records of a table that was built with --order key come by key, and can be those of a"
          + " range. In a table with a schema, --prefix, --from and --to take the values of all key"
          + " columns or of some leading ones, with commas between them, or as a JSON array.",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb scan --table places --limit 10",
      "  bsdb scan --table colours --encoding base64 > colours.txt",
      "  bsdb scan --table colours --json | jq -r .value",
      "  bsdb scan --table cities --format parquet --output cities.parquet",
      "  bsdb scan --table prices --prefix DE --reverse --limit 5"
    })
public final class ScanCommand extends TableCommand {
  private static final int BUFFER = 256 << 10;

  /** Form in which records are printed. */
  enum Format {
    TEXT,
    JSON,
    CSV,
    PARQUET
  }

  @Option(names = "--limit", paramLabel = "COUNT", description = "Stop after so many records.")
  private long limit = Long.MAX_VALUE;

  @Option(
      names = "--encoding",
      paramLabel = "ENCODING",
      description =
          "How keys and values are written, if the table has no schema: utf8, hex or base64."
              + " Default: utf8, which prints bytes as they are.")
  private @Nullable Encoding encoding;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "text; json, an object per record, with key and value if there is no schema; csv, with a"
              + " header line; or parquet, into the file that --output names. Default: text.")
  private @Nullable Format format;

  @Option(names = "--json", description = "The same as --format json.")
  private boolean json;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "The Parquet file to write, in place of one that is there.")
  private @Nullable Path output;

  @Option(
      names = "--prefix",
      paramLabel = "KEY",
      description = "Print the records whose keys begin with KEY, or have these leading columns.")
  private @Nullable String prefix;

  @Option(names = "--from", paramLabel = "KEY", description = "Begin with KEY.")
  private @Nullable String from;

  @Option(names = "--to", paramLabel = "KEY", description = "End in front of KEY.")
  private @Nullable String to;

  @Option(names = "--reverse", description = "Print the records from the last to the first.")
  private boolean reverse;

  @Option(
      names = "--history",
      description =
          "Print the ended rows of a table with a history too; each row has the member 'ended'.")
  private boolean history;

  public ScanCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    if (limit < 0) {
      throw CommandFailure.usage("--limit: expected 0 or more, actual " + limit);
    }
    Format wanted = format();
    try (SnapshotReader reader = SnapshotReader.open(table.directory())) {
      Schema schema = reader.manifest().schema();
      RecordText text = RecordText.of(schema, encoding);
      if (history) {
        requireHistory(reader);
        text = text.withEnded();
      }
      try (RecordCursor cursor = cursor(history ? reader.allVersions() : reader, text)) {
        if (output != null) {
          writeParquet(cursor, schema, output);
        } else {
          print(cursor, text, wanted);
        }
      }
    }
    return ExitStatus.OK;
  }

  private static void requireHistory(SnapshotReader reader) {
    if (reader.manifest().validity() == null) {
      throw CommandFailure.usage("the table has no history: scan it without --history");
    }
  }

  private Format format() {
    if (json && format != null && format != Format.JSON) {
      throw CommandFailure.usage("--json is --format json");
    }
    Format wanted = json ? Format.JSON : format == null ? Format.TEXT : format;
    if ((wanted == Format.PARQUET) != (output != null)) {
      throw CommandFailure.usage("--format parquet needs --output, and no other format takes it");
    }
    return wanted;
  }

  private void print(RecordCursor cursor, RecordText text, Format wanted) throws IOException {
    try (OutputStream out = new BufferedOutputStream(console.out(), BUFFER)) {
      if (wanted == Format.CSV) {
        out.write((text.header() + '\n').getBytes(StandardCharsets.UTF_8));
      }
      for (long i = 0; i < limit && cursor.next(); i++) {
        byte[] key = key(cursor);
        byte[] value = cursor.value();
        out.write(
            switch (wanted) {
              case TEXT, PARQUET -> text.line(key, value);
              case JSON -> text.json(key, value);
              case CSV -> CsvText.line(text.json(key, value)).getBytes(StandardCharsets.UTF_8);
            });
        out.write('\n');
      }
    }
  }

  private void writeParquet(RecordCursor cursor, @Nullable Schema schema, Path file)
      throws IOException {
    if (schema == null) {
      throw CommandFailure.usage("the table has no schema; --format parquet is for rows");
    }
    DuckDb.require();
    List<String> names = schema.columns().stream().map(Column::name).toList();
    long[] rows = {0};
    try {
      ParquetFile.write(
          file,
          schema,
          history ? RowJsonWriter.endedMember(names) : null,
          () -> {
            if (rows[0] == limit || !cursor.next()) {
              return null;
            }
            rows[0]++;
            return Map.entry(key(cursor), cursor.value());
          });
    } catch (IllegalArgumentException e) {
      if (rows[0] == 0) {
        throw e; // about the columns
      }
      throw CommandFailure.refused(String.valueOf(e.getMessage()));
    }
    console.say("%s: %,d rows", file, rows[0]);
  }

  private RecordCursor cursor(SnapshotReader reader, RecordText text) throws IOException {
    if (prefix == null && from == null && to == null && !reverse) {
      return reader.scan();
    }
    if (prefix != null && (from != null || to != null)) {
      throw CommandFailure.usage("--prefix is a range of its own: leave --from and --to out");
    }
    OrderedReader ordered = Order.of(reader);
    KeyRange range = prefix == null ? KeyRange.all() : KeyRange.prefix(text.parsePrefix(prefix));
    if (from != null) {
      range = range.from(text.parsePrefix(from));
    }
    if (to != null) {
      range = range.before(text.parsePrefix(to));
    }
    return ordered.range(reverse ? range.reversed() : range);
  }

  private static byte[] key(RecordCursor cursor) throws IOException {
    try {
      return cursor.key();
    } catch (UnsupportedOperationException e) {
      throw CommandFailure.refused("the table is approximate: it stores no keys to print");
    }
  }
}
