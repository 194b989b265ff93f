package io.bsdb.cli;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports usage errors. */
final class Failures {
  /** How picocli says that a text is no constant of an enum. */
  private static final Pattern CHOICES =
      Pattern.compile("(expected one of \\[.*]) \\(case-insensitive\\) but was ");

  private Failures() {}

  /** Reports what is wrong with a command line, and which help describes its form. */
  static int reportUsage(ParameterException thrown, Console console) {
    CommandLine command = thrown.getCommandLine();
    ParameterException e = withUnknownOptions(thrown, command);
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

  /** Returns a message of picocli without the names of Java's types and constants. */
  private static String inPlainWords(String message) {
    return CHOICES
        .matcher(message)
        .replaceFirst(choices -> choices.group(1).toLowerCase(Locale.ROOT) + ", actual ")
        .replaceFirst("^Error: ", "")
        .replace("option option ", "option ")
        .replaceFirst("' is not an int$", "' is not a whole number up to " + Integer.MAX_VALUE)
        .replaceFirst("' is not a long$", "' is not a whole number up to " + Long.MAX_VALUE)
        .replaceFirst("' is not a double$", "' is not a number");
  }

  /** Returns what is wrong: options that are misspelled, without their values, if there are any. */
  private static ParameterException withUnknownOptions(ParameterException e, CommandLine command) {
    List<String> unmatched =
        e instanceof UnmatchedArgumentException unknown && unknown.isUnknownOption()
            ? unknown.getUnmatched()
            : e instanceof MissingParameterException ? command.getUnmatchedArguments() : List.of();
    List<String> options = unmatched.stream().filter(each -> each.startsWith("-")).toList();
    return options.isEmpty() ? e : new UnmatchedArgumentException(command, options);
  }
}
