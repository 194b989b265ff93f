package io.bsdb.format.segment;

import static io.bsdb.format.segment.SegmentFormat.FRAME_CHECKSUM;
import static io.bsdb.format.segment.SegmentFormat.FRAME_DURABLE;
import static io.bsdb.format.segment.SegmentFormat.FRAME_FRAME_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.FRAME_HEADER_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.FRAME_KIND;
import static io.bsdb.format.segment.SegmentFormat.FRAME_RECORDS;
import static io.bsdb.format.segment.SegmentFormat.FRAME_SEQUENCE;
import static io.bsdb.format.segment.SegmentFormat.FRAME_TYPE;
import static io.bsdb.format.segment.SegmentFormat.MAX_RECORD_OVERHEAD;
import static io.bsdb.format.segment.SegmentFormat.TYPE_RECORDS;

import io.bsdb.format.PartChecksum;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntFunction;

/** A frame in the making: records, encoded one after the other. Used by one thread at a time. */
public final class FrameBuffer {
  private static final int INITIAL_CAPACITY = FRAME_HEADER_LENGTH + (4 << 10);

  /** Capacity up to which memory is kept for the next frame. */
  private static final int MAX_KEPT_CAPACITY = 4 << 20;

  private final IntFunction<ByteBuffer> allocator;
  private final ByteBuffer initial;
  private ByteBuffer bytes;
  private int records;

  /**
   * @param allocator makes a buffer of a capacity in bytes
   */
  public FrameBuffer(IntFunction<ByteBuffer> allocator) {
    this.allocator = allocator;
    this.initial = allocate(INITIAL_CAPACITY);
    this.bytes = initial;
    clear();
  }

  private ByteBuffer allocate(int capacity) {
    return allocator.apply(capacity).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Begins another frame, without the memory of a long one. Allocates nothing, so never fails. */
  public void clear() {
    if (bytes.capacity() > MAX_KEPT_CAPACITY) {
      bytes = initial;
    }
    bytes.clear().position(FRAME_HEADER_LENGTH);
    records = 0;
  }

  /** Returns the length of the frame so far. */
  public int length() {
    return bytes.position();
  }

  /** Returns the number of records in it. */
  public int records() {
    return records;
  }

  /** Returns the length beyond which {@link #add} does not take the frame. */
  public static int roomFor(int keyLength, int valueLength) {
    return MAX_RECORD_OVERHEAD + keyLength + valueLength;
  }

  /** Adds a record. The caller has checked the ranges of the lengths. */
  public void add(ChangeKind kind, byte[] key, byte[] value) {
    reserve(roomFor(key.length, kind.hasValue() ? value.length : 0));
    bytes.put(kind.id());
    varint(key.length);
    if (kind.hasValue()) {
      varint(value.length);
    }
    bytes.put(key);
    if (kind.hasValue()) {
      bytes.put(value);
    }
    records++;
  }

  /** Adds the records of another frame in the making. */
  public void addAll(FrameBuffer other) {
    int length = other.length() - FRAME_HEADER_LENGTH;
    reserve(length);
    bytes.put(bytes.position(), other.bytes, FRAME_HEADER_LENGTH, length);
    bytes.position(bytes.position() + length);
    records += other.records;
  }

  private void varint(int number) {
    int rest = number;
    while (rest > 0x7F) {
      bytes.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    bytes.put((byte) rest);
  }

  /** Appends to a frame that holds something else than records. */
  void putLong(long number) {
    reserve(Long.BYTES);
    bytes.putLong(number);
  }

  private void reserve(int room) {
    if (bytes.remaining() < room) {
      int capacity = Math.max(2 * bytes.capacity(), bytes.position() + room);
      bytes = allocate(capacity).put(bytes.flip());
    }
  }

  /** Completes a frame of records of a log, as {@link #finish}. */
  public ByteBuffer finishRecords(
      PartChecksum checksum, long offset, long sequence, long durableEnd) {
    return finish(checksum, offset, sequence, durableEnd, TYPE_RECORDS);
  }

  /**
   * Completes the frame.
   *
   * @param checksum of its file
   * @param offset of the frame in the file
   * @return the frame and the zeros after it; valid until the next call
   */
  ByteBuffer finish(PartChecksum checksum, long offset, long sequence, long durableEnd, int type) {
    int length = bytes.position();
    bytes.putInt(FRAME_FRAME_LENGTH, length);
    bytes.putLong(FRAME_SEQUENCE, sequence);
    bytes.putLong(FRAME_DURABLE, durableEnd);
    bytes.putInt(FRAME_RECORDS, records);
    bytes.putInt(FRAME_TYPE, type);
    bytes.putInt(
        FRAME_CHECKSUM,
        checksum.of(FRAME_KIND, offset, bytes, FRAME_FRAME_LENGTH, length - FRAME_FRAME_LENGTH));
    int padding = (int) (SegmentFormat.aligned(length) - length);
    reserve(padding);
    for (int i = 0; i < padding; i++) {
      bytes.put((byte) 0);
    }
    return bytes.flip();
  }
}
