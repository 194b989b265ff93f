package io.bsdb.format.segment;

import static io.bsdb.format.segment.SegmentFormat.FRAME_CHECKSUM;
import static io.bsdb.format.segment.SegmentFormat.FRAME_DURABLE;
import static io.bsdb.format.segment.SegmentFormat.FRAME_FRAME_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.FRAME_HEADER_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.FRAME_SEQUENCE;
import static io.bsdb.format.segment.SegmentFormat.FRAME_TYPE;
import static io.bsdb.format.segment.SegmentFormat.HEADER_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.MAX_FRAME_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.START_END;
import static io.bsdb.format.segment.SegmentFormat.START_FILE_ID;
import static io.bsdb.format.segment.SegmentFormat.START_LENGTH;
import static io.bsdb.format.segment.SegmentFormat.START_NUMBER;
import static io.bsdb.format.segment.SegmentFormat.TYPE_RECORDS;
import static io.bsdb.format.segment.SegmentFormat.TYPE_SEAL;
import static io.bsdb.format.segment.SegmentFormat.TYPE_START;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.PartChecksum;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A segment of a log, in one buffer: preallocated zeros after a header, then frames. The first one
 * records where the log had been before, so that what lies after that place in the segment before
 * does not count.
 *
 * <p>A crash leaves an arbitrary subset of what was written since the last time that writes were
 * made durable. So an invalid frame may be a torn write, or damage to something that was promised
 * to last. Each frame records how far the log was durable when it was written: damage before that
 * is never taken for the end.
 */
public final class LogSegment {
  /** The length of the frame that begins a segment. */
  public static final int FIRST_FRAME_LENGTH = START_LENGTH;

  /** The length of the frame that seals a segment. */
  public static final int SEAL_LENGTH = SegmentFormat.SEAL_LENGTH;

  /** Offset of the first frame. */
  public static final int FIRST_FRAME = HEADER_LENGTH;

  /** Maximum length of a frame's records in bytes. */
  public static final int MAX_RECORDS_LENGTH = MAX_FRAME_LENGTH - FRAME_HEADER_LENGTH;

  private final ByteBuffer bytes;
  private final SegmentHeader header;
  private final PartChecksum checksum;
  private final Segment segment;
  private final String file;

  private LogSegment(ByteBuffer bytes, SegmentHeader header, String file) {
    this.bytes = bytes;
    this.header = header;
    this.checksum = new PartChecksum(header.fileId());
    this.segment = new Segment(bytes, header.fileId(), file);
    this.file = file;
  }

  /** The place in a log where a segment continues it. The first segment continues {@link #NONE}. */
  public record Place(long number, UUID fileId, long end) {
    public static final Place NONE = new Place(0, new UUID(0, 0), 0);
  }

  /**
   * End of a log.
   *
   * @param end after the last frame
   * @param durable before which everything was durable, as frames say
   * @param sequence of the last frame
   * @param torn whether something else than zeros follows
   */
  public record End(int end, int durable, long sequence, boolean torn) {}

  /**
   * Reads the header.
   *
   * @param bytes the whole file, little-endian; addressed absolutely
   * @param number in the file's name
   * @throws CorruptSnapshotException if it is damaged
   */
  public static LogSegment open(ByteBuffer bytes, long number, String file) throws IOException {
    if (bytes.limit() < HEADER_LENGTH) {
      throw new CorruptSnapshotException(
          "too short for a segment of a log: file=%s offset=0 length=%d"
              .formatted(file, bytes.limit()));
    }
    SegmentHeader header = SegmentHeader.decode(bytes, file);
    if (header.number() != number) {
      throw new CorruptSnapshotException(
          "number of a log segment does not match its file name: file=%s offset=0 expected=%d actual=%d"
              .formatted(file, number, header.number()));
    }
    return new LogSegment(bytes, header, file);
  }

  /** Returns the first bytes of a new segment. */
  public static ByteBuffer header(UUID fileId, long number) {
    return new SegmentHeader(fileId, number).encode();
  }

  /** Returns the first frame of a segment. */
  public static ByteBuffer firstFrame(UUID fileId, Place before) {
    FrameBuffer frame = new FrameBuffer(ByteBuffer::allocate);
    frame.putLong(before.number());
    ByteBuffer id = ByteBuffer.wrap(PartChecksum.bytes(before.fileId()));
    frame.putLong(Long.reverseBytes(id.getLong()));
    frame.putLong(Long.reverseBytes(id.getLong()));
    frame.putLong(before.end());
    return frame.finish(new PartChecksum(fileId), FIRST_FRAME, 1, FIRST_FRAME, TYPE_START);
  }

  /**
   * Returns the frame that makes a segment of a log a segment of the table, when it is written at
   * the end of the log in it and the file is cut after it.
   *
   * @param end of the frames before it
   * @param frames how many there are
   * @param puts in these frames
   */
  public static ByteBuffer seal(
      UUID fileId, int end, long frames, long puts, long deletes, long positions) {
    FrameBuffer frame = new FrameBuffer(ByteBuffer::allocate);
    frame.putLong(frames);
    frame.putLong(puts);
    frame.putLong(deletes);
    frame.putLong(positions);
    return frame.finish(new PartChecksum(fileId), end, frames + 1, end, TYPE_SEAL);
  }

  public UUID fileId() {
    return header.fileId();
  }

  public long number() {
    return header.number();
  }

  /** Returns what reads records of this segment. */
  public Segment segment() {
    return segment;
  }

  /** Returns the bound checksum of this segment's frames. */
  public PartChecksum checksum() {
    return checksum;
  }

