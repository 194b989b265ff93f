package io.bsdb.live;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that follows the log of a table until it is killed, or has seen the last change, and
 * prints each change and, before it is acknowledged, the position behind it.
 */
final class FollowsUntilKilled {
  static final String LAST = "last";
  static final String END = " .";

  private FollowsUntilKilled() {}

  /**
   * Follows.
   *
   * @param arguments the table, the name of the follower, and where it begins
   */
  public static void main(String[] arguments) throws IOException {
    try (ChangeReader reader =
        ChangeReader.from(Path.of(arguments[0]), arguments[1], LogPosition.parse(arguments[2]))) {
      String key = "";
      while (!key.equals(LAST)) {
        if (!reader.next()) {
          LockSupport.parkNanos(100_000); // else it takes a processor from the writer
          continue;
        }
        key = new String(reader.key(), US_ASCII);
        byte[] value = reader.value();
        say(key + (value == null ? " -" : " +" + new String(value, US_ASCII)));
        if (reader.isLast()) {
          say("at " + reader.position()); // before the log may be deleted
          reader.acknowledge();
        }
      }
    }
  }

  /** Prints a line and its end, by which one that is whole is known. */
  private static void say(String line) {
    System.out.println(line + END);
  }
}
