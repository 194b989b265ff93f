package io.bsdb.cli.output;

/** Exit statuses; the same for every command. */
public final class ExitStatus {
  public static final int OK = 0;

  /** The answer is no: a key is absent, an input was refused. */
  public static final int NO = 1;

  /** Usage error. */
  public static final int USAGE = 2;

  /** A table or a file is corrupt; it or standard output cannot be read or written. */
  public static final int UNREADABLE = 3;

  /** A defect of this program. */
  public static final int DEFECT = 70;

  /** The status that shells report for programs whose output is closed: 128 + SIGPIPE. */
  public static final int BROKEN_PIPE = 141;

  private ExitStatus() {}
}
