package io.bsdb.live.log;

import io.bsdb.format.io.Closing;
import io.bsdb.format.segment.FrameBuffer;
import io.bsdb.format.segment.LogSegment;
import io.bsdb.format.segment.LogSegment.Place;
import io.bsdb.live.Durability;
import io.bsdb.live.OutcomeUnknownException;
import io.bsdb.live.log.GroupCommit.Group;
import io.bsdb.live.log.Recovery.Recovered;
import io.bsdb.reader.overlay.ChangeTable;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Appends groups to the segments of a log, and adds them to the index once they count. One thread
 * at a time writes.
 *
 * <p>A write or an fsync that fails is never tried again: the system may have dropped the pages and
 * report success for what is not on disk. Nothing is written from then on.
 */
public final class Log implements GroupCommit.Sink, Closeable {
  /** Where the first frame of a segment ends. */
  private static final int FIRST_END = LogSegment.FIRST_FRAME + LogSegment.FIRST_FRAME_LENGTH;

  /** Length of a segment with its first frame and its seal. */
  private static final int FIRST_LENGTH = FIRST_END + LogSegment.SEAL_LENGTH;

  /** Bytes after which a log that is not forced by its writers is forced in the background. */
  private static final int SYNCED_BYTES = 8 << 20;

  /** Decides which index finds the changes in the next segment. */
  public interface Continuation {
    /** Leaves all changes in one index. */
    Continuation NONE =
        new Continuation() {
          @Override
          public @Nullable LogIndex nextIndex() {
            return null;
          }

          @Override
          public void continued(Place end, @Nullable LogIndex next) {}
        };

    /** Returns an index of the changes after a full segment; null for the one of those before. */
    @Nullable LogIndex nextIndex() throws IOException;

    /**
     * Called when another segment continues the log, before it has a change.
     *
     * @param end of the segment before it
     * @param next the index of its changes, if that is another one
     */
    void continued(Place end, @Nullable LogIndex next);
  }

  private final LogStorage storage;
  private LogIndex index;
  private final Durability durability;
  private final SegmentSupply segments;
  private final Reclaimer reclaimer;
  private final Retention retention;
  private Continuation continuation = Continuation.NONE;
  private Runnable unsynced = () -> {};

  private final List<LogPart> parts;
  private LogPart part;
  private int indexNumber;
  private int end;
  private int durable;
  private long sequence;

  /** Offset up to which the log is durable according to the last frame. */
  private int recorded;

  /** End of the last frame that holds changes. */
  private int lastChange;

  /** Number of the segment in the upper 32 bits, end of what is written to it in the lower. */
  private volatile long written;

  /** As {@link #written}: what {@link #syncWritten} has made durable. */
  private volatile long synced;

  private final FrameBuffer empty = new FrameBuffer(ByteBuffer::allocate);

  private volatile @Nullable Throwable poison;
  private final AtomicLong changes = new AtomicLong();
  private final AtomicLong groups = new AtomicLong();
  private final AtomicLong syncs = new AtomicLong();

  public Log(
      Recovered recovered,
      Durability durability,
      SegmentSupply segments,
      Reclaimer reclaimer,
      Retention retention) {
    this.retention = retention;
    this.storage = recovered.storage();
    this.index = recovered.index();
    this.durability = durability;
    this.segments = segments;
    this.reclaimer = reclaimer;
    this.parts = new CopyOnWriteArrayList<>(recovered.parts());
    this.part = parts.get(parts.size() - 1);
    this.indexNumber = index.records().segmentCount() - 1;
    this.end = recovered.end();
    this.durable = recovered.end();
    this.recorded = recovered.durable();
    this.lastChange = end;
    this.sequence = recovered.sequence();
  }

  /** Sets what happens at the end of segments; before the first write. */
  public void continuesBy(Continuation value) {
    continuation = value;
  }

  /** Sets what is run when much has been written that is not durable; before the first write. */
  void ifUnsynced(Runnable value) {
    unsynced = value;
  }

