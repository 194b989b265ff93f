package io.bsdb.cli;

import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Option;

/** What is read, and how its records are written. */
final class InputArguments {
  @Option(
      names = {"-i", "--input"},
      required = true,
      arity = "1..*",
      paramLabel = "FILE|DIR|-",
      description =
          "Files, directories (all regular files in them, by name), quoted patterns, or - for"
              + " standard input. Files that end in .gz, .zst or .zstd are decompressed.")
  private List<String> inputs;

  @Option(
      names = "--separator",
      paramLabel = "TEXT",
      converter = Separator.Converter.class,
      description =
          "Stands between key and value. \\t, \\0 and \\xHH are understood. Default: one space.")
  private Separator separator = Separator.of(" ");

  @Option(
      names = "--encoding",
      paramLabel = "ENCODING",
      description =
          "How keys and values are written: utf8, hex or base64. Default: utf8, which keeps bytes"
              + " as they are.")
  private Encoding encoding = Encoding.UTF8;

  @Option(
      names = "--on-bad-line",
      paramLabel = "POLICY",
      description =
          "What to do with a line that is no record: fail, or skip it. Skipped lines are counted and"
              + " the first ten shown. Default: fail.")
  private BadLines.Policy onBadLine = BadLines.Policy.FAIL;

  Inputs inputs() throws IOException {
    return Inputs.of(inputs);
  }

  RecordFormat format() {
    return new TextFormat(separator.bytes(), encoding);
  }

  BadLines badLines(Console console) {
    return new BadLines(onBadLine, console);
  }
}
