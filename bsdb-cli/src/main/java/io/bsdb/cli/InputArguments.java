package io.bsdb.cli;

import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Option;

/** What is read. */
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
      names = "--on-bad-line",
      paramLabel = "POLICY",
      description =
          "What to do with a line that is no record: fail, or skip it. Skipped lines are counted and"
              + " the first ten shown. What is not CSV at all, such as a quote that is not closed,"
              + " always ends the build. Default: fail.")
  private BadLines.Policy onBadLine = BadLines.Policy.FAIL;

  Inputs inputs() throws IOException {
    return Inputs.of(inputs);
  }

  BadLines badLines(Console console) {
    return new BadLines(onBadLine, console);
  }
}
