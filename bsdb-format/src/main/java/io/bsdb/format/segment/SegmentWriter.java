package io.bsdb.format.segment;

import static io.bsdb.format.segment.SegmentFormat.FRAME_CHECKSUM;
import static io.bsdb.format.segment.SegmentFormat.FRAME_FRAME_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.FRAME_HEADER_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.FRAME_KIND;
import static io.bsdb.format.segment.SegmentFormat.FRAME_RECORDS;
import static io.bsdb.format.segment.SegmentFormat.FRAME_SEQUENCE;
import static io.bsdb.format.segment.SegmentFormat.FRAME_TARGET_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.FRAME_TYPE;
import static io.bsdb.format.segment.SegmentFormat.MAX_RECORD_OVERHEAD;
import static io.bsdb.format.segment.SegmentFormat.SEAL_DELETES;
import static io.bsdb.format.segment.SegmentFormat.SEAL_FRAMES;
import static io.bsdb.format.segment.SegmentFormat.SEAL_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.SEAL_POSITIONS;
import static io.bsdb.format.segment.SegmentFormat.SEAL_PUTS;
import static io.bsdb.format.segment.SegmentFormat.TYPE_RECORDS;
import static io.bsdb.format.segment.SegmentFormat.TYPE_SEAL;

import io.bsdb.format.PartChecksum;
import io.bsdb.format.SnapshotFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * Writes a segment front to back: header, frames of records, and a last frame that counts them.
 * Used by one thread. After an {@link IOException} the file is worth nothing.
 */
public final class SegmentWriter {
  /** Longest segment in bytes: a reader addresses it through one buffer. */
  public static final int MAX_LENGTH = Integer.MAX_VALUE - 8;

  /** The length in bytes at which a writer had better begin another segment. */
  public static final int TARGET_LENGTH = 1 << 30;

  private final WritableByteChannel output;
  private final UUID fileId;
  private final PartChecksum partChecksum;
  private final CRC32C fileChecksum = new CRC32C();

  /** The frame in the making; on the heap, as direct memory may be scarce. */
  private ByteBuffer frame =
      ByteBuffer.allocate(FRAME_HEADER_LENGTH + (4 << 10)).order(ByteOrder.LITTLE_ENDIAN);

  private int frameRecords;
  private long length;
  private long frames;
  private long puts;
  private long deletes;
  private long positions;

  /**
   * Writes the header of a delta's segment.
   *
   * @param fileId random, of this file alone
   */
  public SegmentWriter(WritableByteChannel output, UUID fileId) throws IOException {
    this.output = output;
    this.fileId = fileId;
    this.partChecksum = new PartChecksum(fileId);
    write(new SegmentHeader(fileId, 0).encode());
    beginFrame();
  }

  /**
   * Adds a record. The caller has checked the ranges of the lengths.
   *
   * @param value of no bytes if the kind has none
   */
  public void add(ChangeKind kind, byte[] key, byte[] value) throws IOException {
    add(kind, key, 0, key.length, value, 0, value.length);
  }

  /** As {@link #add(ChangeKind, byte[], byte[])}, from parts of arrays. */
  public void add(
      ChangeKind kind,
      byte[] key,
      int keyOffset,
      int keyLength,
      byte[] value,
      int valueOffset,
      int valueLength)
      throws IOException {
    int room = MAX_RECORD_OVERHEAD + keyLength + (kind.hasValue() ? valueLength : 0);
    if (length + frame.position() + (long) room + SEAL_LENGTH + 16 > MAX_LENGTH) {
      throw new IOException(
          "segment too long: expected<=%d bytes; write further changes into another segment"
              .formatted(MAX_LENGTH));
    }
    reserve(room);
    frame.put(kind.id());
    varint(keyLength);
    if (kind.hasValue()) {
      varint(valueLength);
    }
    frame.put(key, keyOffset, keyLength);
    if (kind.hasValue()) {
      frame.put(value, valueOffset, valueLength);
    }
    frameRecords++;
    switch (kind) {
      case PUT -> puts++;
      case DELETE -> deletes++;
      case POSITION -> positions++;
    }
    if (frame.position() >= FRAME_TARGET_LENGTH) {
      endFrame(TYPE_RECORDS);
    }
  }

  private void varint(int number) {
    int rest = number;
    while (rest > 0x7F) {
      frame.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    frame.put((byte) rest);
  }

  private void reserve(int room) {
    if (frame.remaining() < room) {
      int capacity = Math.max(2 * frame.capacity(), frame.position() + room);
      frame = ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN).put(frame.flip());
    }
  }

  private void beginFrame() {
    frame.clear().position(FRAME_HEADER_LENGTH);
    frameRecords = 0;
  }

  private void endFrame(int type) throws IOException {
    int frameLength = frame.position();
    for (int i = 0; i < FRAME_HEADER_LENGTH; i += Long.BYTES) {
      frame.putLong(i, 0);
    }
    frames++;
    frame.putInt(FRAME_FRAME_LENGTH, frameLength);
    frame.putLong(FRAME_SEQUENCE, frames);
    frame.putInt(FRAME_RECORDS, frameRecords);
    frame.putInt(FRAME_TYPE, type);
    frame.putInt(
        FRAME_CHECKSUM,
        partChecksum.of(
            FRAME_KIND, length, frame, FRAME_FRAME_LENGTH, frameLength - FRAME_FRAME_LENGTH));
    int padding = (int) (SegmentFormat.aligned(frameLength) - frameLength);
    reserve(padding);
    for (int i = 0; i < padding; i++) {
      frame.put((byte) 0);
    }
    write(frame.flip());
    beginFrame();
  }

  private void write(ByteBuffer bytes) throws IOException {
    fileChecksum.update(bytes.duplicate());
    length += bytes.remaining();
    while (bytes.hasRemaining()) {
      output.write(bytes);
    }
  }

  /** Writes what is left and the frame that counts the records. The output is the caller's. */
  public void seal() throws IOException {
    if (frameRecords > 0) {
      endFrame(TYPE_RECORDS);
    }
    reserve(SEAL_LENGTH - FRAME_HEADER_LENGTH);
    frame.putLong(SEAL_FRAMES, frames);
    frame.putLong(SEAL_PUTS, puts);
    frame.putLong(SEAL_DELETES, deletes);
    frame.putLong(SEAL_POSITIONS, positions);
    frame.position(SEAL_LENGTH);
    endFrame(TYPE_SEAL);
  }

  /** Returns the bytes so far, those of a frame in the making included. */
  public long length() {
    return length + frame.position() - FRAME_HEADER_LENGTH;
  }

  public UUID fileId() {
    return fileId;
  }

  /** Returns the CRC-32C of the file; to be called once it is sealed. */
  public int checksum() {
    return (int) fileChecksum.getValue();
  }

  public long puts() {
    return puts;
  }

  public long deletes() {
    return deletes;
  }

  /** Checks a key's length. */
  public static void requireKeyLength(int length) {
    if (length < 1 || length > SnapshotFormat.MAX_KEY_LENGTH) {
      throw new IllegalArgumentException(
          "key length out of range: expected 1 to %d, actual %d"
              .formatted(SnapshotFormat.MAX_KEY_LENGTH, length));
    }
  }

  /** Checks a value's length. */
  public static void requireValueLength(int length) {
    if (length < 0 || length > SnapshotFormat.MAX_VALUE_LENGTH) {
      throw new IllegalArgumentException(
          "value length out of range: expected 0 to %d, actual %d"
              .formatted(SnapshotFormat.MAX_VALUE_LENGTH, length));
    }
  }
}
