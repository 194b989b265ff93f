package io.bsdb.cli;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.Encoding;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.RecordText;
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

/** Prints all records. */
@Command(
    name = "scan",
    sortOptions = false,
    abbreviateSynopsis = true,
    header = "Prints all records, in the order in which they are stored.",
    description = {
      "",
      "One record per line: the key, a tab, the value; in a table with a schema, or with --json, a"
          + " JSON object. DIR may also be the directory of one snapshot.",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb scan --table places --limit 10",
      "  bsdb scan --table colours --encoding base64 > colours.txt",
      "  bsdb scan --table colours --json | jq -r .value"
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

  ScanCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    try (SnapshotReader reader = SnapshotReader.open(table.directory());
        RecordCursor cursor = reader.scan();
        OutputStream out = new BufferedOutputStream(console.out(), BUFFER)) {
      RecordText text = RecordText.of(reader.manifest().schema(), encoding);
      for (long i = 0; i < limit && cursor.next(); i++) {
        byte[] key = key(cursor);
        out.write(json ? text.json(key, cursor.value()) : text.line(key, cursor.value()));
        out.write('\n');
      }
    }
    return ExitStatus.OK;
  }

  private static byte[] key(RecordCursor cursor) throws IOException {
    try {
      return cursor.key();
    } catch (UnsupportedOperationException e) {
      throw CommandFailure.refused("the table is approximate: it stores no keys to print");
    }
  }
}
