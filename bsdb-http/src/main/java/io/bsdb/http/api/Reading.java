package io.bsdb.http.api;

import io.bsdb.format.io.IOFunction;
import io.bsdb.http.exchange.Entity;
import io.bsdb.http.exchange.Exchange;
import io.bsdb.http.exchange.MediaType;
import io.bsdb.http.table.Held;
import io.bsdb.http.table.ServedTable;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lookup that reads what it answers with in portions: each fits in memory, and before each the
 * time of the request is checked. Tables in memory are read in the request's thread; those on disk
 * by futures, whose answers are written by the server's threads. Every lookup goes through {@link
 * #answer}.
 *
 * @param <T> a portion
 */
public abstract class Reading<T> {
  /** Bytes of records that a portion has, if they are as long as others of the table. */
  static final long PORTION = 1 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(Reading.class);

  final Exchange exchange;
  final Held held;
  final MediaType type;

  /**
   * @param type of the answer
   */
  Reading(Exchange exchange, Held held, MediaType type) {
    this.exchange = exchange;
    this.held = held;
    this.type = type;
  }

  /** Begins to read the next portion from disk. */
  abstract CompletableFuture<T> begin();

  /** Reads the next portion in the calling thread. */
  T read() throws IOException {
    return begin().join();
  }

  /** Takes a portion into the answer; returns whether there is another one. */
  abstract boolean take(T portion) throws IOException;

  /** Answers, after the last portion. */
  abstract void end() throws IOException;

  /** Returns how many lookups may wait for the disk at once. */
  int lookups() {
    return 1;
  }

  /**
   * Answers with what a version holds.
   *
   * @param held released before the answer is written: when the client has it, it may ask for
   *     something else that only few requests may hold
   * @param begin reads the rest of the request, for an answer of a type
   */
  static void answer(
      Exchange exchange,
      ServedTable table,
      Held held,
      List<MediaType> offered,
      IOFunction<MediaType, Reading<?>> begin)
      throws IOException {
    try (Releasing releasing = new Releasing(held)) {
      MediaType type = exchange.negotiate(offered);
      Reading<?> reading = begin.apply(type);
      exchange.access.version = held.version();
      Entity entity = held.entity(type);
      if (exchange.isRead() && !held.pinned() && exchange.isUnchanged(entity)) {
        releasing.close();
        exchange.notModified(entity);
      } else if (table.readsFromDisk()) {
        Runnable permit = table.reserve(reading.lookups());
        reading.readLater(releasing.handedOver(), permit);
      } else {
        reading.readNow();
        releasing.close();
        reading.end();
      }
    }
  }

  private void readNow() throws IOException {
    do {
      exchange.requireTime();
    } while (take(read()));
  }

  /** Reads portion after portion; the version and the permit are held until the last read ends. */
  private void readLater(Held handedOver, Runnable permit) {
    CompletableFuture<?> released =
        portions()
            .whenCompleteAsync(
                (value, failure) -> {
                  permit.run();
                  release(handedOver);
                },
                exchange.executor());
    // Where a read ends is the thread of the ring: everything else happens elsewhere.
    var unused =
        released
            .copy()
            .orTimeout(exchange.limits().request().toMillis(), TimeUnit.MILLISECONDS)
            .whenCompleteAsync(
                (value, failure) -> {
                  try {
                    if (failure != null) {
                      exchange.fail(failure);
                    } else {
                      end();
                    }
                  } catch (IOException | RuntimeException | Error e) {
                    exchange.fail(e);
                  }
                },
                exchange.executor());
  }

  private CompletableFuture<@Nullable Void> portions() {
    CompletableFuture<T> begun;
    try {
      exchange.requireTime();
      begun = begin();
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
    return begun.thenComposeAsync(
        portion -> {
          try {
            return take(portion) ? portions() : CompletableFuture.completedFuture(null);
          } catch (IOException e) {
            throw new CompletionException(e);
          }
        },
        exchange.executor());
  }

  private static void release(Held held) {
    try {
      held.close();
    } catch (IOException | RuntimeException e) {
      LOG.error("version {} cannot be closed", held.version(), e);
    }
  }

  /** Releases a version, at the end of a block at the latest, unless it was handed over. */
  private static final class Releasing implements Closeable {
    private @Nullable Held held;

    Releasing(Held held) {
      this.held = held;
    }

    Held handedOver() {
      Held given = held;
      if (given == null) {
        throw new IllegalStateException("handed over already");
      }
      held = null;
      return given;
    }

    @Override
    public void close() {
      if (held != null) {
        release(handedOver());
      }
    }
  }
}
