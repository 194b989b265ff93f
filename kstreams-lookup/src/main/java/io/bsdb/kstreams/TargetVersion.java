package io.bsdb.kstreams;

import io.bsdb.format.Manifest;
import io.bsdb.table.Table;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Which version of its table a lookup shall serve: the pinned one, or the one that the table names.
 */
final class TargetVersion {
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  /** Lets time pass. */
  interface Pause {
    void of(Duration duration) throws InterruptedException;
  }

  private final LookupSettings settings;
  private final Table table;

  TargetVersion(LookupSettings settings) {
    this.settings = settings;
    this.table = Table.at(settings.table());
  }

  /** Its name; null while there is none. */
  @Nullable String name() throws IOException {
    String pinned = settings.pinnedVersion();
    if (pinned == null) {
      return table.currentVersion();
    }
    return table.versions().contains(pinned) ? pinned : null;
  }

  Manifest manifest(String version) throws IOException {
    return table.manifest(version);
  }

  /**
   * Does about a missing version what the user chose.
   *
   * @return whether there is a version
   */
  boolean await(OnMissing onMissing, Duration refreshEvery, Pause pause) throws IOException {
    Duration left = onMissing.patience();
    while (name() == null) {
      if (onMissing.kind() == OnMissing.Kind.EMPTY) {
        return false;
      }
      if (left.isZero()) {
        throw missing();
      }
      Duration next = shortest(left, shortest(refreshEvery, LONGEST_PAUSE));
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
