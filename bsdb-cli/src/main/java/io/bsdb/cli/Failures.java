package io.bsdb.cli;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.StandardOutput;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.table.PublishConflictException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
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
    int status = status(cause);
    console.say("bsdb: %s", message(cause));
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

  private static int status(Throwable e) {
    if (e instanceof CommandFailure failure) {
      return failure.status();
    }
    if (e instanceof IllegalArgumentException) {
      return ExitStatus.USAGE;
    }
    return e instanceof IOException ? ExitStatus.UNREADABLE : ExitStatus.DEFECT;
  }

  private static String message(Throwable e) {
    String message = e.getMessage();
    if (e instanceof CorruptSnapshotException
        || e instanceof UnsupportedVersionException
        || e instanceof PublishConflictException) {
      return String.valueOf(message);
    }
    if (e instanceof FileSystemException failure) {
      return message(failure);
    }
    if (e instanceof CommandFailure || e instanceof IllegalArgumentException) {
      return String.valueOf(message);
    }
    if (e instanceof IOException) {
      return message == null ? e.toString() : message;
    }
    return "defect of this program: " + e;
  }

  /**
   * Returns a message with more than these exceptions' own, which are hardly more than a file name.
   */
  private static String message(FileSystemException e) {
    if (e.getReason() != null) {
      return e.getFile() + ": " + e.getReason();
    }
    if (e instanceof NoSuchFileException) {
      return "no such file or directory: " + e.getFile();
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied: " + e.getFile();
    }
    if (e instanceof NotDirectoryException) {
      return "not a directory: " + e.getFile();
    }
    return String.valueOf(e.getMessage());
  }
}
