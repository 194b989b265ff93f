package io.bsdb.live;

import io.bsdb.format.LentBytes;
import io.bsdb.format.ValueReader;
import io.bsdb.format.io.Closing;
import io.bsdb.live.log.GroupCommit;
import io.bsdb.live.log.Log;
import io.bsdb.live.log.LogView;
import io.bsdb.live.log.Owner;
import io.bsdb.reader.ClosedReaderException;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.snapshot.Calls;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Walks over a version, without what the log changes, then over the log. Holds the version, and
 * maps the files of the log itself, so that nothing waits for it.
 */
final class LiveCursor implements RecordCursor {
  private final List<Closeable> opened;
  private final LogView log;

  /** The records of the version, or those of the log after them. */
  private RecordCursor records;

  private boolean closed;
  private boolean lends;

  private LiveCursor(List<Closeable> opened, LogView log, RecordCursor first) {
    this.opened = opened;
    this.log = log;
    this.records = first;
  }

  /**
   * Opens a cursor over all changes so far.
   *
   * @param id of the log
   * @param calls keeps files of the log from being deleted until they are mapped
   */
  static LiveCursor open(TableReader base, Log log, UUID id, GroupCommit commit, Calls calls)
      throws IOException {
    LiveCursor cursor;
    do {
      cursor = tryOpen(base, log, id, commit, calls);
    } while (cursor == null);
    return cursor;
  }

  /** Returns null if a publication has meanwhile taken files of the log that the version lacks. */
  private static @Nullable LiveCursor tryOpen(
      TableReader base, Log log, UUID id, GroupCommit commit, Calls calls) throws IOException {
    List<Closeable> opened = new ArrayList<>();
    LiveCursor cursor = null;
    try {
      long published = 0;
      RecordCursor records = null;
      if (!base.isEmpty()) {
        TableReader.Lease version = base.lease();
        opened.add(version);
        published = Owner.published(version.reader().manifest(), id);
        records = version.reader().scan();
        opened.add(0, records);
      }
      LogView changes = view(log, published, commit, calls);
      opened.add(0, changes);
      if (changes.before() == published) {
        changes.read();
        cursor = new LiveCursor(opened, changes, records == null ? changes : records);
      }
      return cursor;
    } finally {
      if (cursor == null) {
        Closing.all(opened);
      }
    }
  }

  private static LogView view(Log log, long published, GroupCommit commit, Calls calls)
      throws IOException {
    List<LogView> views = new ArrayList<>();
    int call = calls.enter();
    try {
      commit.exclusively(() -> views.add(log.view(published)));
    } finally {
      calls.left(call);
    }
    return views.get(0);
  }

  @Override
  public boolean next() throws IOException {
    requireOpen();
    while (records != log) {
      if (!records.next()) {
        records = log;
      } else if (!log.changes(records.key())) {
        return true;
      }
    }
    return log.next();
  }

  @Override
  public byte[] key() throws IOException {
    requireOpen();
    return records.key();
  }

  @Override
  public <T> @Nullable T value(ValueReader<T> reader) throws IOException {
    requireOpen();
    boolean lent = lends;
    lends = true;
    try {
      return records.value(reader);
    } finally {
      lends = lent;
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new ClosedReaderException("cursor");
    }
  }

  @Override
  public void close() {
    LentBytes.requireClosable(lends);
    if (!closed) {
      closed = true;
      try {
        Closing.all(opened);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
