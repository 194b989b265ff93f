package io.bsdb.live.log;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.LentBytes.ReaderFailure;
import io.bsdb.format.ValueReader;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.io.Closing;
import io.bsdb.format.io.Thrown;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.LogSegment;
import io.bsdb.format.segment.LogSegment.Frame;
import io.bsdb.format.segment.LogSegment.Place;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.overlay.ChangeRecords;
import io.bsdb.reader.overlay.Overlay;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a log up to a place, with separate mappings and a separate index, since the log is
 * written, published and deleted meanwhile. Walks over the newest puts of the changed keys. Used by
 * one thread.
 */
public final class LogView implements RecordCursor {
  private final LogStorage storage;
  private final List<LogPart> parts;
  private final int end;
  private final LogIndex index;

  /** Where the walk is: part, next frame in it, records of the frame before, and one of these. */
  private int part;

  private int offset = LogSegment.FIRST_FRAME;
  private final List<Integer> records = new ArrayList<>();
  private int current = -1;

  private LogView(LogStorage storage, List<LogPart> parts, int end) throws IOException {
    this.storage = storage;
    this.parts = parts;
    this.end = end;
    this.index = new LogIndex();
  }

  /**
   * Maps files of a log.
   *
   * @param names in their order
   * @param end of the changes in the last one
   */
  static LogView open(LogStorage storage, List<String> names, int end) throws IOException {
    List<LogPart> parts = new ArrayList<>();
    try {
      for (String name : names) {
        parts.add(LogPart.open(storage, name));
      }
      return new LogView(storage, parts, end);
    } catch (IOException | RuntimeException | Error e) {
      Closing.all(parts);
      throw e;
    }
  }

  /** Returns the number of the file that the first one continues; 0 if it is the first of all. */
  public long before() {
    Place place = parts.get(0).segment().before();
    return place == null ? 0 : place.number();
  }

  /** Reads the changes, so that {@link #changes} finds them. */
  public void read() throws IOException {
    for (int i = 0; i < parts.size(); i++) {
      LogSegment segment = parts.get(i).segment();
      int number = index.changes().addSegment(segment.segment());
      segment.replay(end(i), (kind, record) -> index.add(number, kind, record));
    }
  }

  private long end(int i) {
    Place next = i + 1 < parts.size() ? parts.get(i + 1).segment().before() : null;
    return next == null ? end : next.end();
  }

  /** Returns whether a key is put or deleted. */
  public boolean changes(byte[] key) {
    return index.changes().find(key, KeyHash.hash(key).getMostSignificantBits())
        != Overlay.UNCHANGED;
  }

  @Override
  public boolean next() throws IOException {
    do {
      current++;
      while (current >= records.size()) {
        if (part == parts.size()) {
          return false;
        }
        readFrame();
      }
    } while (!isNewest());
    return true;
  }

  /** Goes on to the records of the next frame, or to the next part. */
  private void readFrame() throws IOException {
    records.clear();
    current = 0;
    LogSegment segment = parts.get(part).segment();
    if (offset >= end(part)) {
      part++;
      offset = LogSegment.FIRST_FRAME;
      return;
    }
    Frame frame = segment.frame(offset);
    if (frame == null) {
      throw new CorruptSnapshotException(
          "a frame of the log was damaged after the cursor was opened: file=%s offset=%d; restore the table from a copy"
              .formatted(storage.path(parts.get(part).name()), offset));
    }
    offset = frame.next();
    if (!frame.first()) {
      segment.replayWritten(
          frame.offset(),
          frame.length(),
          (kind, record) -> {
            if (kind == ChangeKind.PUT) {
              records.add(record);
            }
          });
    }
  }

  private long address() {
    if (current < 0 || current >= records.size()) {
      throw new IllegalStateException("no current record");
    }
    return ChangeRecords.address(part, records.get(current));
  }

  private boolean isNewest() {
    byte[] key = key();
    return index.changes().find(key, KeyHash.hash(key).getMostSignificantBits()) == address();
  }

  @Override
  public byte[] key() {
    return index.records().copyKey(address());
  }

  @Override
  public <T> @Nullable T value(ValueReader<T> reader) throws IOException {
    try {
      return index.records().read(address(), 0, reader);
    } catch (ReaderFailure e) {
      throw Thrown.asIs(e.thrown());
    }
  }

  /** Once. */
  @Override
  public void close() {
    try {
      Closing.all(parts);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      index.close();
    }
  }
}
