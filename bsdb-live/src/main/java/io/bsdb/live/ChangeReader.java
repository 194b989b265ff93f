package io.bsdb.live;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.LogSegment;
import io.bsdb.format.segment.LogSegment.Frame;
import io.bsdb.format.segment.LogSegment.Place;
import io.bsdb.format.segment.Segment;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Follows the changes of a writable table, from the process that writes it or from another one: for
 * replicas, caches and indexes elsewhere. Hands out only what is durable on disk, each change once,
 * in the order in which they were written. Used by one thread.
 *
 * <p>A follower has a name. Until it has {@linkplain #acknowledge acknowledged} changes, the log is
 * kept for it, also while no reader is open, up to 16 files of 64 MiB; what it has not read by then
 * is gone, and {@link #next} says so.
 *
 * <p>A change comes once a later one, or a second without any, has told that it is durable.
 */
public final class ChangeReader implements Closeable {
  private final LogStorage storage;
  private final Followers followers;
  private final String name;
  private LogPosition position;
  private @Nullable LogPart part;

  /** Where the next frame begins, and its number. */
  private int frame;

  private long sequence;

  /** Before which everything is durable, as the frames before {@link #scanned} say. */
  private long durable;

  private int scanned;
  private long scannedSequence;
  private final List<Integer> records = new ArrayList<>();
  private int current = -1;
  private int end;

  private ChangeReader(Path log, String name, LogPosition position) {
    this.storage = new LogDirectory(log);
    this.followers = new Followers(log);
    this.name = name;
    this.position = position;
  }

  /**
   * Follows a table.
   *
   * @param name of the follower; one reader at a time has it
   * @param position behind which to begin: {@link LogPosition#START}, what {@link
   *     WritableTable#checkpoint} returned, or {@link #position} of a reader before
   * @throws IOException also if changes behind the position are gone, or if it is none
   */
  public static ChangeReader from(Path table, String name, LogPosition position)
      throws IOException {
    Path log = table.resolve(SnapshotFormat.LOG_DIRECTORY);
    Owner.published(table); // or it is no writable table
    ChangeReader reader = new ChangeReader(log, name, position);
    boolean isNew = reader.followers.isNew(name);
    reader.followers.write(name, position);
    try {
      reader.locate();
      return reader;
    } catch (IOException | RuntimeException | Error e) {
      reader.close();
      if (isNew) {
        reader.followers.remove(name);
      }
      throw e;
    }
  }

  /** Has the log kept no longer for a follower that will not come back. */
  public static void forget(Path table, String name) throws IOException {
    new Followers(table.resolve(SnapshotFormat.LOG_DIRECTORY)).remove(name);
  }

  /**
   * Moves to the next change.
   *
   * @return false if there is none yet that is durable
   * @throws IOException also if changes were deleted before they were read: make a new checkpoint,
   *     and begin behind it
   */
  public boolean next() throws IOException {
    if (current + 1 < records.size()) {
      current++;
      return true;
    }
    pass();
    records.clear();
    current = -1;
    while (records.isEmpty()) {
      LogPart open = part == null ? locate() : part;
      if (open == null) {
        return false;
      }
      Frame next = frame(open, frame, sequence);
      if (next == null) {
        LogPart successor = successor(open, frame, sequence);
        if (successor == null) {
          return false;
        }
        use(successor);
        continue;
      }
      if (!isDurable(open, next)) {
        return false;
      }
      frame = next.next();
      sequence = next.sequence();
      read(open, next);
      end = next.next();
      if (records.isEmpty() && !next.first()) {
        position = new LogPosition(open.segment().number(), end);
      }
    }
    current = 0;
    return true;
  }

  /** Counts what was handed out. */
  private void pass() {
    LogPart open = part;
    if (open != null && !records.isEmpty()) {
      position = new LogPosition(open.segment().number(), end);
    }
  }

  private void read(LogPart open, Frame next) throws IOException {
    if (next.first()) {
      return;
    }
    open.segment()
        .replayWritten(
            next.offset(),
            next.length(),
            (kind, record) -> {
              if (kind != ChangeKind.POSITION) {
                records.add(record);
              }
            });
  }

  private static @Nullable Frame frame(LogPart open, int offset, long before) {
    Frame frame = open.segment().frame(offset);
    return frame == null || frame.sequence() != before + 1 ? null : frame;
  }

  /** Returns whether frames behind one, or another segment, say that it is durable. */
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

  /** Goes to the position; returns null if there is no log yet. */
  private @Nullable LogPart locate() throws IOException {
    int offset = Math.toIntExact(position.offset());
    LogPart open = open(position.segment());
    if (open == null) {
      open = successor(position.segment(), offset);
      if (open != null) {
        use(open);
      }
      return open;
    }
    use(open);
    Frame next = frame(open, frame, sequence);
    while (next != null && frame < offset) {
      frame = next.next();
      sequence = next.sequence();
      next = frame(open, frame, sequence);
    }
    if (frame != offset) {
      throw new IllegalArgumentException(
          "not the end of a frame: file=%s offset=%d; begin at a position that a reader returned"
              .formatted(storage.path(open.name()), offset));
    }
    return open;
  }

  private void use(LogPart next) throws IOException {
    LogPart before = part;
    part = next;
    frame = LogSegment.FIRST_FRAME;
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
  private @Nullable LogPart successor(LogPart open, int offset, long before) throws IOException {
    try {
      return successor(open.segment().number(), offset);
    } catch (IOException gone) {
      if (frame(open, offset, before) != null) {
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
  private @Nullable LogPart successor(long number, int offset) throws IOException {
    boolean goesOn = false;
    for (String file : storage.list()) {
      if (file.endsWith(LogPart.SUFFIX) && LogPart.number(storage, file) > number) {
        LogPart candidate = open(LogPart.number(storage, file));
        Place before = candidate == null ? null : candidate.segment().before();
        if (candidate != null
            && before != null
            && before.number() == number
            && before.end() == offset) {
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
          "changes behind a position in the log are gone: directory=%s position=%d/%d; make a checkpoint, and begin behind it"
              .formatted(storage.path(""), number, offset));
    }
    return null;
  }

  private Segment segment() {
    LogPart open = part;
    if (open == null || current < 0) {
      throw new IllegalStateException("the reader is on no change");
    }
    return open.segment().segment();
  }

  private static byte[] copy(Segment segment, long place) {
    byte[] copy = new byte[(int) place];
    segment.bytes().get((int) (place >>> 32), copy);
    return copy;
  }

  /** Returns a copy of the key of the current change. */
  public byte[] key() {
    Segment segment = segment();
    return copy(segment, segment.key(records.get(current)));
  }

  /** Returns a copy of the value that the key has now; null if it is deleted. */
  public byte @Nullable [] value() {
    Segment segment = segment();
    int record = records.get(current);
    return segment.isDelete(record) ? null : copy(segment, segment.value(record));
  }

  /**
   * Returns whether the current change is the last one of those that were written together, among
   * them whole batches. Only then {@link #position} moves.
   */
  public boolean isLast() {
    return current == records.size() - 1;
  }

  /** Returns the place behind the last changes that were handed out whole. */
  public LogPosition position() {
    if (current >= 0 && isLast()) {
      pass();
    }
    return position;
  }

  /** Has the log kept no longer for changes before {@link #position}. */
  public void acknowledge() throws IOException {
    followers.write(name, position());
  }

  /** Closes the files. The log is kept on for this follower. Idempotent. */
  @Override
  public void close() throws IOException {
    LogPart open = part;
    part = null;
    current = -1;
    records.clear();
    if (open != null) {
      open.close();
    }
  }
}
