package io.bsdb.live;

import io.bsdb.reader.io.Closing;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Publishes and folds changes in the background when there are many, and has writers wait if they
 * are faster than that.
 */
final class Maintenance implements Closeable {
  private final Log log;
  private final Publisher publisher;
  private final Folder folder;
  private final long publishedLength;
  private final long maxChangedKeys;
  private final Backpressure backpressure = new Backpressure(this::obstacle);
  private final Background publishing;
  private final Background folding;

  /**
   * @param publishedLength of the log from which on it is published
   * @param maxChangedKeys from which on all are folded
   */
  Maintenance(
      Log log, Publisher publisher, Folder folder, long publishedLength, long maxChangedKeys) {
    this.log = log;
    this.publisher = publisher;
    this.folder = folder;
    this.publishedLength = publishedLength;
    this.maxChangedKeys = maxChangedKeys;
    this.publishing = new Background("bsdb-publish", this::publishDue, this::adjustLoad);
    this.folding = new Background("bsdb-fold", folder::foldDue, this::adjustLoad);
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
    if (log.isUsable() && log.completeLength() >= publishedLength) {
      publish();
    }
  }

  /** Starts work in the background, and slows writers down, as necessary. */
  void adjustLoad() {
    double unpublished = (double) log.completeLength() / publishedLength;
    double unfolded = (double) folder.changedKeys() / maxChangedKeys;
    backpressure.set(Math.max(unpublished, unfolded));
    if (unpublished >= 1 && publishing.failure() == null) {
      publishing.wake();
    }
  }

  private @Nullable String obstacle() {
    for (Background background : List.of(publishing, folding)) {
      Throwable failure = background.failure();
      if (failure != null) {
        return "that fails: " + failure;
      }
    }
    return folder.isPaused() && folder.changedKeys() >= Backpressure.FULL * maxChangedKeys
        ? "compaction is paused: resume it"
        : null;
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
