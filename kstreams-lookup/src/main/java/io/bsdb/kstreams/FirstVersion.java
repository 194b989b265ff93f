package io.bsdb.kstreams;

import io.bsdb.table.Table;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;

/** What a lookup does while its table has no version in service, or not the pinned one. */
record FirstVersion(LookupSettings settings) {
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  /** Lets time pass. */
  interface Pause {
    void of(Duration duration) throws InterruptedException;
  }

  private boolean isPublished() throws IOException {
    Table table = Table.at(settings.table());
    String pinned = settings.pinnedVersion();
    return pinned == null ? table.currentVersion() != null : table.contains(pinned);
  }

  /**
   * Does about a missing version what the user chose.
   *
   * @return whether there is a version
   */
  boolean await(Pause pause) throws IOException {
    Duration left = settings.onMissing().patience();
    while (!isPublished()) {
      if (settings.onMissing().kind() == OnMissing.Kind.EMPTY) {
        return false;
      }
      if (left.isZero()) {
        throw missing();
      }
      Duration next = shortest(left, shortest(settings.refreshEvery(), LONGEST_PAUSE));
      try {
        pause.of(next);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        InterruptedIOException interrupted =
            new InterruptedIOException(
                settings.describe() + ": interrupted while waiting for the first version");
        interrupted.initCause(e);
        throw interrupted;
      }
      left = left.minus(next);
    }
    return true;
  }

  private static Duration shortest(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  private NoSuchFileException missing() {
    String pinned = settings.pinnedVersion();
    String what =
        pinned == null ? "nothing has been published there" : "there is no version " + pinned;
    return new NoSuchFileException(
        settings.table().toString(),
        null,
        "lookup '%s', onMissing=%s: %s; build a snapshot, or check the path"
            .formatted(settings.name(), settings.onMissing(), what));
  }
}
