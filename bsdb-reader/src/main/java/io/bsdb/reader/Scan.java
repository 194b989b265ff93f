package io.bsdb.reader;

import io.bsdb.format.LentBytes;
import io.bsdb.format.ValueReader;
import io.bsdb.format.io.Thrown;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.block.BlockFetch;
import io.bsdb.reader.partition.RecordWalk;
import io.bsdb.reader.snapshot.OpenSnapshot;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Walks over records of the base and over changes; counts as one call in flight until it is closed.
 */
abstract class Scan implements RecordCursor {
  final OpenSnapshot snapshot;
  final BlockFetch source;
  final FieldSelection selection;
  private final int call;

  /** At a record of the base; null if there is none. */
  @Nullable RecordWalk walk;

  private boolean found;
  private boolean closed;
  private boolean lends;

  /**
   * @param selection of fields that will be read
   */
  Scan(OpenSnapshot snapshot, BlockFetch source, FieldSelection selection) {
    this.snapshot = snapshot;
    this.source = source;
    this.selection = selection;
    this.call = snapshot.calls().enterScan();
  }

  /** Moves to the next record, or to the first; returns false if there is none. */
  abstract boolean advance() throws IOException;

  abstract byte[] currentKey() throws IOException;

  abstract <T> @Nullable T currentValue(ValueReader<T> reader) throws IOException;

  final RecordWalk record() {
    return Objects.requireNonNull(walk, "the cursor is at a record");
  }

  @Override
  public final boolean next() throws IOException {
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

  private void requireRecord() {
    if (!found || closed) {
      throw new IllegalStateException("no current record");
    }
  }

  @Override
  public final byte[] key() throws IOException {
    requireRecord();
    try {
      return currentKey();
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.failures().explained(e));
    }
  }

  @Override
  public final <T> @Nullable T value(ValueReader<T> reader) throws IOException {
    requireRecord();
    boolean lent = lends;
    lends = true;
    try {
      return currentValue(reader);
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.failures().explained(e));
    } finally {
      lends = lent;
    }
  }

  @Override
  public final void close() {
    LentBytes.requireClosable(lends);
    if (!closed) {
      closed = true;
      RecordWalk record = walk;
      if (record != null) {
        record.close();
      }
      snapshot.calls().left(call);
    }
  }
}
