package io.bsdb.http.table;

import io.bsdb.http.exchange.Problem;
import io.bsdb.reader.diff.SnapshotDiff;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.Semaphore;

/** Compares versions, few at a time: a comparison may read all of two versions. */
public final class Comparisons {
  private final Service service;
  private final Semaphore turns = new Semaphore(2);

  public Comparisons(Service service) {
    this.service = service;
  }

  /** Takes one of the few turns to compare. */
  public Closeable turn() {
    if (!turns.tryAcquire()) {
      throw new Problem(Problem.Kind.OVERLOADED, "other comparisons are in progress");
    }
    return turns::release;
  }

  /** Begins a comparison that ends with the time of a request. */
  public SnapshotDiff begin(Held first, Held second, double share) throws IOException {
    long end = System.nanoTime() + service.limits().request().toNanos();
    try {
      return SnapshotDiff.between(
          first.reader(), second.reader(), share, () -> System.nanoTime() - end > 0);
    } catch (IllegalArgumentException e) {
      throw new Problem(Problem.Kind.NOT_COMPARABLE, String.valueOf(e.getMessage()));
    }
  }
}
