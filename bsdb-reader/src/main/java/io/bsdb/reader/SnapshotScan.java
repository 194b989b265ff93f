package io.bsdb.reader;

import io.bsdb.format.ValueReader;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.block.BlockFetch;
import io.bsdb.reader.io.Thrown;
import io.bsdb.reader.overlay.ChangeCursor;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.partition.RecordWalk;
import io.bsdb.table.Partitioning;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Walks over some partitions, each with what has changed in it; counts as one call in flight until
 * it is closed.
 */
final class SnapshotScan implements RecordCursor {
  private final OpenSnapshot snapshot;
  private final Iterator<Partition> partitions;
  private final FieldSelection selection;
  private final BlockFetch source;
  private final int call;
  private @Nullable RecordWalk walk;
  private @Nullable ChangeCursor changed;
  private boolean closed;

  /**
   * @param selection of fields that will be read
   */
  SnapshotScan(OpenSnapshot snapshot, List<Partition> partitions, FieldSelection selection) {
    this.snapshot = snapshot;
    this.partitions = partitions.iterator();
    this.selection = selection;
    this.source = snapshot.scanned();
    this.call = snapshot.calls().enterScan();
  }

  @Override
  public boolean next() throws IOException {
    if (closed) {
      throw new ClosedReaderException("cursor");
    }
    try {
      while (true) {
        RecordWalk current = walk;
        if (current != null && current.next()) {
          if (isUnchanged(current)) {
            return true;
          }
        } else if (current != null) {
          walk = null;
          changed = changes(current.partition());
          current.close();
        } else if (changed != null && changed.next()) {
          return true;
        } else if (partitions.hasNext()) {
          changed = null;
          walk = new RecordWalk(partitions.next(), source, selection);
        } else {
          return false;
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.explained(e));
    }
  }

  private boolean isUnchanged(RecordWalk current) throws IOException {
    if (snapshot.overlay() == null) {
      return true;
    }
    byte[] key = current.key();
    return snapshot.findChange(key, KeyHash.hash(key).getMostSignificantBits())
        == Overlay.UNCHANGED;
  }

  private @Nullable ChangeCursor changes(Partition partition) {
    Overlay overlay = snapshot.overlay();
    Partitioning partitioning = snapshot.partitioning();
    return overlay == null
        ? null
        : overlay.cursor(
            partitioning.firstHash(partition.number()), partitioning.lastHash(partition.number()));
  }

  private RecordWalk current() {
    RecordWalk current = walk;
    if (current == null || closed) {
      throw new IllegalStateException("no current record");
    }
    return current;
  }

  private @Nullable ChangeCursor currentChange() {
    return closed || walk != null ? null : changed;
  }

  @Override
  public byte[] key() throws IOException {
    try {
      ChangeCursor change = currentChange();
      return change != null ? change.key().clone() : current().key();
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.explained(e));
    }
  }

  @Override
  public <T> @Nullable T value(ValueReader<T> reader) throws IOException {
    try {
      ChangeCursor change = currentChange();
      return change != null ? change.value(reader) : current().value(reader);
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
