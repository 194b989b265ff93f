package io.bsdb.live;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.io.IORunnable;
import io.bsdb.format.segment.LogSegment.Place;
import io.bsdb.live.log.GroupCommit;
import io.bsdb.live.log.Log;
import io.bsdb.live.log.LogIndex;
import io.bsdb.live.log.LogPart;
import io.bsdb.live.log.LogStorage;
import io.bsdb.live.log.Owner;
import io.bsdb.live.log.Reclaimer;
import io.bsdb.live.log.Recovery.Recovered;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.table.StreamRule;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.manifest.StreamProgress;
import io.bsdb.table.manifest.StreamProgress.Checkpoint;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the changes in the log as a version: cuts the log, and makes its files before the cut
 * segments of the table, which copies nothing. Each file is durably sealed at its end once the next
 * one continues the log; then it is cut to its length and linked among the table's files.
 *
 * <p>The version records the last segment of the log whose changes it has. So one step, the swap of
 * {@code CURRENT}, decides where the log begins to count, and a crash before or after it loses
 * nothing and applies nothing twice.
 */
final class Publisher implements Closeable {
  /** Partitions of a table that began as a log over nothing. */
  private static final int PARTITIONS = 32;

  /**
   * Mean length above which records are stored without padding. Padding takes about half a record
   * at the end of each page: with records of this length, a sixteenth of the page.
   */
  private static final long LONG_RECORD = SnapshotFormat.PAGE / 8;

  /**
   * How long old versions are kept for readers that are about to open them, if they take little
   * space.
   */
  static final Duration KEPT = Duration.ofMinutes(1);

  /** Space that the files of old versions may take in small tables. */
  private static final long MIN_KEPT_BYTES = 16 << 20;

  /** The part of a large table that the files of old versions may take. */
  private static final int KEPT_PART = 16;

  private final ReentrantLock lock = new ReentrantLock();
  private final Path directory;
  private final Table table;
  private final Owner owner;
  private final TableReader reader;
  private final Log log;
  private final LogStorage logStorage;
  private final GroupCommit commit;
  private final LogIndexes.InUse logIndexes;
  private final Reclaimer reclaimer;
  private final AtomicLong publications = new AtomicLong();

  /** The position up to which changes are published. */
  private LogPosition published;

  /** The position up to which changes are in the frozen index; set before there is one. */
  private volatile LogPosition cut = LogPosition.START;

  private boolean closed;

  /**
   * @param owner of the table
   * @param recovered the log as it was found: before its start, changes are published
   * @param lookups in the log and in the version under it
   * @param reclaimer is given what lookups in flight may still use
   */
  Publisher(
      Path directory,
      Table table,
      Owner owner,
      Recovered recovered,
      Lookups lookups,
      Log log,
      GroupCommit commit,
      Reclaimer reclaimer) {
    this.directory = directory;
    this.table = table;
    this.owner = owner;
    this.published = recovered.start();
    this.reader = lookups.base();
    this.log = log;
    this.logStorage = recovered.storage();
    this.commit = commit;
    this.logIndexes = lookups.logIndexes();
    this.reclaimer = reclaimer;
  }

