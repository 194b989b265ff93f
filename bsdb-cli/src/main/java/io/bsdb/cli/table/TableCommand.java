package io.bsdb.cli.table;

import io.bsdb.cli.output.Console;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** A command about one table. */
public abstract class TableCommand implements Callable<Integer> {
  protected final Console console;

  @Mixin protected TableArgument table;

  protected TableCommand(Console console) {
    this.console = console;
  }
}
