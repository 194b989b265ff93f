package io.bsdb.cli;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.FailureText;
import io.bsdb.cli.output.StandardOutput;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns what a command throws into one line for people and a status for scripts. */
final class Failures {
  private Failures() {}

  /** Says what went wrong; the result is the exit status. */
  static int report(Throwable e, Console console, boolean stackTrace) {
    Throwable cause = e;
    if (e instanceof UncheckedIOException && e.getCause() instanceof IOException checked) {
      cause = checked;
    }
    if (cause instanceof StandardOutput.Failure failure && failure.isBrokenPipe()) {
      return ExitStatus.BROKEN_PIPE;
    }
    int status = FailureText.status(cause);
    console.say("bsdb: %s", FailureText.of(cause));
    if (stackTrace || status == ExitStatus.DEFECT) {
      sayStackTrace(cause, console);
    }
    return status;
  }

  private static void sayStackTrace(Throwable e, Console console) {
    StringWriter trace = new StringWriter();
    e.printStackTrace(new PrintWriter(trace));
    trace
        .toString()
        .lines()
        .forEach(
            line -> {
              String text = line.stripLeading();
              console
                  .err()
                  .println(
                      line.substring(0, line.length() - text.length()) + Console.escaped(text));
            });
  }

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