  @Override
  public void requireUsable() throws IOException {
    Throwable cause = poison;
    if (cause != null) {
      throw new IOException(
          "the log failed before and takes no more changes; nothing was written: table log=%s; find out why, and open the table again"
              .formatted(storage.path("")),
          cause);
    }
  }

  @Override
  public void write(Group group) throws IOException {
    requireUsable();
    int frame = -1;
    int length = group.frame().length();
    if (group.frame().records() > 0) {
      int room = aligned(length);
      if (room > room()) {
        continueIn(FIRST_LENGTH + (long) room, continuation.nextIndex());
      }
      frame = end;
      writeFrame(group.frame());
      lastChange = end;
    }
    if ((group.force() || durability == Durability.COMMIT) && durable < end) {
      force();
    }
    if (group.frame().records() > 0) {
      long before = part.changes();
      apply(frame, length);
      changes.addAndGet(part.changes() - before);
      groups.incrementAndGet();
    }
  }

  /** Returns how long a frame may be in this segment, which is to be sealed after the last. */
  private int room() {
    return part.length() - end - LogSegment.SEAL_LENGTH;
  }

  private static int aligned(int length) {
    return (length + Long.BYTES - 1) & -Long.BYTES;
  }

  private void writeFrame(FrameBuffer frame) throws IOException {
    int room = aligned(frame.length());
    noteSynced();
    ByteBuffer bytes = frame.finishRecords(part.segment().checksum(), end, sequence + 1, durable);
    try {
      part.write(bytes, end);
    } catch (IOException | RuntimeException | Error e) {
      throw poisoned("write", e);
    }
    sequence++;
    recorded = durable;
    end += room;
    written = part.segment().number() << 32 | end;
    if (durability == Durability.OS && (end - room) / SYNCED_BYTES != end / SYNCED_BYTES) {
      unsynced.run(); // so that little is left to be forced when the segment is full
    }
  }

  /**
   * Writes a frame that records how far the log is durable, so that later damage can be told from a
   * torn tail, unless the frames do already. Not while a group is written; takes no further
   * segment.
   */
  public void mark() throws IOException {
    if (!isUsable() || recorded >= lastChange) {
      return;
    }
    noteSynced();
    if (durable >= lastChange && room() >= empty.length()) {
      writeFrame(empty);
      empty.clear();
      if (durability == Durability.COMMIT) {
        force();
      }
    }
  }

  /**
   * Makes durable what has been written, while further groups are written. A failure ends writing,
   * as that of any fsync does.
   */
  public void syncWritten() throws IOException {
    long place = written;
    for (LogPart each : parts) {
      if (isUsable() && each.segment().number() == place >>> 32 && synced != place) {
        try {
          each.forceIfOpen();
        } catch (IOException | RuntimeException | Error e) {
          throw poisoned("fsync", e);
        }
        synced = place;
        syncs.incrementAndGet();
      }
    }
  }

  private void noteSynced() {
    long place = synced; // read once: another thread may go back to one in the segment before
    if (place >>> 32 == part.segment().number()) {
      durable = Math.max(durable, (int) place);
    }
  }

  /** Returns where the log ends, all of it durable. Not while a group is written. */
  public LogEnd recordedEnd(UUID id) throws IOException {
    requireUsable();
    if (durable < end) {
      force();
    }
    return new LogEnd(id, part.segment().number(), part.segment().fileId(), end);
  }

  private void force() throws IOException {
    try {
      part.force();
    } catch (IOException | RuntimeException | Error e) {
      throw poisoned("fsync", e);
    }
    durable = end;
    syncs.incrementAndGet();
  }

  private OutcomeUnknownException poisoned(String what, Throwable cause) {
    poison = cause;
    return new OutcomeUnknownException(
        "outcome unknown: %s failed: file=%s offset=%d: %s; whether the change is there will be known when the table is opened again"
            .formatted(what, storage.path(part.name()), durable, cause.getMessage()),
        cause);
  }

