package io.bsdb.http;

import io.bsdb.reader.SnapshotDiff;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Compares versions, few at a time: a comparison may read all of two versions. */
final class Comparisons {
  private static final int MAX_DIFFERENCES = 10_000;

  private final Service service;
  private final Semaphore turns = new Semaphore(2);

  Comparisons(Service service) {
    this.service = service;
  }

  void answer(Exchange exchange, ServedTable table) throws IOException {
    Address address = exchange.address();
    address.allow(Set.of("from", "to", "limit", "sample"));
    String from = address.parameter("from");
    String to = address.parameter("to");
    if (from == null) {
      throw new Problem(Problem.Kind.BAD_REQUEST, "parameter 'from' is missing: a version");
    }
    int limit = address.number("limit", 100, MAX_DIFFERENCES);
    double share = share(address.parameter("sample"));
    MediaType type = exchange.negotiate(List.of(MediaType.JSON, MediaType.NDJSON));
    try (Closeable turn = turn();
        Held first = service.hold(table, from);
        Held second = service.hold(table, to);
        SnapshotDiff diff = begin(first, second, share)) {
      exchange.access.version = second.version();
      Lines lines = new Lines(exchange, second, type, "differences");
      int found = 0;
      SnapshotDiff.Difference next = diff.next();
      while (next != null && found < limit) {
        found++;
        lines.next();
        DiffJson.write(lines.json(), first.rows(), second.rows(), next);
        next = diff.next();
      }
      lines.note("from", first.version());
      lines.note("to", second.version());
      lines.note("compared", diff.compared());
      lines.answer(next == null && !diff.isStopped());
    }
  }

  /** Takes one of the few turns to compare. */
  Closeable turn() {
    if (!turns.tryAcquire()) {
      throw new Problem(Problem.Kind.OVERLOADED, "other comparisons are in progress");
    }
    return turns::release;
  }

  private static double share(@Nullable String text) {
    if (text == null) {
      return 1;
    }
    try {
      double share = Double.parseDouble(text);
      if (share > 0 && share <= 1) {
        return share;
      }
    } catch (NumberFormatException e) {
      // the same message
    }
    throw new Problem(
        Problem.Kind.BAD_REQUEST,
        "parameter 'sample' is '%s': expected a number above 0, at most 1".formatted(text));
  }

  /** Begins a comparison that ends with the time of a request. */
  SnapshotDiff begin(Held first, Held second, double share) throws IOException {
    long end = System.nanoTime() + service.limits().request().toNanos();
    try {
      return SnapshotDiff.between(
          first.reader(), second.reader(), share, () -> System.nanoTime() - end > 0);
    } catch (IllegalArgumentException e) {
      throw new Problem(Problem.Kind.NOT_COMPARABLE, String.valueOf(e.getMessage()));
    }
  }
}
