package io.bsdb.cli;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.Encoding;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.RecordText;
import io.bsdb.reader.KeyValue;
import io.bsdb.reader.OrderedReader;
import io.bsdb.reader.SnapshotReader;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looks keys up. */
@Command(
    name = "get",
    sortOptions = false,
    abbreviateSynopsis = true,
    header = "Looks keys up in the snapshot in service.",
    description = {
      "",
      "DIR may also be the directory of one snapshot, which is asked whether it is in service or"
          + " not.",
      "",
      "Prints one line per key that was found: the key, a tab, the value. Absent keys are named on"
          + " standard error.",
      "",
      "In a table with a schema, a key is given as text of its column's type, and the value is"
          + " printed as JSON. A key of several columns is given with commas between them, or as a"
          + " JSON array.",
      "",
      "With --floor, --ceiling or --longest-prefix, in a table that was built with --order key, the"
          + " nearest key is looked for; the line begins with the key that was found, as JSON if"
          + " there is a schema.",
      "",
      "Exit status: 0 all keys were found, 1 some are absent, 2 usage, 3 the table is corrupt or"
          + " cannot be read.",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb get --table places -- 2950159",
      "  bsdb get --table places/snapshots/0000000002-1f0c9a37 -- 2950159",
      "  bsdb get --table prices -- 'DE,4711' '[\"DE\", 4712]'",
      "  bsdb get --table blocks --floor -- 192.0.2.17"
    })
final class GetCommand implements Callable<Integer> {
  private static final int BUFFER = 64 << 10;

  private final Console console;

  @Mixin private TableArgument table;

  @Option(
      names = "--encoding",
      paramLabel = "ENCODING",
      description =
          "How keys and values are written, if the table has no schema: utf8, hex or base64."
              + " Default: utf8, which prints bytes as they are.")
  private @Nullable Encoding encoding;

  @ArgGroup private @Nullable Nearest nearest;

  /** Which record is looked for instead of the one with the key itself. */
  static final class Nearest {
    @Option(
        names = "--floor",
        description = "Look for the greatest key that is not above each key.")
    @SuppressWarnings("unused") // it is what is left if the others are not given
    private boolean floor;

    @Option(names = "--ceiling", description = "Look for the least key that is not below each key.")
    private boolean ceiling;

    @Option(
        names = "--longest-prefix",
        description = "Look for the longest key that each key begins with.")
    private boolean longestPrefix;

    @Nullable KeyValue find(OrderedReader reader, byte[] key) throws IOException {
      if (longestPrefix) {
        return reader.longestPrefix(key);
      }
      return ceiling ? reader.ceiling(key) : reader.floor(key);
    }
  }

  @Parameters(arity = "1..*", paramLabel = "KEY", description = "What to look up.")
  private List<String> keys;

  GetCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    try (SnapshotReader reader = SnapshotReader.open(table.directory());
        OutputStream out = new BufferedOutputStream(console.out(), BUFFER)) {
      RecordText text = RecordText.of(reader.manifest().schema(), encoding);
      List<byte[]> encodedKeys = keys.stream().map(text::parseKey).toList();
      OrderedReader ordered = nearest == null ? null : Order.of(reader);
      int status = ExitStatus.OK;
      for (int i = 0; i < encodedKeys.size(); i++) {
        byte[] key = encodedKeys.get(i);
        byte[] shown = keys.get(i).getBytes(StandardCharsets.UTF_8);
        byte[] value;
        if (nearest != null && ordered != null) {
          KeyValue found = nearest.find(ordered, key);
          key = found == null ? key : found.key();
          shown = text.key(key);
          value = found == null ? null : found.value();
        } else {
          value = reader.get(key);
        }
        if (value == null) {
          out.flush();
          console.say("absent: %s", keys.get(i));
          status = ExitStatus.NO;
        } else {
          out.write(shown);
          out.write('\t');
          out.write(text.value(key, value));
          out.write('\n');
        }
      }
      return status;
    }
  }
}