  /**
   * Goes on in another segment.
   *
   * @param room bytes that the segment must have
   * @param other finds the changes in it; null for the index of those before
   */
  private void continueIn(long room, @Nullable LogIndex other) throws IOException {
    Place place;
    try {
      place = begin(room, other == null ? index : other);
    } catch (IOException | RuntimeException | Error e) {
      if (other != null) {
        other.close();
      }
      throw e;
    }
    try {
      continuation.continued(place, other);
    } catch (RuntimeException | Error e) {
      throw poisoned("cut", e); // lookups may not find what comes
    }
  }

  /** Begins another segment, once all of this one is durable; returns where this one ends. */
  private Place begin(long room, LogIndex nextIndex) throws IOException {
    requireUsable();
    // A cursor, and the next open, find the changes of all segments in one index, which can address
    // so many. The last one is kept for a cut: without it nothing could be published any more.
    int most = nextIndex == index ? ChangeTable.MAX_SEGMENTS - 1 : ChangeTable.MAX_SEGMENTS;
    if (parts.size() >= most) {
      throw new IOException(
          "the log is full: directory=%s segments=%d; nothing was written, find out why the table's changes are not published"
              .formatted(storage.path(""), parts.size()));
    }
    LogPart next = segments.take(room, end);
    parts.add(next); // from now on it is closed with the others
    if (durable < end) {
      force();
    }
    Place place = part.place(end);
    try {
      indexNumber = nextIndex.changes().addSegment(next.segment().segment());
      next.begin(place);
      part.end(end, sequence);
    } catch (IOException | RuntimeException | Error e) {
      throw poisoned("write", e);
    }
    part = next;
    index = nextIndex;
    end = FIRST_END;
    durable = LogSegment.FIRST_FRAME;
    recorded = durable;
    lastChange = 0;
    written = part.segment().number() << 32 | end;
    sequence = 1;
    return place;
  }

  /**
   * Goes on in another segment, whose changes another index finds. Not while a group is written.
   */
  public void cut(LogIndex next) throws IOException {
    continueIn(FIRST_LENGTH, next);
  }

  /** Returns the changes after a segment, as they are now. Not while a group is written. */
  public LogView view(long after) throws IOException {
    List<String> names =
        parts.stream().filter(each -> each.segment().number() > after).map(LogPart::name).toList();
    return LogView.open(storage, names, durability == Durability.COMMIT ? durable : end);
  }

  /** Returns the segments through a number, in their order. */
  public List<LogPart> through(long number) {
    return parts.stream().filter(each -> each.segment().number() <= number).toList();
  }

  /** Releases the segments through a number, whose changes are in a version. */
  public void release(long through) {
    List<LogPart> old = through(through);
    parts.removeAll(old);
    for (LogPart unused : old) {
      reclaimer.retire(
          () -> {
            unused.close();
            retention.add(unused.name());
          });
    }
  }

  /**
   * Returns the length of the segments before the one that is written, without those in which a
   * crash has left no record.
   */
  public long completeLength() {
    return parts.stream()
        .filter(each -> each.end() > 0 && each.hasRecords())
        .mapToLong(LogPart::length)
        .sum();
  }

  private void apply(int frame, int length) throws IOException {
    try {
      part.segment()
          .replayWritten(
              frame,
              length,
              (kind, record) -> part.count(kind, index.add(indexNumber, kind, record)));
    } catch (IOException | RuntimeException | Error e) {
      poison = e;
      throw new OutcomeUnknownException(
          "outcome unknown: the index of changed keys failed: %s; the change will be there when the table is opened again"
              .formatted(e.getMessage()),
          e);
    }
  }

  public boolean isUsable() {
    return poison == null;
  }

  public long length() {
    return parts.stream().mapToLong(LogPart::length).sum();
  }

  public int segmentCount() {
    return parts.size();
  }

  public long changes() {
    return changes.get();
  }

  public long groups() {
    return groups.get();
  }

  public long syncs() {
    return syncs.get();
  }

  @Override
  public void close() throws IOException {
    List<Closeable> open = new ArrayList<>(parts);
    open.add(segments);
    Closing.all(open);
  }
}
