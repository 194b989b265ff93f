package io.bsdb.live.log;

import io.bsdb.compact.Background;
import io.bsdb.reader.snapshot.Calls;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes resources once the lookups in flight that may use them have ended, in a separate thread.
 * That thread waits for lookups; only {@link #close} waits for it.
 */
public final class Reclaimer implements Closeable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Reclaimer.class);

  private final Calls calls;
  private final Queue<Closeable> retired = new ConcurrentLinkedQueue<>();
  private final Background background =
      new Background(
          "bsdb-reclaim", this::closeRetired, Duration.ofNanos(Long.MAX_VALUE), () -> {});

  /**
   * @param calls counts the lookups in flight
   */
  public Reclaimer(Calls calls) {
    this.calls = calls;
  }

  public void start() {
    background.start();
  }

  /** Closes something once no lookup that is in flight now uses it. */
  public void retire(Closeable used) {
    retired.add(used);
    background.wake();
  }

  private void closeRetired() {
    int count = retired.size();
    calls.awaitEnd();
    for (; count > 0; count--) {
      try {
        close(retired.remove());
      } catch (RuntimeException | Error e) {
        // No memory to log.
      }
    }
  }

  private static void close(Closeable used) {
    try {
      used.close();
    } catch (IOException | RuntimeException | Error e) {
      // Its changes are published: what stays takes space until the next open deletes it.
      LOGGER.warn("a part of the log that is no longer used cannot be deleted", e);
    }
  }

  /** Ends the thread, and closes all that was retired. */
  @Override
  public void close() {
    background.close();
    closeRetired();
  }
}
