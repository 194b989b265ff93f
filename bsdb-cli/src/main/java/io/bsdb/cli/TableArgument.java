package io.bsdb.cli;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The table that a command is about. */
final class TableArgument {
  @Option(
      names = {"-t", "--table"},
      required = true,
      paramLabel = "DIR",
      description = "Directory of the table.")
  private Path directory;

  Path directory() {
    return directory;
  }
}
