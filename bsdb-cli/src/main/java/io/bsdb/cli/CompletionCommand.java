package io.bsdb.cli;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;

/** Prints what lets a shell complete command lines. */
@Command(
    name = "completion",
    header = "Prints a script that lets bash and zsh complete commands and options.",
    description = "",
    footerHeading = "%nExamples:%n",
    footer = {"  source <(bsdb completion)", "  bsdb completion > /etc/bash_completion.d/bsdb"})
final class CompletionCommand implements Callable<Integer> {
  private final Console console;

  CompletionCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    String script = AutoComplete.bash("bsdb", Bsdb.withAllCommands(console));
    console.out().write(script.getBytes(StandardCharsets.UTF_8));
    return ExitStatus.OK;
  }
}
