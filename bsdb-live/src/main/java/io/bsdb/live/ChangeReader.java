package io.bsdb.live;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.LogSegment;
import io.bsdb.format.segment.LogSegment.Frame;
import io.bsdb.format.segment.Segment;
import io.bsdb.live.log.Followers;
import io.bsdb.live.log.LogDirectory;
import io.bsdb.live.log.LogTail;
import io.bsdb.live.log.Owner;
import java.io.Closeable;
import java.io.IOException;
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
 * kept for it, also while no reader is open, up to 1 GiB; what it has not read by then is gone, and
 * {@link #next} says so.
 *
 * <p>A change is handed out once it is known to be durable: when a later change, or one second
 * without changes, confirms it. With {@link Durability#OS} the log is forced to disk once a second.
 */
public final class ChangeReader implements Closeable {
  private final Followers followers;
  private final String name;
  private final LogTail log;

  /** After the last changes that were handed out completely. */
  private LogPosition position;

  /** The changes of one frame, and the one that the reader is on. */
  private final List<Integer> records = new ArrayList<>();

  private int current = -1;

  /** A frame whose changes could not all be read, for want of memory: they are read again. */
  private @Nullable Frame unread;

  /** After this frame. */
  private LogPosition end;

  private ChangeReader(Path log, String name, LogPosition position) {
    this.followers = new Followers(log);
    this.name = name;
    this.log = new LogTail(new LogDirectory(log), position);
    this.position = position;
    this.end = position;
  }

  /**
   * Follows a table.
   *
   * @param name of the follower; used by one reader at a time
   * @param position after which to begin: {@link LogPosition#START}, what {@link
   *     WritableTable#checkpoint} returned, or {@link #position} of an earlier reader
   * @throws IOException also if changes after the position have been deleted, or if the log has no
   *     such position
   */
  public static ChangeReader from(Path table, String name, LogPosition position)
      throws IOException {
    Path log = table.resolve(SnapshotFormat.LOG_DIRECTORY);
    Owner.published(table); // or it is no writable table
    ChangeReader reader = new ChangeReader(log, name, position);
    LogPosition before = reader.followers.read(name);
    reader.followers.write(name, position);
    try {
      reader.log.locate();
      return reader;
    } catch (IOException | RuntimeException | Error e) {
      reader.close();
      if (before == null) {
        reader.followers.remove(name);
      } else {
        reader.followers.write(name, before);
      }
      throw e;
    }
  }

  /** Removes a follower, so that the log is no longer kept for it. */
  public static void forget(Path table, String name) throws IOException {
    new Followers(table.resolve(SnapshotFormat.LOG_DIRECTORY)).remove(name);
  }

  /**
   * Moves to the next change.
   *
   * @return false if there is none yet that is durable
   * @throws IOException also if changes were deleted before they were read: take a new checkpoint
   *     and resume from it
   */
  public boolean next() throws IOException {
    if (unread == null && current + 1 < records.size()) {
      current++;
      return true;
    }
    records.clear();
    current = -1;
    while (records.isEmpty()) {
      position = end;
      Frame next = unread == null ? log.next() : unread;
      if (next == null) {
        return false;
      }
      unread = next;
      if (!next.first()) {
        read(log.segment(), next);
      }
      unread = null;
    }
    current = 0;
    return true;
  }

  private void read(LogSegment segment, Frame next) throws IOException {
    segment.replayWritten(
        next.offset(),
        next.length(),
        (kind, record) -> {
          if (kind != ChangeKind.POSITION) {
            records.add(record);
          }
        });
    end = new LogPosition(segment.number(), next.next());
  }

  private Segment segment() {
    if (current < 0) {
      throw new IllegalStateException("the reader is on no change");
    }
    return log.segment().segment();
  }

  /** Returns a copy of the key of the current change. */
  public byte[] key() {
    Segment segment = segment();
    return segment.copy(segment.key(records.get(current)));
  }

  /** Returns a copy of the value that the key has now; null if it is deleted. */
  public byte @Nullable [] value() {
    Segment segment = segment();
    int record = records.get(current);
    return segment.isDelete(record) ? null : segment.copy(segment.value(record));
  }

  /**
   * Returns whether the current change is the last of those that were written together, which may
   * be several batches, each complete. {@link #position} moves only then.
   */
  public boolean isLast() {
    return current == records.size() - 1;
  }

  /** Returns the position after the last changes that were handed out completely. */
  public LogPosition position() {
    return current >= 0 && isLast() ? end : position;
  }

  /**
   * Releases the changes before {@link #position}: the log need not keep them for this follower.
   */
  public void acknowledge() throws IOException {
    followers.write(name, position());
  }

  /** Closes the files. The log is still kept for this follower. Idempotent. */
  @Override
  public void close() throws IOException {
    current = -1;
    records.clear();
    log.close();
  }
}