  /** Publishes all changes that have been written, if there are any. May be repeated. */
  void publish() throws IOException {
    lock.lock();
    try {
      publishFrozen(); // what was cut before
      if (hasChanges()) {
        commit.exclusively(this::cutIfNone);
        publishFrozen();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Publishes the changes before a cut; without one, all changes. */
  void publishCut() throws IOException {
    lock.lock();
    try {
      if (logIndexes.get().frozen() == null) {
        publish();
      } else {
        publishFrozen();
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean hasChanges() {
    LogIndexes changed = logIndexes.get();
    LogIndex newest = changed.newest();
    return changed.frozen() != null || newest.changes().keys() > 0 || !newest.positions().isEmpty();
  }

  /**
   * Publishes all changes, and copies the table; returns the position up to which the copy has the
   * changes.
   */
  LogPosition copyTo(Path target) throws IOException {
    lock.lock();
    try {
      publish();
      TableCopy.make(table, directory, target);
      return published;
    } finally {
      lock.unlock();
    }
  }

  /** Cuts the log, unless the end of a segment has cut it meanwhile. */
  private void cutIfNone() throws IOException {
    LogIndex next = nextIndex();
    if (next != null) {
      log.cut(next);
    }
  }

  /** Returns an index of the changes after the next cut; null if there is a cut to be published. */
  @Nullable LogIndex nextIndex() throws IOException {
    if (logIndexes.get().frozen() != null) {
      return null;
    }
    LogIndex next = new LogIndex();
    next.changes().retireTo(reclaimer::retire);
    return next;
  }

  /** Notes that the log is cut, so that the changes before the cut are published next. */
  void cutAt(Place end, LogIndex next) {
    cut = new LogPosition(end.number(), end.end());
    logIndexes.set(new LogIndexes(next, logIndexes.get().newest()));
  }

  private void publishFrozen() throws IOException {
    if (closed) {
      throw new IOException("the table is closed; nothing was published");
    }
    owner.requireInPlace();
    LogIndexes changed = logIndexes.get();
    LogIndex frozen = changed.frozen();
    if (frozen == null) {
      return;
    }
    log.syncWritten(); // the segment after the cut, which continues the log
    log.requireUsable();
    LogPosition end = cut;
    Manifest base =
        SnapshotPublisher.publishEmpty(
            table,
            PARTITIONS,
            WriterOptions.builder()
                .partitions(PARTITIONS)
                .layout(layout(log.through(end.segment())))
                .build());
    StreamProgress progress = base.changes().streams().get(Owner.STREAM);
    StreamRule rule =
        new StreamRule(
            Owner.STREAM,
            new Checkpoint(owner.id(), end.segment()),
            progress == null ? null : progress.last());
    if (rule.isApplied(base)) {
      table.storage().syncDirectory(""); // CURRENT may not be durable: it was published and failed
    } else {
      name(frozen, end.segment(), rule);
    }
    reader.refresh(frozen.changes());
    // Lookups find the changes in the version before they stop to find them in the log.
    logIndexes.set(new LogIndexes(changed.newest(), null));
    reclaimer.retire(frozen);
    log.release(end.segment());
    published = end;
    publications.incrementAndGet();
  }

  /** Returns the layout of a new table: without padding if there are records and they are long. */
  private static Layout layout(List<LogPart> parts) {
    long bytes = parts.stream().mapToLong(LogPart::end).sum();
    long changes = parts.stream().mapToLong(LogPart::changes).sum();
    return changes > 0 && bytes > LONG_RECORD * changes ? Layout.COMPACT : Layout.BLOCKED;
  }

  /** Links the segments of the log before the cut as segments of the table, and publishes these. */
  private void name(LogIndex frozen, long last, StreamRule rule) throws IOException {
    try (DeltaWriter delta = DeltaWriter.create(table)) {
      boolean links = false;
      for (LogPart part : log.through(last)) {
        if (part.changes() > 0) {
          links = true;
          SegmentFile segment = part.seal(logStorage);
          table.storage().link(SnapshotFormat.LOG_DIRECTORY + "/" + part.name(), segment.path());
          delta.segment(segment);
        }
      }
      if (links) {
        table.storage().syncDirectory(SnapshotFormat.DATA_DIRECTORY);
      }
      frozen.positions().forEach(delta::position);
      delta.stream(rule);
      delta.publish();
    }
  }

  /**
   * Deletes old versions that no reader is about to open. Not part of a publication, which has
   * succeeded even if this fails.
   */
  void prune() throws IOException {
    if (!reader.isEmpty()) {
      owner.requireInPlace();
      table.pruneByWeight(KEPT, Math.max(MIN_KEPT_BYTES, reader.manifest().length() / KEPT_PART));
    }
  }

  /** Publishes what is left at a close, so that the next open replays nothing. */
  void publishRest() throws IOException {
    if (log.isUsable()) {
      try {
        publish();
      } catch (IOException | RuntimeException e) {
        closing(commit::force);
        throw new IOException(
            "the table is closed and its changes are durable in its log, but publishing them failed: table=%s: %s; the next open replays what is not published"
                .formatted(directory, reason(e)),
            e);
      }
      try {
        prune();
      } catch (IOException | RuntimeException e) {
        throw new IOException(
            "the table is closed and its changes are published, but files of old versions could not be deleted: table=%s: %s; the next open tries again"
                .formatted(directory, reason(e)),
            e);
      }
    }
  }

  /** Runs a step of a close on the log, and fails with what was lost if the log has failed. */
  void closing(IORunnable step) throws IOException {
    requireLog();
    try {
      step.run();
    } catch (IOException | RuntimeException e) {
      requireLog();
      throw e;
    }
  }

  /** Returns the message of a failure; of one that has none, as that of an interrupt, its type. */
  private static String reason(Exception e) {
    String message = e.getMessage();
    boolean isName = e instanceof FileSystemException file && file.getReason() == null;
    return message == null || isName ? e.toString() : message;
  }

  /** Fails a close whose log has failed, which no writer may have noticed. */
  private void requireLog() throws IOException {
    try {
      log.requireUsable();
    } catch (IOException e) {
      throw new IOException(
          "the table is closed, but its log failed, so that the last changes may be lost: table=%s: %s; find out why, and open the table again"
              .formatted(directory, e.getCause()),
          e);
    }
  }

  long publications() {
    return publications.get();
  }

  /** Waits for a publication in progress; allows no further one. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
  }
}
