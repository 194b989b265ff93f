package io.bsdb.live.log;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.format.io.Closing;
import io.bsdb.format.segment.LogSegment;
import io.bsdb.format.segment.LogSegment.End;
import io.bsdb.format.segment.LogSegment.Place;
import io.bsdb.format.segment.Segment;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The segments of a log, as they lie on the disk. */
public final class LogFiles implements Closeable {
  private final LogStorage storage;
  private final long published;
  private final List<LogPart> opened = new ArrayList<>();
  private final List<String> old = new ArrayList<>();
  private final List<String> damaged = new ArrayList<>();
  private final UUID log;

  /**
   * @param log id of the log
   * @param published number of the last segment whose changes are in the version in service; 0 if
   *     none is
   */
  public LogFiles(LogStorage storage, UUID log, long published) {
    this.log = log;
    this.storage = storage;
    this.published = published;
  }

  /** Returns all segments that are not published, whether they count or not. */
  public List<LogPart> opened() {
    return opened;
  }

  /** Returns the names of segments that are published. */
  List<String> old() {
    return old;
  }

  /** Opens all segments; returns those that count, in their order. */
  public List<LogPart> open() throws IOException {
    for (String name : storage.list()) {
      if (name.endsWith(LogPart.SUFFIX)) {
        if (LogPart.number(storage, name) <= published) {
          old.add(name);
        } else {
          open(name);
        }
      }
    }
    Map<Long, LogPart> numbered = new HashMap<>();
    LogPart last = null;
    for (LogPart part : opened) {
      numbered.put(part.segment().number(), part);
      last = part.segment().before() != null ? part : last;
    }
    List<LogPart> chain = new ArrayList<>();
    LogPart part = last;
    while (part != null) {
      chain.add(part);
      part = before(part, numbered);
    }
    if (chain.isEmpty() && published > 0) {
      throw new CorruptSnapshotException(
          "segment of the log is missing: directory=%s expected=the segment after %s; %s"
              .formatted(storage.path(""), LogPart.name(published), cure()));
    }
    Collections.reverse(chain);
    return chain;
  }

  /** Opens a file; one that was prepared and never written to does not matter if it is damaged. */
  private void open(String name) throws IOException {
    try {
      opened.add(LogPart.open(storage, name));
    } catch (CorruptSnapshotException | UnsupportedVersionException e) {
      if (!LogPart.isUnwritten(storage, name)) {
        throw e;
      }
      damaged.add(name);
    }
  }

  /** Returns the names of files that were never written to and cannot be. */
  List<String> damaged() {
    return damaged;
  }

  /**
   * Hands out the changes of the files that count.
   *
   * @param chain from {@link #open}
   * @param replays returns what is given the changes of a file
   * @return the end of the last file
   * @throws CorruptSnapshotException if something that was durable is damaged
   */
  public End replay(List<LogPart> chain, Function<LogPart, Segment.Replay> replays)
      throws IOException {
    End end = new End(0, 0, 0, true);
    for (int i = 0; i < chain.size(); i++) {
      LogPart part = chain.get(i);
      Segment.Replay replay = replays.apply(part);
      Place next = i + 1 < chain.size() ? chain.get(i + 1).segment().before() : null;
      if (next == null) {
        end = part.segment().replayToEnd(replay);
      } else {
        part.end((int) next.end(), part.segment().replay(next.end(), replay));
      }
    }
    LogEnd recorded = LogEnd.read(storage, log);
    if (recorded != null) {
      recorded.requireReached(storage, published, chain, end.end());
    }
    return end;
  }

  private @Nullable LogPart before(LogPart part, Map<Long, LogPart> numbered) throws IOException {
    Place place = part.segment().before();
    if (place == null) {
      throw new CorruptSnapshotException(
          "first frame of a segment of the log is damaged: file=%s offset=%d; restore the table from a copy"
              .formatted(storage.path(part.name()), LogSegment.FIRST_FRAME));
    }
    if (place.number() == published) {
      return null;
    }
    LogPart before = numbered.get(place.number());
    if (before == null || !before.segment().fileId().equals(place.fileId())) {
      throw new CorruptSnapshotException(
          "segment of the log is missing: file=%s expected file id=%s, as %s continues it, actual=%s; %s"
              .formatted(
                  storage.path(LogPart.name(place.number())),
                  place.fileId(),
                  part.name(),
                  before == null ? "none" : before.segment().fileId(),
                  cure()));
    }
    return before;
  }

  /** Returns what can be done about a missing segment, and what readers have meanwhile. */
  private String cure() {
    return published > 0
        ? "restore the table from a copy; readers still open the version in service, which has the changes of the log up to %s"
            .formatted(LogPart.name(published))
        : "restore the table from a copy; the version in service, if there is one, has no changes of the log";
  }

  @Override
  public void close() throws IOException {
    Closing.all(opened);
  }
}
