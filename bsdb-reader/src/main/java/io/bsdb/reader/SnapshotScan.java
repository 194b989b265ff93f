package io.bsdb.reader;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Walks over some partitions; counts as one call under way until it is closed. */
final class SnapshotScan implements RecordCursor {
  private final OpenSnapshot snapshot;
  private final int end;
  private final int call;
  private int partition;
  private @Nullable PartitionWalk walk;
  private boolean closed;

  SnapshotScan(OpenSnapshot snapshot, int first, int end) {
    this.snapshot = snapshot;
    this.partition = first;
    this.end = end;
    this.call = snapshot.calls().enter();
  }

  @Override
  public boolean next() throws IOException {
    if (closed) {
      throw new ClosedReaderException("cursor");
    }
    try {
      while (partition < end) {
        PartitionWalk current = walk;
        if (current == null) {
          current = new PartitionWalk(snapshot.partitions()[partition]);
          walk = current;
        }
        if (current.next()) {
          return true;
        }
        current.close();
        walk = null;
        partition++;
      }
      return false;
    } catch (IndexOutOfBoundsException e) {
      throw snapshot.damaged(e);
    }
  }

  private PartitionWalk current() {
    PartitionWalk current = walk;
    if (current == null || closed) {
      throw new IllegalStateException("no current record");
    }
    return current;
  }

  @Override
  public byte[] key() throws IOException {
    try {
      return current().key();
    } catch (IndexOutOfBoundsException e) {
      throw snapshot.damaged(e);
    }
  }

  @Override
  public byte[] value() throws IOException {
    try {
      return current().value();
    } catch (IndexOutOfBoundsException e) {
      throw snapshot.damaged(e);
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      PartitionWalk current = walk;
      if (current != null) {
        current.close();
      }
      snapshot.calls().left(call);
    }
  }
}
