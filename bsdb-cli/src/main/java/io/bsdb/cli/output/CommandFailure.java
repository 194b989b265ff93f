package io.bsdb.cli.output;

/**
 * An expected error: its message is all that the user needs, and its status is how the process
 * ends.
 */
public final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;

  private CommandFailure(int status, String message) {
    super(message);
    this.status = status;
  }

  /** Signals a usage error that the parser of the command line cannot see. */
  public static CommandFailure usage(String message) {
    return new CommandFailure(ExitStatus.USAGE, message);
  }

  /** Signals that the content of an input was refused. */
  public static CommandFailure refused(String message) {
    return new CommandFailure(ExitStatus.NO, message);
  }

  /** Signals that a file cannot be read or written. */
  public static CommandFailure unreadable(String message) {
    return new CommandFailure(ExitStatus.UNREADABLE, message);
  }

  public int status() {
    return status;
  }
}
