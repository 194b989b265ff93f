package io.bsdb.cli.change;

import io.bsdb.cli.input.BadLines;
import io.bsdb.cli.input.InputArguments;
import io.bsdb.cli.input.Inputs;
import io.bsdb.cli.input.RecordFormat;
import io.bsdb.cli.input.RowFormat;
import io.bsdb.cli.input.TextFormat;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.Progress;
import io.bsdb.cli.table.Interruption;
import io.bsdb.cli.table.TableCommand;
import io.bsdb.row.Schema;
import io.bsdb.table.Table;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Changes single records of a table by files of changes. */
@Command(
    name = "apply",
    header = "Applies puts and deletes of the inputs to a table, as one version.",
    description = {
      "",
      "Each change has an operation: put, upsert, insert, update, c, u, r or + to set the record of"
          + " a key, whether or not there is one; delete, d or - to delete a key, whether or not"
          + " there is one. Changes apply in the order of the inputs: the last one of a key"
          + " counts.",
      "",
      "By default, or with --format text, an input has one change per line: '+ KEY VALUE' or"
          + " '- KEY', with the separator between the parts.",
      "",
      "A table with a schema takes --format csv or jsonl: rows with the table's columns, and one"
          + " more for the operation, 'op' by default. A row to put has all columns,"
          + " since it replaces the whole row; a row to delete needs only those of the key. Other"
          + " columns are passed over.",
      "",
      "In a table with a history the key has a time, and a delete writes an ended row: from that"
          + " time on nothing is valid, until the next row. 'bsdb delete' takes a row out of the"
          + " history itself.",
      "",
      "If anything is wrong with an input, nothing is published. Without a change nothing is"
          + " published either.",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb apply --table places --input changes.txt --separator '\\t'",
      "  bsdb apply --table cities --input changes.csv --format csv",
      "  cdc | bsdb apply --table cities --input - --format jsonl \\",
      "      --op-column __op --position cities-0=4711"
    })
public final class ApplyCommand extends TableCommand {
  private static final String OPERATION = "op";

  @Mixin private InputArguments input;

  @Option(
      names = "--op-column",
      paramLabel = "COLUMN",
      description = "The column in csv and jsonl with the operation of a row. Default: op.")
  private @Nullable String operation;

  @Option(
      names = "--position",
      paramLabel = "SOURCE=POSITION",
      description =
          "How far a source was read with these changes, such as 'orders-0=4711'; kept in the"
              + " manifest in place of the source's position before. May be repeated.")
  private Map<String, String> positions = Map.of();

  @Option(names = "--json", description = "Print what was applied as JSON.")
  private boolean json;

  public ApplyCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    Inputs inputs = input.inputs(console);
    Table opened = table.open();
    return Interruption.during(
        interruption -> {
          try (Delta delta = Delta.begin(opened)) {
            read(inputs, format(delta.schema()), delta, interruption);
            delta.publish(positions, console, json);
          }
          return ExitStatus.OK;
        },
        table.directory(),
        console);
  }

  private RecordFormat format(@Nullable Schema schema) {
    if (schema == null) {
      if (!input.isText() || operation != null) {
        throw CommandFailure.usage(
            "the table has no schema: --format csv, --format jsonl and --op-column are for rows");
      }
      return TextFormat.changes(input.textSeparator(), input.textEncoding());
    }
    if (input.isText()) {
      throw CommandFailure.usage("the table has rows: give them with --format csv or jsonl");
    }
    return RowFormat.changes(input.rows(), schema, operation == null ? OPERATION : operation);
  }

  private void read(Inputs inputs, RecordFormat format, Delta delta, Interruption interruption)
      throws IOException {
    try (Progress progress =
        Progress.start(console, "reading", inputs.length(), Progress.Unit.BYTES)) {
      AtomicLong changes = progress.records();
      RecordFormat.Sink sink =
          new RecordFormat.Sink() {
            @Override
            public void add(
                byte[] key,
                int keyOffset,
                int keyLength,
                byte[] value,
                int valueOffset,
                int valueLength,
                long line)
                throws IOException {
              next();
              delta.put(copy(key, keyOffset, keyLength), copy(value, valueOffset, valueLength));
            }

            @Override
            public void delete(byte[] key, int offset, int length, long line) throws IOException {
              next();
              delta.end(copy(key, offset, length));
            }

            private void next() throws IOException {
              interruption.check();
              changes.lazySet(changes.getPlain() + 1);
            }
          };
      inputs.read(format, progress.position(), sink, new BadLines(BadLines.Policy.FAIL, console));
    }
  }

  private static byte[] copy(byte[] bytes, int offset, int length) {
    return Arrays.copyOfRange(bytes, offset, offset + length);
  }
}
