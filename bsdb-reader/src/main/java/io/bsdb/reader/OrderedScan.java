package io.bsdb.reader;

import io.bsdb.reader.block.BlockFetch;
import io.bsdb.reader.io.Thrown;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.partition.RecordWalk;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Walks over a range of keys; counts as one call in flight until it is closed. */
final class OrderedScan implements RecordCursor {
  private final OpenSnapshot snapshot;
  private final KeyRange range;
  private final byte @Nullable [] end;
  private final BlockFetch source;
  private final int call;
  private @Nullable RecordWalk walk;
  private boolean begun;
  private boolean closed;

  OrderedScan(OpenSnapshot snapshot, KeyRange range) {
    this.snapshot = snapshot;
    this.range = range;
    this.end = range.end();
    this.call = snapshot.calls().enter();
    this.source = snapshot.sequential();
  }

  @Override
  public boolean next() throws IOException {
    if (closed) {
      throw new ClosedReaderException("cursor");
    }
    try {
      RecordWalk current = begun ? advance(walk) : begin();
      begun = true;
      if (current != null && end != null && !range.holds(current.compareKey(end))) {
        current.close();
        current = null;
      }
      walk = current;
      return current != null;
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.explained(e));
    }
  }

  private @Nullable RecordWalk begin() throws IOException {
    OrderedSeek seek = OrderedSeek.start(snapshot, range);
    seek.settle(source);
    Partition partition = seek.partition();
    if (partition == null) {
      return null;
    }
    RecordWalk first = new RecordWalk(partition, source);
    walk = first; // to be closed if moving fails
    first.moveTo(seek.record());
    return first;
  }

  private @Nullable RecordWalk advance(@Nullable RecordWalk current) throws IOException {
    if (current == null || (range.isReversed() ? current.previous() : current.next())) {
      return current;
    }
    current.close();
    int number = current.partition().number() + (range.isReversed() ? -1 : 1);
    if (number < 0 || number == snapshot.partitioning().count()) {
      return null;
    }
    Partition partition = snapshot.partition(number);
    RecordWalk next = new RecordWalk(partition, source);
    walk = next;
    next.moveTo(range.isReversed() ? partition.recordCount() - 1 : 0);
    return next;
  }

  private RecordWalk current() {
    RecordWalk current = walk;
    if (current == null || closed) {
      throw new IllegalStateException("no current record");
    }
    return current;
  }

  @Override
  public byte[] key() throws IOException {
    try {
      return current().key();
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.explained(e));
    }
  }

  @Override
  public byte[] value() throws IOException {
    try {
      return current().value();
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.explained(e));
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      RecordWalk current = walk;
      if (current != null) {
        current.close();
      }
      snapshot.calls().left(call);
    }
  }
}
