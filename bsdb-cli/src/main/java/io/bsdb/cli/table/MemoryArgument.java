package io.bsdb.cli.table;

import io.bsdb.cli.output.ByteSize;
import io.bsdb.reader.memory.MemoryBudget;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The limit of what the readers of a command hold. */
public final class MemoryArgument {
  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description =
          "Limit of the memory for indexes, signatures, caches and copies. Default: that of -Dbsdb.memory, else none.")
  private @Nullable ByteSize size;

  /** Returns the budget of the option, else that of the process. */
  public MemoryBudget budget() {
    return size == null ? MemoryBudget.ofProcess() : MemoryBudget.of(size.bytes());
  }
}