  /** Returns where this segment continues the log; null if it has no valid first frame. */
  public @Nullable Place before() {
    if (!isFrame(FIRST_FRAME)
        || bytes.getInt(FIRST_FRAME + FRAME_TYPE) != TYPE_START
        || bytes.getInt(FIRST_FRAME + FRAME_FRAME_LENGTH) != START_LENGTH) {
      return null;
    }
    return new Place(
        bytes.getLong(FIRST_FRAME + START_NUMBER),
        PartChecksum.fileId(bytes, FIRST_FRAME + START_FILE_ID),
        bytes.getLong(FIRST_FRAME + START_END));
  }

  /**
   * Hands out all records before a known end.
   *
   * @return the number of frames
   * @throws CorruptSnapshotException if a byte before it is damaged
   */
  public long replay(long end, Segment.Replay replay) throws IOException {
    int frame = FIRST_FRAME;
    long frames = 0;
    while (frame < end) {
      frames++;
      frame = replayFrame(frame, frames, replay);
    }
    if (frame != end) {
      throw segment.damaged("the next segment of the log continues this one at " + end, frame);
    }
    return frames;
  }

  private int replayFrame(int frame, long sequence, Segment.Replay replay) throws IOException {
    int length = segment.verifyFrame(checksum, frame, sequence);
    int next = (int) Math.min(bytes.limit(), SegmentFormat.aligned(frame + (long) length));
    segment.requireZeros(frame + length, next);
    if (bytes.getInt(frame + FRAME_TYPE) == TYPE_RECORDS) {
      segment.replayFrame(frame, frame + length, replay);
    }
    return next;
  }

  /** Hands out the records of one frame, which has just been written. */
  public void replayWritten(int frame, int length, Segment.Replay replay) throws IOException {
    segment.replayFrame(frame, frame + length, replay);
  }

  /**
   * Hands out the records up to the first invalid frame, and finds out whether that is the end.
   *
   * @throws CorruptSnapshotException if it is not: something had been durable there
   */
  public End replayToEnd(Segment.Replay replay) throws IOException {
    int frame = FIRST_FRAME;
    long sequence = 0;
    long durable = frame;
    while (isFrame(frame) && bytes.getLong(frame + FRAME_SEQUENCE) == sequence + 1) {
      sequence++;
      durable = Math.max(durable, bytes.getLong(frame + FRAME_DURABLE));
      frame = replayFrame(frame, sequence, replay);
    }
    if (isFrame(frame, TYPE_SEAL, TYPE_SEAL)) {
      throw segment.damaged("the segment is sealed, but the one after it is missing", frame);
    }
    boolean torn = false;
    for (int i = frame; i + Long.BYTES <= bytes.limit(); i += SegmentFormat.FRAME_ALIGNMENT) {
      if (bytes.getLong(i) != 0) {
        torn = true;
        requireNotLost(frame, sequence, i);
      }
    }
    for (int i = bytes.limit() & -Long.BYTES; i < bytes.limit(); i++) {
      torn |= i >= frame && bytes.get(i) != 0;
    }
    return new End(frame, (int) durable, sequence, torn);
  }

  /** Throws if a frame after a hole records that the hole had been durable. */
  private void requireNotLost(int hole, long sequence, int frame) throws CorruptSnapshotException {
    if (isFrame(frame)
        && bytes.getLong(frame + FRAME_SEQUENCE) > sequence
        && bytes.getLong(frame + FRAME_DURABLE) > hole) {
      throw new CorruptSnapshotException(
          "acknowledged changes are damaged: file=%s offset=%d length=%d; a frame at offset %d records that the log was durable up to %d; restore the table from a copy"
              .formatted(file, hole, bytes.limit(), frame, bytes.getLong(frame + FRAME_DURABLE)));
    }
  }

  /**
   * A valid frame.
   *
   * @param offset of its first byte
   * @param length in bytes
   * @param next where the one after it begins
   * @param sequence its number in this segment, from 1
   * @param durable before which everything was durable when it was written
   * @param first whether it is the one that begins a segment
   */
  public record Frame(
      int offset, int length, int next, long sequence, long durable, boolean first) {}

  /** Returns the frame at an offset; null if there is none, or not all of it. */
  public @Nullable Frame frame(int offset) {
    if (!isFrame(offset)) {
      return null;
    }
    int length = bytes.getInt(offset + FRAME_FRAME_LENGTH);
    return new Frame(
        offset,
        length,
        (int) Math.min(bytes.limit(), SegmentFormat.aligned(offset + (long) length)),
        bytes.getLong(offset + FRAME_SEQUENCE),
        bytes.getLong(offset + FRAME_DURABLE),
        bytes.getInt(offset + FRAME_TYPE) == TYPE_START);
  }

  /** Returns whether there is a frame that was written to this place. */
  private boolean isFrame(int frame) {
    return isFrame(frame, TYPE_RECORDS, TYPE_START);
  }

  private boolean isFrame(int frame, int type, int orType) {
    if (bytes.limit() - frame < FRAME_HEADER_LENGTH) {
      return false;
    }
    int length = bytes.getInt(frame + FRAME_FRAME_LENGTH);
    int actual = bytes.getInt(frame + FRAME_TYPE);
    long durable = bytes.getLong(frame + FRAME_DURABLE);
    return length >= FRAME_HEADER_LENGTH
        && length <= MAX_FRAME_LENGTH
        && length <= bytes.limit() - frame
        && (actual == type || actual == orType)
        && durable >= FIRST_FRAME
        && durable <= frame
        && bytes.getLong(frame + FRAME_SEQUENCE) > 0
        && bytes.getInt(frame + FRAME_CHECKSUM) == segment.checksum(checksum, frame, length);
  }
}
