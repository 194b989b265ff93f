package io.bsdb.cli;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
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
  /** Values of an option, names of enum constants among them, which help has in lower case. */
  private static final Pattern VALUES = Pattern.compile("(?<=_args=)\\(\"[^)]*\\)");

  private final Console console;

  CompletionCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    String names = AutoComplete.bash("bsdb", Bsdb.withAllCommands(console));
    String script = VALUES.matcher(names).replaceAll(each -> each.group().toLowerCase(Locale.ROOT));
    console.out().write(script.getBytes(StandardCharsets.UTF_8));
    return ExitStatus.OK;
  }
}
