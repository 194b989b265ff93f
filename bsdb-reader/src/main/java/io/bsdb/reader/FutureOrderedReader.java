package io.bsdb.reader;

import io.bsdb.format.block.Block;
import io.bsdb.format.io.StackRoom;
import io.bsdb.reader.block.BlockRequest;
import io.bsdb.reader.block.ReadThread;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.snapshot.Ended;
import io.bsdb.reader.snapshot.OpenSnapshot;
import io.bsdb.reader.snapshot.OrderedSeek;
import io.bsdb.reader.snapshot.OrderedSeek.Target;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Looks up by order with futures: each block by a request, the next one where that is answered. */
final class FutureOrderedReader implements AsyncOrderedReader {
  private final OpenSnapshot snapshot;
  private final Ended ended;

  FutureOrderedReader(OpenSnapshot snapshot, Ended ended) {
    this.snapshot = snapshot;
    this.ended = ended;
  }

  @Override
  public <T> CompletableFuture<@Nullable T> find(
      Nearest nearest, byte[] key, RecordReader<T> reader) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(reader, "reader");
    return new Single<>(key, nearest.target(snapshot.manifest()), reader).start();
  }

  @Override
  public <T> CompletableFuture<@Nullable T> asOf(
      byte[] prefix, Instant time, RecordReader<T> reader) {
    byte[] key = Nearest.keyAsOf(snapshot.manifest(), prefix, time);
    return find(Nearest.FLOOR, key, Nearest.within(prefix, reader));
  }

  @Override
  public <T> CompletableFuture<List<T>> range(
      KeyRange range, int limit, long bytes, RecordReader<T> reader) {
    Objects.requireNonNull(range, "range");
    Objects.requireNonNull(reader, "reader");
    if (limit < 0) {
      throw new IllegalArgumentException("limit: expected>=0 actual=" + limit);
    }
    return new Several<>(range, new RangePosition.Collected<>(limit, bytes, reader, ended)).start();
  }

  /** A call that fetches one block after the other. */
  private abstract class Steps<T> {
    private final CompletableFuture<T> future = new CompletableFuture<>();
    private final int call;

    /** Steps that are due: one that becomes due within another is taken after it, not in it. */
    private final AtomicInteger due = new AtomicInteger();

    Steps() {
      StackRoom.require(); // else what waits for its end, as close does, waits for ever
      call = snapshot.calls().enter();
    }

    /** Fetches the next block, or finishes. */
    abstract void step() throws IOException;

    /** Uses the block that was fetched. */
    abstract void take(Block block, int base) throws IOException;

    final CompletableFuture<T> start() {
      proceed();
      return future;
    }

    final void fetch(Partition partition, int number) {
      snapshot
          .source()
          .fetch(
              new BlockRequest(partition.blocks(), number) {
                @Override
                protected void fetched(Block block, int base) throws IOException {
                  ReadThread.lending(() -> take(block, base));
                  proceed();
                }

                @Override
                protected void failed(Throwable cause) {
                  fail(cause);
                }
              });
    }

    private void proceed() {
      if (due.getAndIncrement() == 0) {
        do {
          try {
            step();
          } catch (IOException | RuntimeException | Error e) {
            fail(e);
          }
        } while (due.decrementAndGet() > 0);
      }
    }

    final void finish(@Nullable T result, int hits) {
      if (hits > 0) {
        snapshot.calls().hit(call);
      } else {
        snapshot.calls().missed(call);
      }
      ReadThread.complete(future, result, null);
    }

    private void fail(Throwable cause) {
      Throwable failure = snapshot.failures().counted(cause);
      snapshot.calls().left(call);
      ReadThread.complete(future, null, failure);
    }
  }

  private final class Single<T> extends Steps<@Nullable T> {
    private final byte[] key;
    private final Target target;
    private final RecordReader<T> reader;
    private @Nullable OrderedSeek seek;

    Single(byte[] key, Target target, RecordReader<T> reader) {
      this.key = key;
      this.target = target;
      this.reader = reader;
    }

    @Override
    @SuppressWarnings("unchecked") // the answer is the reader's
    void step() throws IOException {
      OrderedSeek begun =
          seek == null ? OrderedSeek.of(snapshot, key, target, reader::of, ended) : seek;
      seek = begun;
      Partition partition = begun.partition();
      if (partition != null && begun.needsBlock()) {
        fetch(partition, begun.block());
      } else {
        finish((T) begun.answer(), begun.answer() == null ? 0 : 1);
      }
    }

    @Override
    void take(Block block, int base) throws IOException {
      Objects.requireNonNull(seek).take(block, base);
    }
  }

  private final class Several<T> extends Steps<List<T>> {
    private final KeyRange range;
    private final RangePosition.Collected<T> found;
    private @Nullable OrderedSeek seek;
    private @Nullable RangePosition position;

    Several(KeyRange range, RangePosition.Collected<T> found) {
      this.range = range;
      this.found = found;
    }

    @Override
    void step() throws IOException {
      OrderedSeek begun = seek == null ? range.seek(snapshot) : seek;
      seek = begun;
      RangePosition at = position();
      Partition partition = at == null ? begun.partition() : at.partition();
      if (partition == null && at != null) {
        ReadThread.lending(() -> at.collectChanges(found));
      }
      if (partition == null || found.isFull()) {
        finish(found.records(), found.records().size());
      } else {
        fetch(partition, at == null ? begun.block() : at.block());
      }
    }

    /** Returns where the range goes on; null before its start is known. */
    private @Nullable RangePosition position() {
      if (position == null && Objects.requireNonNull(seek).isSettled()) {
        position = new RangePosition(snapshot, range, seek);
      }
      return position;
    }

    @Override
    void take(Block block, int base) throws IOException {
      if (position == null) {
        OrderedSeek begun = Objects.requireNonNull(seek);
        Partition partition = begun.partition();
        int number = begun.block();
        begun.take(block, base);
        if (!begun.isSettled()
            || !Objects.equals(begun.partition(), partition)
            || begun.block() != number) {
          return;
        }
      }
      Objects.requireNonNull(position()).collect(block, base, found);
    }
  }
}
