package io.bsdb.reader;

import io.bsdb.format.LentBytes;
import io.bsdb.format.ValueReader;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.io.Thrown;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.block.BlockFetch;
import io.bsdb.reader.overlay.ChangeCursor;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.partition.RecordWalk;
import io.bsdb.reader.snapshot.OpenSnapshot;
import java.io.IOException;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Walks over the files of some partitions, then over what has changed in all of these; counts as
 * one call in flight until it is closed.
 */
final class SnapshotScan implements RecordCursor {
  private final OpenSnapshot snapshot;
  private final List<Partition> partitions;
  private final Iterator<Partition> unread;
  private final FieldSelection selection;
  private final BlockFetch source;
  private final int call;
  private @Nullable RecordWalk walk;
  private @Nullable ChangeCursor changed;
  private boolean found;
  private boolean closed;
  private boolean lends;

  /**
   * @param selection of fields that will be read
   */
  SnapshotScan(OpenSnapshot snapshot, List<Partition> partitions, FieldSelection selection) {
    this.snapshot = snapshot;
    this.partitions = partitions;
    this.unread = partitions.iterator();
    this.selection = selection;
    this.source = snapshot.scanned();
    this.call = snapshot.calls().enterScan();
  }

  @Override
  public boolean next() throws IOException {
    if (closed) {
      throw new ClosedReaderException("cursor");
    }
    found = false;
    try {
      found = advance();
      return found;
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.failures().explained(e));
    }
  }

  private boolean advance() throws IOException {
    while (true) {
      RecordWalk current = walk;
      if (current != null && current.next()) {
        if (isUnchanged(current)) {
          return true;
        }
      } else if (current != null) {
        walk = null;
        current.close();
      } else if (unread.hasNext()) {
        walk = new RecordWalk(unread.next(), source, selection);
      } else {
        changed = changed == null ? changes() : changed;
        return changed != null && changed.next();
      }
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

  private @Nullable ChangeCursor changes() {
    BitSet numbers = new BitSet();
    partitions.forEach(partition -> numbers.set(partition.number()));
    Overlay overlay = snapshot.overlay();
    return overlay == null ? null : overlay.cursor(snapshot.partitioning(), numbers::get);
  }

  private RecordWalk current() {
    RecordWalk current = walk;
    if (current == null || !found || closed) {
      throw new IllegalStateException("no current record");
    }
    return current;
  }

  private @Nullable ChangeCursor currentChange() {
    return found && !closed ? changed : null;
  }

  @Override
  public byte[] key() throws IOException {
    try {
      ChangeCursor change = currentChange();
      return change != null ? change.key().clone() : current().key();
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.failures().explained(e));
    }
  }

  @Override
  public <T> @Nullable T value(ValueReader<T> reader) throws IOException {
    boolean lent = lends;
    lends = true;
    try {
      ChangeCursor change = currentChange();
      return change != null ? change.value(reader) : current().value(reader);
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.failures().explained(e));
    } finally {
      lends = lent;
    }
  }

  @Override
  public void close() {
    LentBytes.requireClosable(lends);
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
