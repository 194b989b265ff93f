package io.bsdb.live;

import io.bsdb.live.log.Log;
import io.bsdb.live.log.SegmentSupply;
import io.bsdb.reader.io.Closing;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Publishes and folds changes in the background when there are many, and has writers wait if they
 * are faster than that.
 */
final class Maintenance implements Closeable {
  private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);
  private static final long MIN_PUBLISHED_LENGTH = 16 << 20;

  /** Part of the limit of changes at which folds no longer keep to their rate. */
  private static final double HURRY = 1.1;

  private final Log log;
  private final Publisher publisher;
  private final Folder folder;
  private final SegmentSupply segments;
  private final long maxPublishedLength;
  private final long maxChangedKeys;
  private final Backpressure backpressure = new Backpressure(this::obstacle);
  private final Background publishing;
  private final Background folding;

  /**
   * @param segments of the log
   * @param maxPublishedLength length of the log at which it is published, at the latest
   * @param maxChangedKeys from which on all are folded
   */
  Maintenance(
      Log log,
      SegmentSupply segments,
      Publisher publisher,
      Folder folder,
      long maxPublishedLength,
      long maxChangedKeys) {
    this.log = log;
    this.segments = segments;
    this.publisher = publisher;
    this.folder = folder;
    this.maxPublishedLength = maxPublishedLength;
    this.maxChangedKeys = maxChangedKeys;
    this.publishing = new Background("bsdb-publish", this::publishDue, FOREVER, this::adjustLoad);
    this.folding = new Background("bsdb-fold", folder::foldDue, Publisher.KEPT, this::adjustLoad);
  }

  /** Begins with what is due. */
  void start() {
    adjustLoad();
    folding.wake();
  }

  /** Waits until a change may be written. */
  void admit() throws IOException {
    backpressure.admit();
  }

  /** Publishes the log if it has become long. */
  private void publishDue() throws IOException {
    if (log.isUsable() && log.completeLength() >= publishedLength()) {
      publish();
    }
  }

  /** Starts work in the background, and slows writers down, as necessary. */
  void adjustLoad() {
    double unpublished = (double) log.completeLength() / publishedLength();
    double unfolded =
        Math.max(
            (double) folder.changedKeys() / maxChangedKeys,
            (double) folder.changeBytes() / folder.maxChangeBytes());
    backpressure.set(Math.max(unpublished, unfolded));
    folder.hurry(unfolded >= HURRY);
    if (unpublished >= 1 && publishing.failure() == null) {
      publishing.wake();
    }
  }

  /** Returns the length of the log at which it is published: an eighth of the table. */
  private long publishedLength() {
    return Math.min(maxPublishedLength, Math.max(MIN_PUBLISHED_LENGTH, folder.baseBytes() / 8));
  }

  /** Returns changes that wait, as a fraction of those at which work in the background begins. */
  double load() {
    return backpressure.load();
  }

  /** Returns why work in the background failed last; null if it did not. */
  @Nullable Throwable failure() {
    Throwable failure = publishing.failure();
    return failure == null ? folding.failure() : failure;
  }

  private @Nullable String obstacle() {
    Throwable failure = failure();
    if (failure != null) {
      return "that fails: " + failure;
    }
    boolean isFull =
        folder.changedKeys() >= Backpressure.FULL * maxChangedKeys
            || folder.changeBytes() >= Backpressure.FULL * folder.maxChangeBytes();
    return folder.isPaused() && isFull ? "compaction is paused: resume it" : null;
  }

  void publish() throws IOException {
    publisher.publish();
    published();
  }

  LogPosition copyTo(Path target) throws IOException {
    LogPosition position = publisher.copyTo(target);
    published();
    return position;
  }

  private void published() throws IOException {
    folder.count();
    segments.limit(publishedLength());
    adjustLoad();
    folding.wake();
  }

  void compact() throws IOException {
    publish();
    folder.fold(0);
    adjustLoad();
  }

  void pause() {
    folder.pause();
    adjustLoad();
  }

  void resume() {
    folder.resume();
    folding.wake();
  }

  /** Releases all that wait, then waits for the work in the background. */
  @Override
  public void close() throws IOException {
    backpressure.close();
    folding.end();
    folder.stop();
    Closing.all(List.of(publishing, folding, publisher, folder));
  }
}
