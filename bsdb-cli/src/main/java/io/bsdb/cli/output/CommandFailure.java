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

  /** The command line is well formed and yet makes no sense. */
  public static CommandFailure usage(String message) {
    return new CommandFailure(ExitStatus.USAGE, message);
  }

  /** What an input holds was refused. */
  public static CommandFailure refused(String message) {
    return new CommandFailure(ExitStatus.NO, message);
  }

  /** A file cannot be read or written. */
  public static CommandFailure unreadable(String message) {
    return new CommandFailure(ExitStatus.UNREADABLE, message);
  }

  public int status() {
    return status;
  }
}
