package io.bsdb.cli;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports usage errors. */
final class Failures {
  private Failures() {}

  /** Reports what is wrong with a command line, and which help describes its form. */
  static int reportUsage(ParameterException e, Console console) {
    CommandLine command = e.getCommandLine();
    PrintWriter err = command.getErr();
    boolean isCommand =
        command.getParent() == null
            && e instanceof UnmatchedArgumentException unmatched
            && !unmatched.isUnknownOption();
    if (isCommand) {
      String name = ((UnmatchedArgumentException) e).getUnmatched().get(0);
      console.say("bsdb: unknown command '%s'", name);
      UnmatchedArgumentException.printSuggestions(e, err);
      err.println("'bsdb help' shows the commands.");
      return ExitStatus.USAGE;
    }
    console.say("bsdb: %s", e.getMessage());
    if (command.getParent() == null) {
      command.usage(err);
    } else if (!UnmatchedArgumentException.printSuggestions(e, err)) {
      err.println("'" + command.getCommandSpec().qualifiedName() + " --help' shows the options.");
    }
    return ExitStatus.USAGE;
  }
}
