package io.bsdb.reader;

import io.bsdb.format.io.IOSupplier;
import io.bsdb.format.io.Thrown;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.snapshot.Calls;
import io.bsdb.reader.snapshot.Ended;
import io.bsdb.reader.snapshot.OpenSnapshot;
import io.bsdb.reader.snapshot.OrderedSeek;
import io.bsdb.reader.snapshot.OrderedSeek.Target;
import java.io.IOException;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Looks up by order in the calling thread. */
final class CallingOrderedReader implements OrderedReader {
  private final OpenSnapshot snapshot;
  private final Ended ended;

  CallingOrderedReader(OpenSnapshot snapshot, Ended ended) {
    this.snapshot = snapshot;
    this.ended = ended;
  }

  @Override
  @SuppressWarnings("unchecked") // the answer is the reader's
  public <T> @Nullable T find(Nearest nearest, byte[] key, RecordReader<T> reader)
      throws IOException {
    Objects.requireNonNull(reader, "reader");
    return (T) find(key, nearest.target(snapshot.manifest()), reader);
  }

  @Override
  public <T> @Nullable T asOf(byte[] prefix, Instant time, RecordReader<T> reader)
      throws IOException {
    byte[] key = Nearest.keyAsOf(snapshot.manifest(), prefix, time);
    return find(Nearest.FLOOR, key, Nearest.within(prefix, reader));
  }

  @Override
  public @Nullable KeyValue lower(byte[] key) throws IOException {
    return (KeyValue) find(key, Target.LOWER, RecordReader.COPY);
  }

  @Override
  public @Nullable KeyValue higher(byte[] key) throws IOException {
    return (KeyValue) find(key, Target.HIGHER, RecordReader.COPY);
  }

  @Override
  public @Nullable KeyValue first() throws IOException {
    return (KeyValue) find(() -> OrderedSeek.end(snapshot, false, RecordReader.COPY::of, ended));
  }

  @Override
  public @Nullable KeyValue last() throws IOException {
    return (KeyValue) find(() -> OrderedSeek.end(snapshot, true, RecordReader.COPY::of, ended));
  }

  private @Nullable Object find(byte[] key, Target target, RecordReader<?> reader)
      throws IOException {
    Objects.requireNonNull(key, "key");
    return find(() -> OrderedSeek.of(snapshot, key, target, reader::of, ended));
  }

  private @Nullable Object find(IOSupplier<OrderedSeek> begin) throws IOException {
    Calls calls = snapshot.calls();
    int call = calls.enter();
    int end = Calls.LEFT;
    try {
      Object answer = begin.get().find(snapshot.source()).answer();
      end = answer == null ? Calls.MISSED : Calls.HIT;
      return answer;
    } catch (Throwable e) {
      throw Thrown.asIs(snapshot.failures().counted(e));
    } finally {
      try {
        calls.end(call, end);
      } catch (StackOverflowError e) {
        calls.uncounted[call]++;
      }
    }
  }

  @Override
  public RecordCursor range(KeyRange range) throws IOException {
    Objects.requireNonNull(range, "range");
    return new OrderedScan(snapshot, range, snapshot.sequential(), FieldSelection.ALL, ended);
  }
}
