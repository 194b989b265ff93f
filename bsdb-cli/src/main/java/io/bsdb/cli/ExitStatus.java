package io.bsdb.cli;

/** What the process tells its caller; the same for every command. */
final class ExitStatus {
  static final int OK = 0;

  /** The answer is no: a key is absent, an input was refused. */
  static final int NO = 1;

  /** The command line makes no sense. */
  static final int USAGE = 2;

  /** A table or a file is corrupt; it or standard output cannot be read or written. */
  static final int UNREADABLE = 3;

  /** A defect of this program. */
  static final int DEFECT = 70;

  /** What the shell reports of programs that write to nobody: 128 + SIGPIPE. */
  static final int BROKEN_PIPE = 141;

  private ExitStatus() {}
}
