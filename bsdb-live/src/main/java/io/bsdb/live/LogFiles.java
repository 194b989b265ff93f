package io.bsdb.live;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.segment.LogSegment;
import io.bsdb.format.segment.LogSegment.Place;
import io.bsdb.reader.io.Closing;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The segments of a log, as they lie on the disk. */
final class LogFiles implements Closeable {
  private final LogStorage storage;
  private final long published;
  private final List<LogPart> opened = new ArrayList<>();
  private final List<String> old = new ArrayList<>();

  /**
   * @param published number of the last segment whose changes are in the version in service; 0 if
   *     none is
   */
  LogFiles(LogStorage storage, long published) {
    this.storage = storage;
    this.published = published;
  }

  /** Returns all segments that are not published, whether they count or not. */
  List<LogPart> opened() {
    return opened;
  }

  /** Returns the names of segments that are published. */
  List<String> old() {
    return old;
  }

  /** Opens all segments; returns those that count, in their order. */
  List<LogPart> open() throws IOException {
    for (String name : storage.list()) {
      if (name.endsWith(LogPart.SUFFIX)) {
        if (LogPart.number(storage, name) <= published) {
          old.add(name);
        } else {
          opened.add(LogPart.open(storage, name));
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
          "segment of the log is missing: directory=%s expected=the segment after number %d; restore the table from a copy"
              .formatted(storage.path(""), published));
    }
    Collections.reverse(chain);
    return chain;
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
          "segment of the log is missing: file=%s offset=%d expected before it=segment %d with file id %s; restore the table from a copy"
              .formatted(
                  storage.path(part.name()),
                  LogSegment.FIRST_FRAME,
                  place.number(),
                  place.fileId()));
    }
    return before;
  }

  @Override
  public void close() throws IOException {
    Closing.all(opened);
  }
}
