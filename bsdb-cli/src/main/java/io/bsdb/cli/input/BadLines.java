package io.bsdb.cli.input;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;

/**
 * What becomes of lines that are not records: the first ends the command, or they are counted and
 * the first ten shown.
 */
public final class BadLines {
  /** How to treat them. */
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

  /** For a second reading, which has nothing new to say. */
  public static BadLines ignored(Console console) {
    return new BadLines(Policy.SKIP, console).beforehand();
  }

  /** For a reading before this one's, which leaves it to this to show what is skipped. */
  public BadLines beforehand() {
    BadLines silent = new BadLines(policy, console);
    silent.count = SHOWN;
    return silent;
  }

  /** A line is not a record. */
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
