package io.bsdb.format.segment;

import static io.bsdb.format.segment.SegmentFormat.FRAME_HEADER_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.FRAME_TARGET_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.SEAL_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.TYPE_RECORDS;
import static io.bsdb.format.segment.SegmentFormat.TYPE_SEAL;

import io.bsdb.format.PartChecksum;
import io.bsdb.format.SnapshotFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.UUID;

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

  /** The frame in the making; on the heap, as direct memory may be scarce. */
  private final FrameBuffer frame = new FrameBuffer(ByteBuffer::allocate);

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
  }

  /**
   * Adds a record. The caller has checked the ranges of the lengths.
   *
   * @param value of no bytes if the kind has none
   */
  public void add(ChangeKind kind, byte[] key, byte[] value) throws IOException {
    int room = FrameBuffer.roomFor(key.length, kind.hasValue() ? value.length : 0);
    if (length + frame.length() + (long) room + SEAL_LENGTH + 16 > MAX_LENGTH) {
      throw new IOException(
          "segment too long: expected<=%d bytes; write further changes into another segment"
              .formatted(MAX_LENGTH));
    }
    frame.add(kind, key, value);
    switch (kind) {
      case PUT -> puts++;
      case DELETE -> deletes++;
      case POSITION -> positions++;
    }
    if (frame.length() >= FRAME_TARGET_LENGTH) {
      endFrame(TYPE_RECORDS);
    }
  }

  private void endFrame(int type) throws IOException {
    frames++;
    write(frame.finish(partChecksum, length, frames, 0, type));
    frame.clear();
  }

  private void write(ByteBuffer bytes) throws IOException {
    length += bytes.remaining();
    while (bytes.hasRemaining()) {
      output.write(bytes);
    }
  }

  /** Writes what is left and the frame that counts the records. The output is the caller's. */
  public void seal() throws IOException {
    if (frame.records() > 0) {
      endFrame(TYPE_RECORDS);
    }
    frame.putLong(frames);
    frame.putLong(puts);
    frame.putLong(deletes);
    frame.putLong(positions);
    endFrame(TYPE_SEAL);
  }

  /** Returns the bytes so far, those of a frame in the making included. */
  public long length() {
    return length + frame.length() - FRAME_HEADER_LENGTH;
  }

  public UUID fileId() {
    return fileId;
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
