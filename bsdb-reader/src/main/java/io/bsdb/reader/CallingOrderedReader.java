package io.bsdb.reader;

import io.bsdb.format.IOSupplier;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.OrderedSeek.Target;
import io.bsdb.reader.io.Thrown;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Looks up by order in the calling thread. */
final class CallingOrderedReader implements OrderedReader {
  private final OpenSnapshot snapshot;

  CallingOrderedReader(OpenSnapshot snapshot) {
    this.snapshot = snapshot;
  }

  @Override
  public @Nullable KeyValue floor(byte[] key) throws IOException {
    return find(key, Target.FLOOR);
  }

  @Override
  public @Nullable KeyValue ceiling(byte[] key) throws IOException {
    return find(key, Target.CEILING);
  }

  @Override
  public @Nullable KeyValue lower(byte[] key) throws IOException {
    return find(key, Target.LOWER);
  }

  @Override
  public @Nullable KeyValue higher(byte[] key) throws IOException {
    return find(key, Target.HIGHER);
  }

  @Override
  public @Nullable KeyValue longestPrefix(byte[] key) throws IOException {
    return find(key, Target.LONGEST_PREFIX);
  }

  @Override
  public @Nullable KeyValue first() throws IOException {
    return find(() -> OrderedSeek.end(snapshot, false));
  }

  @Override
  public @Nullable KeyValue last() throws IOException {
    return find(() -> OrderedSeek.end(snapshot, true));
  }

  private @Nullable KeyValue find(byte[] key, Target target) throws IOException {
    Objects.requireNonNull(key, "key");
    return find(() -> OrderedSeek.of(snapshot, key, target));
  }

  private @Nullable KeyValue find(IOSupplier<OrderedSeek> begin) throws IOException {
    Calls calls = snapshot.calls();
    int call = calls.enter();
    KeyValue found;
    try {
      found = begin.get().find(snapshot.source());
    } catch (Throwable e) {
      Throwable explained = snapshot.explained(e);
      snapshot.counters().failure();
      calls.left(call);
      throw Thrown.asIs(explained);
    }
    if (found == null) {
      calls.missed(call);
    } else {
      calls.hit(call);
    }
    return found;
  }

  @Override
  public RecordCursor range(KeyRange range) throws IOException {
    Objects.requireNonNull(range, "range");
    return new OrderedScan(snapshot, range, snapshot.sequential(), FieldSelection.ALL);
  }
}
