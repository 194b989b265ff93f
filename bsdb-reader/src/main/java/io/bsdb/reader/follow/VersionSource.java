package io.bsdb.reader.follow;

import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The versions of a table, and how to open one. */
abstract class VersionSource {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Table table;

  VersionSource(Table table) {
    this.table = table;
  }

  final Table table() {
    return table;
  }

  /** Returns the version in service, or null if nothing has been published. */
  @Nullable String current() throws IOException {
    return table.currentVersion();
  }

  /** Returns whether one version stays in service once it is there. */
  boolean isPinned() {
    return false;
  }

  /**
   * Returns the version in service.
   *
   * @param inUse which need not be looked for again; may be null
   */
  String requireCurrent(@Nullable String inUse) throws IOException {
    return table.requireCurrentVersion(inUse);
  }

  final Manifest manifest(String version) throws IOException {
    return table.manifest(version);
  }

  /**
   * Opens a version, which from now on is the one in use.
   *
   * @param previous the one in use before, with which it shares what both have; may be null
   */
  abstract SnapshotReader open(
      Manifest manifest, ReaderOptions options, @Nullable SnapshotReader previous)
      throws IOException;

  /** Marks all versions as unused. */
  void release() {}

  /**
   * Returns the version in service when a reader is opened.
   *
   * @param poll how often to look while waiting; once a second if that is more often, or if zero
   * @return null if there is none, and that is no error
   * @throws NoSuchFileException if there is none, or none came in time
   */
  final @Nullable String first(OnMissing onMissing, Duration poll) throws IOException {
    Duration pause = poll.isZero() ? SECOND : shorter(SECOND, poll);
    long begun = System.nanoTime();
    String version = current();
    while (version == null && onMissing != OnMissing.EMPTY) {
      Duration left = onMissing.timeout().minusNanos(System.nanoTime() - begun);
      if (left.isZero() || left.isNegative()) {
        return requireFirst(onMissing);
      }
      try {
        TimeUnit.NANOSECONDS.sleep(shorter(pause, left).toNanos());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        InterruptedIOException interrupted =
            new InterruptedIOException("interrupted while waiting for a first version of " + this);
        interrupted.initCause(e);
        throw interrupted;
      }
      version = current();
    }
    return version;
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  private String requireFirst(OnMissing onMissing) throws IOException {
    try {
      return requireCurrent(null);
    } catch (NoSuchFileException e) {
      if (onMissing == OnMissing.FAIL) {
        throw e;
      }
      NoSuchFileException late =
          new NoSuchFileException(
              e.getFile(), null, "%s; waited %s".formatted(e.getReason(), onMissing.timeout()));
      late.initCause(e);
      throw late;
    }
  }

  @Override
  public final String toString() {
    return table.storage().toString();
  }
}
