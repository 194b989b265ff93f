package io.bsdb.cli.table;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.table.Table;
import io.bsdb.table.storage.PathStorage;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The table that a command is about. */
public final class TableArgument {
  @Option(
      names = {"-t", "--table"},
      required = true,
      paramLabel = "DIR",
      description = "Directory of the table.")
  private Path directory;

  public Path directory() {
    if (directory.toString().isEmpty()) { // such as the value of an unset variable
      throw CommandFailure.usage("--table is empty; give '.' for the current directory");
    }
    return directory;
  }

  /** Returns the table, which must be there. */
  public Table open() throws IOException {
    PathStorage.requireDirectory(directory());
    return Table.at(directory);
  }
}
