package io.bsdb.format.segment;

import static io.bsdb.format.segment.SegmentFormat.FRAME_CHECKSUM;
import static io.bsdb.format.segment.SegmentFormat.FRAME_FRAME_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.FRAME_HEADER_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.FRAME_KIND;
import static io.bsdb.format.segment.SegmentFormat.FRAME_RECORDS;
import static io.bsdb.format.segment.SegmentFormat.FRAME_SEQUENCE;
import static io.bsdb.format.segment.SegmentFormat.FRAME_TYPE;
import static io.bsdb.format.segment.SegmentFormat.HEADER_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.MAX_FRAME_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.SEAL_DELETES;
import static io.bsdb.format.segment.SegmentFormat.SEAL_FRAMES;
import static io.bsdb.format.segment.SegmentFormat.SEAL_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.SEAL_POSITIONS;
import static io.bsdb.format.segment.SegmentFormat.SEAL_PUTS;
import static io.bsdb.format.segment.SegmentFormat.TYPE_RECORDS;
import static io.bsdb.format.segment.SegmentFormat.TYPE_SEAL;
import static io.bsdb.format.segment.SegmentFormat.TYPE_START;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.LentBytes;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.BlockReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * A sealed segment in one buffer. {@link #replay} verifies every byte; what it hands out may be
 * read by any thread from then on without a check.
 */
public final class Segment extends LentBytes {
  private final ByteBuffer bytes;
  private final UUID fileId;
  private final String file;

  /**
   * @param bytes the whole file, little-endian; addressed absolutely
   * @param fileId that its manifest entry gives
   * @param file named in messages
   */
  public Segment(ByteBuffer bytes, UUID fileId, String file) {
    this.bytes = bytes;
    this.fileId = fileId;
    this.file = file;
  }

  /** Returns the id that is in the file. */
  public UUID fileId() {
    return fileId;
  }

  /** Takes the records of a segment, in their order. */
  public interface Replay {
    /**
     * Takes a record.
     *
     * @param record its offset, for {@link Segment#key} and {@link Segment#value}
     */
    void change(ChangeKind kind, int record) throws IOException;
  }

  /**
   * Verifies the file and hands out all records.
   *
   * @return how many there are of each kind, by its id
   * @throws CorruptSnapshotException if a byte of it is damaged, or its end is missing
   */
  public long[] replay(Replay replay) throws IOException {
    if (bytes.limit() < HEADER_LENGTH) {
      throw damaged("too short for a segment", 0);
    }
    SegmentHeader header = SegmentHeader.decode(bytes, file);
    if (!header.fileId().equals(fileId)) {
      throw new CorruptSnapshotException(
          "file is another one: file=%s offset=0 expected file id=%s actual=%s"
              .formatted(file, fileId, header.fileId()));
    }
    PartChecksum checksum = new PartChecksum(fileId);
    long[] counts = new long[1 + ChangeKind.values().length];
    Replay counted =
        (kind, record) -> {
          counts[kind.id()]++;
          replay.change(kind, record);
        };
    long frames = 0;
    int frame = HEADER_LENGTH;
    while (true) {
      int length = verifyFrame(checksum, frame, frames + 1);
      int type = bytes.getInt(frame + FRAME_TYPE);
      if ((type == TYPE_START) != (header.isLog() && frames == 0)) {
        throw damaged("frame of type " + type + " out of place", frame);
      }
      int end = frame + length;
      int next = (int) Math.min(bytes.limit(), SegmentFormat.aligned(end));
      requireZeros(end, next);
      if (type == TYPE_SEAL) {
        verifySeal(frame, length, frames, counts);
        if (next != bytes.limit()) {
          throw damaged("data after the end frame of a segment", next);
        }
        return counts;
      }
      if (type == TYPE_RECORDS) {
        replayFrame(frame, end, counted);
      }
      frames++;
      frame = next;
    }
  }

  void requireZeros(int from, int to) throws CorruptSnapshotException {
    for (int i = from; i < to; i++) {
      if (bytes.get(i) != 0) {
        throw damaged("padding is not zero", i);
      }
    }
  }

  /**
   * Verifies a frame.
   *
   * @return its length
   */
  int verifyFrame(PartChecksum checksum, int frame, long sequence) throws CorruptSnapshotException {
    if (bytes.limit() - frame < FRAME_HEADER_LENGTH) {
      throw damaged("segment ends without the frame that counts its records", frame);
    }
    int length = bytes.getInt(frame + FRAME_FRAME_LENGTH);
    if (length < FRAME_HEADER_LENGTH
        || length > MAX_FRAME_LENGTH
        || length > bytes.limit() - frame) {
      throw damaged("frame has an impossible length of " + length, frame);
    }
    int expected = bytes.getInt(frame + FRAME_CHECKSUM);
    int actual = checksum(checksum, frame, length);
    if (expected != actual) {
      throw new CorruptSnapshotException(
          "frame checksum mismatch: file=%s offset=%d expected=%s actual=%s"
              .formatted(file, frame, SnapshotFormat.hex(expected), SnapshotFormat.hex(actual)));
    }
    int type = bytes.getInt(frame + FRAME_TYPE);
    if (type < TYPE_RECORDS || type > TYPE_START) {
      throw damaged("frame has the unknown type " + type, frame);
    }
    if (bytes.getLong(frame + FRAME_SEQUENCE) != sequence) {
      throw damaged(
          "frame out of order: expected sequence=%d actual=%d"
              .formatted(sequence, bytes.getLong(frame + FRAME_SEQUENCE)),
          frame);
    }
    return length;
  }

  /** Returns the checksum that a frame should have. */
  int checksum(PartChecksum checksum, int frame, int length) {
    return checksum.of(
        FRAME_KIND, frame, bytes, frame + FRAME_FRAME_LENGTH, length - FRAME_FRAME_LENGTH);
  }

  private void verifySeal(int frame, int length, long frames, long[] counts)
      throws CorruptSnapshotException {
    if (length != SEAL_LENGTH
        || bytes.getLong(frame + SEAL_FRAMES) != frames
        || bytes.getLong(frame + SEAL_PUTS) != counts[ChangeKind.PUT.id()]
        || bytes.getLong(frame + SEAL_DELETES) != counts[ChangeKind.DELETE.id()]
        || bytes.getLong(frame + SEAL_POSITIONS) != counts[ChangeKind.POSITION.id()]) {
      throw damaged("the last frame counts something else than the segment holds", frame);
    }
  }

  /** Hands out the records of a verified frame. */
  void replayFrame(int frame, int end, Replay replay) throws IOException {
    int record = frame + FRAME_HEADER_LENGTH;
    int count = bytes.getInt(frame + FRAME_RECORDS);
    for (int i = 0; i < count; i++) {
      ChangeKind kind = kind(record, end);
      int next;
      try {
        next = end(kind, record, end);
      } catch (IndexOutOfBoundsException e) { // a length that goes on after the end of the file
        throw damaged("record has an impossible length", record);
      }
      replay.change(kind, record);
      record = next;
    }
    if (record != end) {
      throw damaged("frame continues after its last record", record);
    }
  }

  private ChangeKind kind(int record, int end) throws CorruptSnapshotException {
    int id = record < end ? bytes.get(record) : 0;
    return switch (id) {
      case 1 -> ChangeKind.PUT;
      case 2 -> ChangeKind.DELETE;
      case 3 -> ChangeKind.POSITION;
      default -> throw damaged("record has the unknown kind " + id, record);
    };
  }

  /** Returns where a record ends, after all checks. */
  private int end(ChangeKind kind, int record, int frameEnd) throws CorruptSnapshotException {
    int position = record + 1;
    long keyLength = varint(position);
    position += (int) (keyLength >>> 32);
    long valueLength = kind.hasValue() ? varint(position) : 0;
    position += (int) (valueLength >>> 32);
    if ((int) keyLength < 1
        || (int) keyLength > SnapshotFormat.MAX_KEY_LENGTH
        || (int) valueLength < 0
        || (int) valueLength > SnapshotFormat.MAX_VALUE_LENGTH
        || (long) position + (int) keyLength + (int) valueLength > frameEnd) {
      throw damaged("record has an impossible length", record);
    }
    return position + (int) keyLength + (int) valueLength;
  }

  /** Returns the length of the number in the upper 32 bits, the number in the lower. */
  private long varint(int position) {
    int number = 0;
    int i = 0;
    byte octet;
    do {
      octet = bytes.get(position + i);
      number |= (octet & 0x7F) << (7 * i);
      i++;
    } while (octet < 0 && i < 5);
    return (long) i << 32 | number;
  }

  /** Returns the buffer of the file. */
  @Override
  public ByteBuffer body() {
    return bytes;
  }

  /** Returns whether a record deletes its key. */
  public boolean isDelete(int record) {
    return bytes.get(record) == ChangeKind.DELETE.id();
  }

  /**
   * Returns where the key of a record lies.
   *
   * @param record passed to {@link Replay}
   * @return offset in the upper 32 bits, length in the lower
   */
  public long key(int record) {
    long length = varint(record + 1);
    int offset = record + 1 + (int) (length >>> 32);
    if (!isDelete(record)) {
      offset += (int) (varint(offset) >>> 32);
    }
    return (long) offset << 32 | (int) length;
  }

  /** Returns where the value of a put or a position lies; as {@link #key}. */
  public long value(int record) {
    long keyLength = varint(record + 1);
    int offset = record + 1 + (int) (keyLength >>> 32);
    long length = varint(offset);
    return (long) (offset + (int) (length >>> 32) + (int) keyLength) << 32 | (int) length;
  }

  /**
   * Returns a copy of a key or a value.
   *
   * @param place as {@link #key} and {@link #value} say
   */
  public byte[] copy(long place) {
    return copy((int) (place >>> 32), (int) place);
  }

  /** Returns whether a record has this key. */
  public boolean hasKey(int record, byte[] key) {
    long stored = key(record);
    return (int) stored == key.length && BlockReader.equal(bytes, (int) (stored >>> 32), key);
  }

  CorruptSnapshotException damaged(String what, int offset) {
    return new CorruptSnapshotException(
        "%s: file=%s offset=%d length=%d".formatted(what, file, offset, bytes.limit()));
  }
}
