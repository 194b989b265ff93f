package io.bsdb.reader.follow;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Logs refreshes that fail in the background: each kind of failure once in full; then, as long as
 * refreshes fail, at most one line a minute with their number; and one line when they succeed
 * again. Used by the refresh thread.
 */
final class RefreshLog {
  private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Logger log;
  private final LongSupplier nanoTime;
  private final Set<Kind> loggedInFull = new HashSet<>();
  private long failures;
  private long lastLine;

  private record Kind(@Nullable String version, Class<?> type) {}

  /**
   * @param nanoTime the clock, as {@link System#nanoTime}
   */
  RefreshLog(Logger log, LongSupplier nanoTime) {
    this.log = log;
    this.nanoTime = nanoTime;
  }

  /**
   * @param table describes what is refreshed
   * @param inUse the version that stays in use; null for none
   * @param refused the version that was refused and will not be tried again; null if the next
   *     refresh tries again
   */
  void failed(Object table, @Nullable String inUse, @Nullable String refused, Throwable cause) {
    failures++;
    long now = nanoTime.getAsLong();
    if (loggedInFull.add(new Kind(refused, cause.getClass()))) {
      lastLine = now;
      log.warn(
          "{}: refresh failed, {}, {}",
          table,
          stays(inUse),
          refused == null ? "will try again" : "version " + refused + " is refused",
          cause);
    } else if (now - lastLine >= INTERVAL_NANOS) {
      lastLine = now;
      log.warn(
          "{}: {} refreshes in a row failed, {}; the last one: {}",
          table,
          failures,
          stays(inUse),
          cause.toString());
    }
  }

  private static String stays(@Nullable String inUse) {
    return inUse == null ? "there is still no version" : "version " + inUse + " stays in use";
  }

  /** Notes that a refresh succeeded, whether or not it found another version. */
  void succeeded(Object table, @Nullable String inUse) {
    if (failures > 0) {
      log.info(
          "{}: refreshes succeed again after {} failed, {} is in use",
          table,
          failures,
          inUse == null ? "no version" : "version " + inUse);
      failures = 0;
      loggedInFull.clear();
    }
  }
}
