package io.bsdb.reader.snapshot;

import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.io.Thrown;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.reader.partition.RecordWalk;
import java.io.Closeable;
import java.io.IOException;

/**
 * The records of a partition's file that have not changed since it was built, by their numbers.
 * Counts as one call in flight until it is closed.
 */
public final class FileRecords implements Closeable {
  private final OpenSnapshot snapshot;
  private final RecordWalk walk;
  private final int count;
  private final int call;
  private int next;
  private byte[] key = new byte[0];
  private boolean begun;
  private boolean closed;

  /**
   * @param first number of the first record
   */
  public FileRecords(OpenSnapshot snapshot, int partition, int first) {
    this.snapshot = snapshot;
    this.next = first;
    this.call = snapshot.calls().enterScan();
    try {
      this.walk =
          new RecordWalk(snapshot.partition(partition), snapshot.scanned(), FieldSelection.ALL);
      this.count = walk.partition().recordCount();
    } catch (RuntimeException | Error e) {
      snapshot.calls().left(call);
      throw e;
    }
  }

  /** Moves to the next record; returns false if there is none. */
  public boolean next() throws IOException {
    if (closed) {
      throw snapshot.calls().closed("cursor");
    }
    try {
      while (next < count) {
        if (begun) {
          var unused = walk.next();
        } else {
          walk.moveTo(next);
          begun = true;
        }
        next++;
        key = walk.key();
        if (snapshot.findChange(key, KeyHash.hash(key).getMostSignificantBits())
            == Overlay.UNCHANGED) {
          return true;
        }
      }
      return false;
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.failures().explained(e));
    }
  }

  /** Returns the number of the current record. */
  public int number() {
    return next - 1;
  }

  /** Returns the current key; not to be changed. */
  public byte[] key() {
    return key;
  }

  /** Returns a copy of the current value. */
  public byte[] value() throws IOException {
    try {
      return walk.value();
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.failures().explained(e));
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      walk.close();
      snapshot.calls().left(call);
    }
  }
}
