package io.bsdb.live;

import io.bsdb.format.Excerpt;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.FrameBuffer;
import io.bsdb.format.segment.LogSegment;
import io.bsdb.format.segment.SegmentWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Objects;

/**
 * Changes that are written together: after a crash the table has all of them or none. Of several
 * changes of one key the last counts. Used by one thread.
 */
public final class WriteBatch {
  private static final byte[] NOTHING = new byte[0];

  /** The manifest of the next version has to hold it, beside those of other sources. */
  private static final int MAX_POSITION = 1 << 20;

  private final FrameBuffer records = new FrameBuffer(ByteBuffer::allocate);

  /** Numbers of the locks of its keys. */
  private final BitSet locks = new BitSet();

  /** Begins an empty batch. */
  public WriteBatch() {}

  /**
   * Adds a put; the arrays are copied.
   *
   * @throws IllegalArgumentException if a length is out of range, or the batch would become too
   *     large: 256 MiB
   */
  public WriteBatch put(byte[] key, byte[] value) {
    requirePut(key, value);
    locks.set(KeyLocks.number(key));
    return add(ChangeKind.PUT, key, value);
  }

  /**
   * Adds a delete; the array is copied.
   *
   * @throws IllegalArgumentException as {@link #put}
   */
  public WriteBatch delete(byte[] key) {
    requireKey(key);
    locks.set(KeyLocks.number(key));
    return add(ChangeKind.DELETE, key, NOTHING);
  }

  /**
   * Adds how far a source has been read with these changes and those written before.
   *
   * @param source its name, 1 to 65,535 bytes in UTF-8
   * @param position which replaces the one before, up to 1 MiB in UTF-8
   * @throws IllegalArgumentException as {@link #put}
   * @see WritableTable#sourcePositions
   */
  public WriteBatch position(String source, String position) {
    byte[] key = source.getBytes(StandardCharsets.UTF_8);
    byte[] value = position.getBytes(StandardCharsets.UTF_8);
    SegmentWriter.requireKeyLength(key.length);
    if (value.length > MAX_POSITION) {
      throw new IllegalArgumentException(
          "position of a source too long: source='%s' expected<=%d bytes actual=%d"
              .formatted(Excerpt.of(source), MAX_POSITION, value.length));
    }
    return add(ChangeKind.POSITION, key, value);
  }

  static void requireKey(byte[] key) {
    SegmentWriter.requireKeyLength(Objects.requireNonNull(key, "key").length);
  }

  static void requirePut(byte[] key, byte[] value) {
    requireKey(key);
    SegmentWriter.requireValueLength(
        Objects.requireNonNull(value, "value: a key is taken away by delete").length);
  }

  private WriteBatch add(ChangeKind kind, byte[] key, byte[] value) {
    long length = (long) records.length() + FrameBuffer.roomFor(key.length, value.length);
    if (length > LogSegment.MAX_RECORDS_LENGTH) {
      throw new IllegalArgumentException(
          "batch too large: expected<=%d bytes actual=%d; write it in parts"
              .formatted(LogSegment.MAX_RECORDS_LENGTH, length));
    }
    records.add(kind, key, value);
    return this;
  }

  /** Returns the number of changes, positions included. */
  public int size() {
    return records.records();
  }

  /** Removes all changes, so that this can be filled again. */
  public void clear() {
    records.clear();
    locks.clear();
  }

  BitSet locks() {
    return locks;
  }

  FrameBuffer records() {
    return records;
  }
}
