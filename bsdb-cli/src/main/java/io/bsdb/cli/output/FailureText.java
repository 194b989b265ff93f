package io.bsdb.cli.output;

import io.bsdb.reader.io.MappedFault;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Describes a failure: in one line for people, and by an exit status for scripts. */
public final class FailureText {
  private FailureText() {}

  /**
   * Prints a failure, with a stack trace if it is a defect; nothing if the reader of standard
   * output has closed it. Returns the exit status.
   *
   * @param stackTrace whether to print it in any case
   */
  public static int say(Throwable e, Console console, boolean stackTrace) {
    int status = status(e);
    if (status == ExitStatus.BROKEN_PIPE) {
      return status;
    }
    console.say("bsdb: %s", of(e));
    if (stackTrace || status == ExitStatus.DEFECT) {
      sayStackTrace(e, console);
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

  /** Returns the exit status of a command that failed. */
  public static int status(Throwable failure) {
    Throwable e = checked(failure);
    if (e instanceof CommandFailure expected) {
      return expected.status();
    }
    if (e instanceof StandardOutput.Failure output && output.isBrokenPipe()) {
      return ExitStatus.BROKEN_PIPE;
    }
    if (e instanceof IllegalArgumentException) {
      return ExitStatus.USAGE;
    }
    return e instanceof IOException ? ExitStatus.UNREADABLE : ExitStatus.DEFECT;
  }

  private static Throwable checked(Throwable e) {
    Throwable cause = e.getCause();
    return e instanceof UncheckedIOException && cause != null ? cause : MappedFault.explained(e);
  }

  /** Returns what went wrong. */
  public static String of(Throwable failure) {
    Throwable e = checked(failure);
    String message = e.getMessage();
    if (e instanceof FileSystemException file) {
      return of(file);
    }
    if (e instanceof CommandFailure || e instanceof IllegalArgumentException) {
      return String.valueOf(message);
    }
    if (e instanceof ClosedByInterruptException) {
      return "interrupted";
    }
    if (e instanceof IOException) {
      return message == null ? e.toString() : message;
    }
    return "defect of this program: " + e;
  }

  /**
   * Returns a message with more than these exceptions' own, which are hardly more than a file name.
   */
  private static String of(FileSystemException e) {
    if (e.getReason() != null) {
      return e.getFile() + ": " + e.getReason();
    }
    if (e instanceof NoSuchFileException) {
      return "no such file or directory: " + e.getFile();
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied: " + e.getFile();
    }
    if (e instanceof FileAlreadyExistsException) {
      return "a file of this name is in the way: " + e.getFile();
    }
    if (e instanceof NotDirectoryException) {
      return "not a directory: " + e.getFile();
    }
    return String.valueOf(e.getMessage());
  }
}
