package io.bsdb.cli.table;

import io.bsdb.cli.output.Console;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** A command about one table. */
public abstract class TableCommand implements Callable<Integer> {
  /**
   * The age from which files count as left by a killed command: longer than any build takes, as
   * another one may be writing them.
   */
  protected static final Duration LEFT_BEHIND = Duration.ofDays(1);

  protected final Console console;

  @Mixin protected TableArgument table;

  protected TableCommand(Console console) {
    this.console = console;
  }
}
