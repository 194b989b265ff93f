package io.bsdb.reader;

import io.bsdb.reader.io.Thrown;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.partition.RecordWalk;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Walks over some partitions; counts as one call in flight until it is closed. */
final class SnapshotScan implements RecordCursor {
  private final OpenSnapshot snapshot;
  private final Iterator<Partition> partitions;
  private final int call;
  private @Nullable RecordWalk walk;
  private boolean closed;

  SnapshotScan(OpenSnapshot snapshot, List<Partition> partitions) {
    this.snapshot = snapshot;
    this.partitions = partitions.iterator();
    this.call = snapshot.calls().enter();
  }

  @Override
  public boolean next() throws IOException {
    if (closed) {
      throw new ClosedReaderException("cursor");
    }
    try {
      RecordWalk current = walk;
      while (current == null || !current.next()) {
        if (current != null) {
          walk = null;
          current.close();
        }
        if (!partitions.hasNext()) {
          return false;
        }
        current = new RecordWalk(partitions.next(), snapshot.uncached());
        walk = current;
      }
      return true;
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.explained(e));
    }
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
