package io.bsdb.cli.input;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;

/**
 * Handles lines that are not records: the first ends the command, or they are counted and the first
 * ten shown.
 */
public final class BadLines {
  /** Ways to treat bad lines. */
  public enum Policy {
    FAIL,
    SKIP
  }

  private static final int SHOWN = 10;

  private final Policy policy;
  private final Console console;
  private long count;

  public BadLines(Policy policy, Console console) {
    this.policy = policy;
    this.console = console;
  }

  /** Returns a handler for a second reading, which has nothing new to report. */
  public static BadLines ignored(Console console) {
    return new BadLines(Policy.SKIP, console).beforehand();
  }

  /**
   * Returns a handler for an earlier reading, which leaves it to this one to show what is skipped.
   */
  public BadLines beforehand() {
    BadLines silent = new BadLines(policy, console);
    silent.count = SHOWN;
    return silent;
  }

  /** Forgets what was found, before the inputs are read again. */
  public void restart() {
    count = 0;
  }

  /** Handles a line that is not a record. */
  void found(String name, long line, String reason) {
    String message = "%s:%d: %s".formatted(name, line, reason);
    if (policy == Policy.FAIL) {
      throw CommandFailure.refused(message);
    }
    count++;
    if (count <= SHOWN) {
      console.say("skipped %s", message);
    }
  }

  public long count() {
    return count;
  }
}
