package io.bsdb.cli.read;

import io.bsdb.cli.input.Inputs;
import io.bsdb.cli.input.Lines;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.Encoding;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.RecordText;
import io.bsdb.cli.output.TextFile;
import io.bsdb.cli.table.MemoryArgument;
import io.bsdb.cli.table.TableCommand;
import io.bsdb.reader.KeyValue;
import io.bsdb.reader.OrderedReader;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.Validity;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looks keys up. */
@Command(
    name = "get",
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
      "With --as-of, in a table with a history, a key is the values of all columns but the time, and"
          + " the row that was valid at TIME is looked for.",
      "",
      "With --floor, --ceiling, --longest-prefix or --as-of, in a table that was built with --order key, the"
          + " nearest key is looked for. There is a line for each KEY: the KEY, a tab, the key that"
          + " was found, as JSON if there is a schema, a tab, the value. If it is absent, both are"
          + " empty, or null if there is a schema.",
      "",
      "Exit status: 0 all keys were found, 1 some are absent or --strict refused TIME, 2 usage, 3 the table is corrupt or"
          + " cannot be read.",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb get --table places -- 2950159",
      "  bsdb get --table places/snapshots/0000000002-1f0c9a37 -- 2950159",
      "  bsdb get --table prices -- 'DE,4711' '[\"DE\", 4712]'",
      "  cut -f 1 clicks.txt | bsdb get --table places --keys -",
      "  bsdb get --table blocks --floor -- 192.0.2.17",
      "  bsdb get --table prices --as-of 2026-05-17T09:30:00Z -- bread"
    })
public final class GetCommand extends TableCommand {
  private static final int BUFFER = 64 << 10;

  /** Keys that are looked up together. */
  private static final int BATCH = 256;

  @Option(
      names = "--encoding",
      paramLabel = "ENCODING",
      description =
          "How keys and values are written, if the table has no schema: utf8, hex or base64."
              + " Default: utf8, which prints bytes as they are.")
  private @Nullable Encoding encoding;

  @ArgGroup private @Nullable Nearest nearest;

  /** Options that select another record than the one with the key itself. */
  static final class Nearest {
    @Option(
        names = "--floor",
        description =
            "Look for the greatest key that is not above each key. In a key of several"
                + " columns, all but the last are equal.")
    @SuppressWarnings("unused") // it is what is left if the others are not given
    private boolean floor;

    @Option(
        names = "--ceiling",
        description =
            "Look for the least key that is not below each key," + " with the same condition.")
    private boolean ceiling;

    @Option(
        names = "--longest-prefix",
        description = "Look for the longest key that each key begins with.")
    private boolean longestPrefix;

    @Option(
        names = "--as-of",
        paramLabel = "TIME",
        description =
            "Look for the row of each key that was valid at TIME, such as 2026-05-17T09:30:00Z;"
                + " without Z if the column has no time zone.")
    private @Nullable String asOf;

    byte[] parse(RecordText text, byte[] line) {
      return asOf == null ? text.parseKey(line) : text.parsePrefix(RecordText.text(line));
    }

    @Nullable KeyValue find(SnapshotReader reader, RecordText text, byte[] key) throws IOException {
      if (asOf != null) {
        Instant time = text.parseTime(asOf);
        try {
          return reader.ordered().asOf(key, time);
        } catch (IllegalArgumentException e) {
          throw CommandFailure.usage("--as-of: " + e.getMessage());
        }
      }
      if (longestPrefix && reader.manifest().validity() != null) {
        throw CommandFailure.usage(
            "keys of a table with a history end in a time, and are no prefixes; ask for a floor");
      }
      var rule =
          longestPrefix
              ? io.bsdb.reader.Nearest.LONGEST_PREFIX
              : ceiling ? io.bsdb.reader.Nearest.CEILING : io.bsdb.reader.Nearest.FLOOR;
      return rule.find(reader, key);
    }
  }

  @Option(
      names = "--strict",
      description =
          "With --as-of: refuse a TIME before the horizon of the history, as rows that were valid"
              + " then may be gone.")
  private boolean strict;

  @Option(
      names = "--keys",
      paramLabel = "FILE|-",
      description = "Look up the keys of a file, one per line; - for standard input.")
  private @Nullable String file;

  @Mixin private MemoryArgument memory;

  @Parameters(arity = "0..*", paramLabel = "KEY", description = "Keys to look up.")
  private List<String> keys = List.of();

