package io.bsdb.kstreams;

import io.bsdb.reader.RecordCursor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Reads the records of a range one ahead, and skips those that stand for absence. */
final class RangeIterator<V> implements LookupIterator<V> {
  private final VersionHold<?, V> hold;
  private final @Nullable RecordCursor records;
  private final BiFunction<byte[], byte[], @Nullable V> decoder;
  private byte @Nullable [] nextKey;
  private @Nullable V nextValue;
  private byte @Nullable [] key;
  private boolean closed;

  /**
   * @param hold notified when this is closed
   * @param records of the range; null for none
   * @param decoder makes a value of a key and a value; null for absence
   */
  RangeIterator(
      VersionHold<?, V> hold,
      @Nullable RecordCursor records,
      BiFunction<byte[], byte[], @Nullable V> decoder) {
    this.hold = hold;
    this.records = records;
    this.decoder = decoder;
  }

  @Override
  public boolean hasNext() {
    if (closed) {
      throw new IllegalStateException(hold.describe() + ": the iterator or its lease is closed");
    }
    try {
      while (nextValue == null && records != null && records.next()) {
        nextKey = records.key();
        nextValue = decoder.apply(nextKey, records.value());
      }
    } catch (IOException e) {
      throw hold.failed(e);
    } catch (UncheckedIOException e) {
      throw hold.failed(Objects.requireNonNull(e.getCause()));
    }
    return nextValue != null;
  }

  @Override
  public V next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    V value = Objects.requireNonNull(nextValue);
    key = nextKey;
    nextValue = null;
    return value;
  }

  @Override
  public byte[] key() {
    if (key == null) {
      throw new IllegalStateException("next() has not returned a value yet");
    }
    return key.clone();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      if (records != null) {
        records.close();
      }
      hold.ended(this);
    }
  }
}
