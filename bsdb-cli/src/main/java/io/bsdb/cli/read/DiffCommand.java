package io.bsdb.cli.read;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.Encoding;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.RecordText;
import io.bsdb.cli.table.TableCommand;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.diff.SnapshotDiff;
import io.bsdb.reader.diff.SnapshotDiff.Difference;
import io.bsdb.reader.diff.SnapshotDiff.Kind;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Compares two versions of a table. */
@Command(
    name = "diff",
    header = "Shows which rows two versions of a table differ in.",
    description = {
      "",
      "A line per record: '-' and the record as the first version has it, '+' and the record as the"
          + " second one has it; a changed row has both. The sums are printed on standard error."
          + " Reads only the keys that changed between the two versions, if their segments show which"
          + " these are; else all keys of the partitions that differ. The rows of a table with a"
          + " history have the member 'ended'.",
      "",
      "Exit status: 0 the versions have the same rows, 1 they differ, 2 usage, 3 the table is"
          + " corrupt or cannot be read.",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb diff --table places --from 0000000001-1f0c9a37",
      "  bsdb diff --table places --from 0000000001-1f0c9a37 --sample 0.01 --limit 0"
    })
public final class DiffCommand extends TableCommand {
  private static final int BUFFER = 256 << 10;

  @Option(
      names = "--from",
      required = true,
      paramLabel = "VERSION",
      description = "The version to compare with, as 'bsdb versions' lists it.")
  private String from;

  @Option(
      names = "--to",
      paramLabel = "VERSION",
      description = "The version that is compared. Default: the one in service.")
  private @Nullable String to;

  @Option(
      names = "--limit",
      paramLabel = "COUNT",
      description = "Print at most so many rows; all are counted. Default: no limit.")
  private long limit = Long.MAX_VALUE;

  @Option(
      names = "--sample",
      paramLabel = "SHARE",
      description =
          "Compare this share of the keys, such as 0.01: always the same, drawn by their hash. Default:"
              + " all.")
  private double share = 1;

  @Option(
      names = "--encoding",
      paramLabel = "ENCODING",
      description =
          "How keys and values are written, if the table has no schema: utf8, hex or base64. Default:"
              + " utf8.")
  private @Nullable Encoding encoding;

  @Option(names = "--json", description = "Print a JSON object per row that differs.")
  private boolean json;

  public DiffCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    if (limit < 0) {
      throw CommandFailure.usage("--limit: expected 0 or more, actual " + limit);
    }
    Table opened = table.open();
    Manifest second = opened.manifest(to == null ? opened.requireCurrentVersion() : to);
    ReaderOptions options = ReaderOptions.defaults();
    try (SnapshotReader before = SnapshotReader.openVersion(table.directory(), from, options);
        SnapshotReader after = before.next(table.directory(), second, options);
        SnapshotDiff diff = SnapshotDiff.between(before, after, share, () -> false);
        OutputStream out = new BufferedOutputStream(console.out(), BUFFER)) {
      RecordText text = RecordText.of(after.manifest().schema(), encoding);
      if (before.manifest().validity() != null || after.manifest().validity() != null) {
        text = text.withEnded();
      }
      Map<Kind, Long> counts = new EnumMap<>(Kind.class);
      long printed = 0;
      for (Difference row = diff.next(); row != null; row = diff.next()) {
        counts.merge(row.kind(), 1L, Long::sum);
        if (printed < limit) {
          printed++;
          print(out, text, row);
        }
      }
      out.flush();
      console.say(
          "added=%,d removed=%,d changed=%,d%s",
          counts.getOrDefault(Kind.ADDED, 0L),
          counts.getOrDefault(Kind.REMOVED, 0L),
          counts.getOrDefault(Kind.CHANGED, 0L),
          share < 1 ? String.format(Locale.ROOT, " in a sample of %s of the keys", share) : "");
      return counts.isEmpty() ? ExitStatus.OK : ExitStatus.NO;
    }
  }

  private void print(OutputStream out, RecordText text, Difference row) throws IOException {
    byte[] before = row.before();
    byte[] after = row.after();
    if (json) {
      out.write(
          "{\"change\": \"%s\""
              .formatted(row.kind().name().toLowerCase(Locale.ROOT))
              .getBytes(StandardCharsets.UTF_8));
      member(out, "before", before == null ? null : text.json(row.key(), before));
      member(out, "after", after == null ? null : text.json(row.key(), after));
      out.write("}\n".getBytes(StandardCharsets.UTF_8));
      return;
    }
    if (before != null) {
      line(out, '-', text.line(row.key(), before));
    }
    if (after != null) {
      line(out, '+', text.line(row.key(), after));
    }
  }

  private static void member(OutputStream out, String name, byte @Nullable [] record)
      throws IOException {
    if (record != null) {
      out.write(", \"%s\": ".formatted(name).getBytes(StandardCharsets.UTF_8));
      out.write(record);
    }
  }

  private static void line(OutputStream out, char mark, byte[] record) throws IOException {
    out.write(mark);
    out.write(' ');
    out.write(record);
    out.write('\n');
  }
}