  public GetCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    if ((file == null) == keys.isEmpty()) {
      throw CommandFailure.usage("Missing required parameter: 'KEY', or --keys, and not both");
    }
    String strictTime = strict && nearest != null ? nearest.asOf : null;
    if (strict && strictTime == null) {
      throw CommandFailure.usage("--strict is for --as-of");
    }
    ReaderOptions options = ReaderOptions.builder().memory(memory.budget()).build();
    try (SnapshotReader reader = SnapshotReader.open(table.directory(), options);
        OutputStream out = new BufferedOutputStream(console.out(), BUFFER)) {
      RecordText text = RecordText.of(reader.manifest().schema(), encoding);
      if (strictTime != null) {
        requireKept(reader.manifest().validity(), text.parseTime(strictTime));
      }
      Lookups lookups = new Lookups(reader, text, out);
      if (file == null) {
        List<byte[]> texts =
            keys.stream().map(key -> key.getBytes(StandardCharsets.UTF_8)).toList();
        List<byte[]> parsed = texts.stream().map(lookups::parse).toList();
        for (int i = 0; i < parsed.size(); i++) {
          lookups.look(texts.get(i), parsed.get(i));
        }
      } else {
        lookups.readKeys(file);
      }
      lookups.answer();
      return lookups.status;
    }
  }

  private static void requireKept(@Nullable Validity validity, Instant time) {
    if (validity == null) {
      throw CommandFailure.usage("the table has no history: leave out --strict");
    }
    try {
      validity.requireKept(time);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.refused(String.valueOf(e.getMessage()));
    }
  }

  /** The lookups of one command. */
  private final class Lookups {
    private final SnapshotReader reader;
    private final RecordText text;
    private final OutputStream out;
    private final @Nullable OrderedReader ordered;
    private final List<byte[]> keyTexts = new ArrayList<>();
    private final List<byte[]> asked = new ArrayList<>();
    private int status = ExitStatus.OK;

    Lookups(SnapshotReader reader, RecordText text, OutputStream out) {
      this.reader = reader;
      this.ordered = nearest == null ? null : Order.of(reader);
      this.text = text;
      this.out = out;
    }

    byte[] parse(byte[] line) {
      return nearest == null ? text.parseKey(line) : nearest.parse(text, line);
    }

    void readKeys(String name) throws IOException {
      boolean standardInput = name.equals("-");
      try (InputStream in =
          standardInput ? Inputs.standardInput(console) : TextFile.open(Path.of(name))) {
        Lines.read(
            in,
            standardInput ? Inputs.STANDARD_INPUT_NAME : name,
            (bytes, start, end, number) -> {
              byte[] line = Arrays.copyOfRange(bytes, start, end);
              try {
                look(line, parse(line));
              } catch (CommandFailure e) {
                answer();
                out.flush();
                throw CommandFailure.usage("line %,d: %s".formatted(number, e.getMessage()));
              }
            });
      }
    }

    void look(byte[] keyText, byte[] key) throws IOException {
      if (nearest == null || ordered == null) {
        keyTexts.add(keyText);
        asked.add(key);
        if (asked.size() == BATCH) {
          answer();
        }
        return;
      }
      KeyValue found = nearest.find(reader, text, key);
      if (found == null) {
        print(keyText, text.none(), text.none());
        sayAbsent(keyText);
      } else {
        print(keyText, text.key(found.key()), text.value(found.key(), found.value()));
      }
    }

    /** Looks up the keys that have come since the last batch. */
    void answer() throws IOException {
      List<byte @Nullable []> values =
          reader.getAll(
              asked, (i, bytes, offset, length) -> text.value(asked.get(i), bytes, offset, length));
      for (int i = 0; i < values.size(); i++) {
        byte[] value = values.get(i);
        if (value == null) {
          sayAbsent(keyTexts.get(i));
        } else {
          print(keyTexts.get(i), value);
        }
      }
      keyTexts.clear();
      asked.clear();
    }

    private void print(byte[]... fields) throws IOException {
      for (int i = 0; i < fields.length; i++) {
        out.write(fields[i]);
        out.write(i == fields.length - 1 ? '\n' : '\t');
      }
    }

    private void sayAbsent(byte[] asked) throws IOException {
      out.flush();
      console.say("absent: %s", new String(asked, StandardCharsets.UTF_8));
      status = ExitStatus.NO;
    }
  }
}
