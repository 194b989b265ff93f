package io.bsdb.cli;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports usage errors. */
final class Failures {
  private Failures() {}

  /** Reports what is wrong with a command line, and which help describes its form. */
  static int reportUsage(ParameterException thrown, Console console) {
    CommandLine command = thrown.getCommandLine();
    ParameterException e = withUnknownOption(thrown, command);
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
    console.say("bsdb: %s", inPlainWords(String.valueOf(e.getMessage())));
    if (command.getParent() == null) {
      command.usage(err);
    } else if (!UnmatchedArgumentException.printSuggestions(e, err)) {
      err.println("'" + command.getCommandSpec().qualifiedName() + " --help' shows the options.");
    }
    return ExitStatus.USAGE;
  }

  /** Returns a message of picocli without the names of Java's types. */
  private static String inPlainWords(String message) {
    return message
        .replaceFirst("^Error: ", "")
        .replace("option option ", "option ")
        .replaceFirst("' is not an int$", "' is not a whole number up to " + Integer.MAX_VALUE)
        .replaceFirst("' is not a long$", "' is not a whole number up to " + Long.MAX_VALUE)
        .replaceFirst("' is not a double$", "' is not a number");
  }

  /** Returns what is wrong where an option is missing: one that is misspelled, if there is one. */
  private static ParameterException withUnknownOption(ParameterException e, CommandLine command) {
    if (e instanceof MissingParameterException && !command.getUnmatchedArguments().isEmpty()) {
      var unmatched = new UnmatchedArgumentException(command, command.getUnmatchedArguments());
      return unmatched.isUnknownOption() ? unmatched : e;
    }
    return e;
  }
}
