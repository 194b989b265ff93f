package io.bsdb.live.log;

import io.bsdb.format.segment.LogSegment;
import io.bsdb.format.segment.LogSegment.Frame;
import io.bsdb.format.segment.LogSegment.Place;
import io.bsdb.live.LogPosition;
import io.bsdb.reader.ClosedReaderException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Walks over the durable frames of a log while another thread or process writes it. Used by one
 * thread.
 */
public final class LogTail implements Closeable {
  private final LogStorage storage;
  private final LogPosition start;
  private @Nullable LogPart part;
  private boolean closed;

  /** Offset of the next frame, and the number of the one before. */
  private int offset;

  private long sequence;

  /** Before this offset everything is durable, according to the frames before {@link #scanned}. */
  private long durable;

  private int scanned;
  private long scannedSequence;

  /**
   * @param start position after which to begin; there may be nothing yet
   */
  public LogTail(LogStorage storage, LogPosition start) {
    this.storage = storage;
    this.start = start;
  }

  /** Returns the segment of the frame that was handed out last. */
  public LogSegment segment() {
    return Objects.requireNonNull(part).segment();
  }

  /** Returns the next frame that is durable; null if there is none yet. */
  public @Nullable Frame next() throws IOException {
    if (closed) {
      throw new ClosedReaderException("follower of the log " + storage.path(""));
    }
    while (true) {
      LogPart open = part == null ? locate() : part;
      if (open == null) {
        return null;
      }
      Frame next = frame(open, offset, sequence);
      if (next != null) {
        if (!isDurable(open, next)) {
          return null;
        }
        offset = next.next();
        sequence = next.sequence();
        return next;
      }
      LogPart successor = successor(open, offset, sequence);
      if (successor == null) {
        return null;
      }
      use(successor);
    }
  }

  private static @Nullable Frame frame(LogPart open, int offset, long before) {
    Frame frame = open.segment().frame(offset);
    return frame == null || frame.sequence() != before + 1 ? null : frame;
  }

  /** Returns whether a frame is durable according to later ones, or to another segment. */
  private boolean isDurable(LogPart open, Frame wanted) throws IOException {
    if (scanned < wanted.offset()) {
      scanned = wanted.offset();
      scannedSequence = sequence;
    }
    while (durable < wanted.next()) {
      Frame next = frame(open, scanned, scannedSequence);
      if (next != null) {
        durable = Math.max(durable, next.durable());
        scanned = next.next();
        scannedSequence = next.sequence();
        continue;
      }
      LogPart successor = successor(open, scanned, scannedSequence);
      if (successor == null) {
        return false;
      }
      successor.close();
      durable = scanned;
    }
    return true;
  }

  /**
   * Goes to the start.
   *
   * @return null if there is no log yet
   */
  public @Nullable LogPart locate() throws IOException {
    long startOffset = start.offset();
    LogPart open = open(start.segment());
    if (open == null) {
      open = successor(start.segment(), startOffset);
      if (open != null) {
        use(open);
      } else if (start.segment() > 0) {
        throw new IOException(
            "the log does not reach to this position: directory=%s position=%s; is it of another table, or has the table been restored? take a checkpoint and resume from it"
                .formatted(storage.path(""), start));
      }
      return open;
    }
    use(open);
    Frame next = frame(open, offset, sequence);
    while (next != null && offset < startOffset) {
      offset = next.next();
      sequence = next.sequence();
      next = frame(open, offset, sequence);
    }
    if (offset != startOffset) {
      throw new IllegalArgumentException(
          "not the end of a frame: file=%s offset=%d; begin at a position that a reader returned"
              .formatted(storage.path(open.name()), startOffset));
    }
    return open;
  }

  private void use(LogPart next) throws IOException {
    LogPart before = part;
    part = next;
    offset = LogSegment.FIRST_FRAME;
    sequence = 0;
    durable = 0;
    scanned = 0;
    if (before != null) {
      before.close();
    }
  }

  private @Nullable LogPart open(long number) throws IOException {
    for (String file : storage.list()) {
      if (file.endsWith(LogPart.SUFFIX) && LogPart.number(storage, file) == number) {
        try {
          return LogPart.open(storage, file);
        } catch (NoSuchFileException deleted) {
          return null;
        }
      }
    }
    return null;
  }

  /** Returns the segment that continues the open one where no frame is; null if there is none. */
  private @Nullable LogPart successor(LogPart open, int end, long before) throws IOException {
    try {
      return successor(open.segment().number(), end);
    } catch (IOException gone) {
      if (frame(open, end, before) != null) {
        return null; // it came just now, and then another segment
      }
      throw gone;
    }
  }

  /**
   * Returns the segment that continues another one at an offset; null if the log ends there.
   *
   * @throws IOException if it goes on, but not there
   */
  private @Nullable LogPart successor(long number, long end) throws IOException {
    boolean goesOn = false;
    for (String file : storage.list()) {
      if (file.endsWith(LogPart.SUFFIX) && LogPart.number(storage, file) > number) {
        LogPart candidate = open(LogPart.number(storage, file));
        Place before = candidate == null ? null : candidate.segment().before();
        if (candidate != null
            && before != null
            && before.number() == number
            && before.end() == end) {
          return candidate;
        }
        goesOn |= before != null;
        if (candidate != null) {
          candidate.close();
        }
      }
    }
    if (goesOn) {
      throw new IOException(
          "changes after this position have been deleted: directory=%s position=%d/%d; take a checkpoint and resume from it"
              .formatted(storage.path(""), number, end));
    }
    return null;
  }

  @Override
  public void close() throws IOException {
    LogPart open = part;
    part = null;
    closed = true;
    if (open != null) {
      open.close();
    }
  }
}
