package io.bsdb.reader;

import io.bsdb.format.ValueReader;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.symbols.FieldSelection;
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

/** Walks over the files of some partitions, then over what has changed in all of these. */
final class SnapshotScan extends Scan {
  private final List<Partition> partitions;
  private final Iterator<Partition> unread;
  private @Nullable ChangeCursor changed;

  /**
   * @param selection of fields that will be read
   */
  SnapshotScan(OpenSnapshot snapshot, List<Partition> partitions, FieldSelection selection) {
    super(snapshot, snapshot.scanned(), selection);
    this.partitions = partitions;
    this.unread = partitions.iterator();
  }

  @Override
  boolean advance() throws IOException {
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

  @Override
  byte[] currentKey() throws IOException {
    ChangeCursor change = changed;
    return change == null ? record().key() : change.key().clone();
  }

  @Override
  <T> @Nullable T currentValue(ValueReader<T> reader) throws IOException {
    ChangeCursor change = changed;
    return change == null ? record().value(reader) : change.value(reader);
  }
}
