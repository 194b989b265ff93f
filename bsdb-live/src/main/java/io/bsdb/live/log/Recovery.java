package io.bsdb.live.log;

import io.bsdb.format.io.Closing;
import io.bsdb.format.segment.LogSegment;
import io.bsdb.format.segment.LogSegment.End;
import io.bsdb.format.segment.LogSegment.Place;
import io.bsdb.format.segment.Segment;
import io.bsdb.live.Durability;
import io.bsdb.live.LogPosition;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads a log from the disk and decides where it ends. A segment names the place in the one before
 * that it continues; the last segment with a valid first frame counts, and those that it continues.
 *
 * <p>Nothing is truncated, and nothing is overwritten by other bytes. So recovery can be killed and
 * repeated: a torn end stays as it is, and a new segment continues the log before it.
 */
public final class Recovery {
  private final LogStorage storage;
  private final LogIndex index;
  private final int maxSegmentLength;
  private final Durability durability;
  private final long published;
  private final LogFiles files;
  private final List<LogPart> opened;

  /**
   * @param log id of the log
   * @param published number of the last segment whose changes are in the version in service; 0 if
   *     none is
   */
  public Recovery(
      LogStorage storage,
      LogIndex index,
      int maxSegmentLength,
      Durability durability,
      UUID log,
      long published) {
    this.durability = durability;
    this.published = published;
    this.files = new LogFiles(storage, log, published);
    this.opened = files.opened();
    this.storage = storage;
    this.index = index;
    this.maxSegmentLength = maxSegmentLength;
  }

  /**
   * A log that can be written on.
   *
   * @param index finds the changes in it
   * @param parts all segments in their order; the last is open for writing
   * @param end of the last one
   * @param durable as {@link End#durable}
   * @param sequence of the last frame
   * @param prepared a segment that has not been used; may be null
   * @param old names of segments that are published
   */
  public record Recovered(
      LogStorage storage,
      LogIndex index,
      List<LogPart> parts,
      int end,
      int durable,
      long sequence,
      @Nullable LogPart prepared,
      List<String> old)
      implements Closeable {
    /** Closes the segments, but not the index, if nobody writes the log. */
    @Override
    public void close() throws IOException {
      List<LogPart> all = new ArrayList<>(parts);
      if (prepared != null) {
        all.add(prepared);
      }
      Closing.all(all);
    }

    /** Returns the number of the last segment. */
    long number() {
      return parts.get(parts.size() - 1).segment().number();
    }

    /** Returns where the log begins: after what is published. */
    public LogPosition start() {
      Place place = parts.get(0).segment().before();
      return place == null ? LogPosition.START : new LogPosition(place.number(), place.end());
    }
  }

  /** Reads the log into the index, and makes durable what counts. */
  public Recovered run() throws IOException {
    ownFiles();
    try {
      return recover(files.open());
    } catch (IOException | RuntimeException | Error e) {
      files.close();
      throw e;
    }
  }

  /**
   * Copies files that are shared with another table, as after {@code cp -al}: what is written to
   * them would be in that one, too.
   */
  private void ownFiles() throws IOException {
    for (String name : storage.list()) {
      if (name.endsWith(LogPart.SUFFIX)
          && LogPart.number(storage, name) > published
          && storage.isShared(name)) {
        LogPart.copy(storage, name);
      }
    }
  }

  private Recovered recover(List<LogPart> chain) throws IOException {
    End end = files.replay(chain, this::indexed);
    for (String name : files.damaged()) {
      storage.delete(name); // before another file can get its name
    }
    Place place = Place.NONE;
    if (!chain.isEmpty()) {
      LogPart last = chain.get(chain.size() - 1).writable(storage);
      if (end.durable() < end.end()) {
        last.writeAgain(end.durable(), end.end());
      }
      place = last.place(end.end());
    }
    long number = 0;
    LogPart prepared = null;
    List<LogPart> leftOver = new ArrayList<>();
    for (LogPart part : opened) {
      number = part.segment().number();
      if (!chain.contains(part)) {
        boolean unused = !part.segment().replayToEnd((kind, record) -> {}).torn();
        if (unused && number > place.number() && prepared == null) {
          prepared = part;
        } else {
          leftOver.add(part);
        }
      }
    }
    if (end.torn()) {
      if (prepared == null) {
        prepared =
            LogPart.create(
                storage, number + 1, SegmentSupply.length(end.end(), maxSegmentLength), durability);
        opened.add(prepared);
      }
      LogPart next = prepared.writable(storage);
      prepared = null;
      next.begin(place);
      next.force();
      if (!chain.isEmpty()) {
        chain.get(chain.size() - 1).end(end.end(), end.sequence());
      }
      chain.add(next);
      indexed(next);
      int first = LogSegment.FIRST_FRAME + LogSegment.FIRST_FRAME_LENGTH;
      end = new End(first, first, 1, false);
    }
    delete(leftOver);
    return new Recovered(
        storage, index, chain, end.end(), end.durable(), end.sequence(), prepared, files.old());
  }

  private Segment.Replay indexed(LogPart part) {
    int number = index.changes().addSegment(part.segment().segment());
    return (kind, record) -> part.count(kind, index.add(number, kind, record));
  }

  private void delete(List<LogPart> leftOver) throws IOException {
    for (LogPart part : leftOver) {
      part.close();
      opened.remove(part);
      storage.delete(part.name());
    }
    for (String name : storage.list()) {
      if (LogPart.isUnfinished(name)) {
        storage.delete(name);
      }
    }
  }
}
