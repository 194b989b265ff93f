package io.bsdb.cli;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.Encoding;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.RecordText;
import io.bsdb.reader.KeyRange;
import io.bsdb.reader.OrderedReader;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints all records, or those of a range of keys. */
@Command(
    name = "scan",
    sortOptions = false,
    abbreviateSynopsis = true,
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
      "  bsdb scan --table prices --prefix DE --reverse --limit 5"
    })
final class ScanCommand implements Callable<Integer> {
  private static final int BUFFER = 256 << 10;

  private final Console console;

  @Mixin private TableArgument table;

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
      names = "--json",
      description = "Print a JSON object per record, with key and value if there is no schema.")
  private boolean json;

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

  ScanCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    try (SnapshotReader reader = SnapshotReader.open(table.directory());
        OutputStream out = new BufferedOutputStream(console.out(), BUFFER)) {
      RecordText text = RecordText.of(reader.manifest().schema(), encoding);
      try (RecordCursor cursor = cursor(reader, text)) {
        print(cursor, text, out);
      }
    }
    return ExitStatus.OK;
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

  private void print(RecordCursor cursor, RecordText text, OutputStream out) throws IOException {
    for (long i = 0; i < limit && cursor.next(); i++) {
      byte[] key = key(cursor);
      out.write(json ? text.json(key, cursor.value()) : text.line(key, cursor.value()));
      out.write('\n');
    }
  }

  private static byte[] key(RecordCursor cursor) throws IOException {
    try {
      return cursor.key();
    } catch (UnsupportedOperationException e) {
      throw CommandFailure.refused("the table is approximate: it stores no keys to print");
    }
  }
}
