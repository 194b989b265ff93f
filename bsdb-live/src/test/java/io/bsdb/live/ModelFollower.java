package io.bsdb.live;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.live.ModelValues.State;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Follows the log of the model's table, each time from the position that it remembers: it must be
 * given each change once, in order, or be told that changes are gone.
 */
final class ModelFollower {
  private static final String NAME = "model";

  /** Less than what the log keeps for followers. */
  private static final long KEPT_BYTES = 1 << 18;

  private final ModelValues values;
  private final Deque<Change> unread = new ArrayDeque<>();
  private LogPosition position = LogPosition.START;
  private boolean registered;
  private long written;

  ModelFollower(ModelValues values) {
    this.values = values;
  }

  private record Change(String key, int value) {}

  /** Begins at the end of a log. */
  void begin(LogPosition end) {
    position = end;
    unread.clear();
    registered = false;
    written = 0;
  }

  void wrote(String key, int value) {
    unread.add(new Change(key, value));
    written += key.length() + (value == ModelValues.ABSENT ? 0 : values.bytes(value).length);
  }

  /**
   * Reads some changes.
   *
   * @return whether they are there
   */
  boolean read(Path table, int most) throws IOException {
    Deque<Change> expected = new ArrayDeque<>(unread);
    try (ChangeReader reader = ChangeReader.from(table, NAME, position)) {
      registered = true;
      for (int i = 0; i < most && reader.next(); i++) {
        Change change = expected.remove();
        assertThat(new String(reader.key(), US_ASCII)).as("followed key").isEqualTo(change.key());
        Integer value = State.EMPTY.with(change.key(), change.value()).values().get(change.key());
        assertThat(reader.value()).as(change.key()).isEqualTo(values.bytes(value));
        if (reader.isLast()) {
          position = reader.position();
          unread.clear();
          unread.addAll(expected);
        }
      }
      return true;
    } catch (IOException gone) {
      assertThat(gone)
          .hasMessageContaining("changes after this position have been deleted")
          .hasMessageContaining("take a checkpoint and resume from it");
      assertThat(registered && written < KEPT_BYTES).as("kept for the follower").isFalse();
      return false;
    }
  }

  /** Checks that nothing is left to read after a table was closed. */
  boolean readAll(Path table) throws IOException {
    boolean all = read(table, Integer.MAX_VALUE);
    assertThat(all ? unread : new ArrayDeque<>()).as("changes that were not handed out").isEmpty();
    return all;
  }
}
