package io.bsdb.reader.follow;

import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Manifest;
import io.bsdb.table.Table;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The versions of a table, and how to open one. */
abstract class Versions {
  private final Table table;

  Versions(Table table) {
    this.table = table;
  }

  final Table table() {
    return table;
  }

  /** The version in service, or null if nothing has been published. */
  @Nullable String current() throws IOException {
    return table.currentVersion();
  }

  /** The version in service. */
  String requireCurrent() throws IOException {
    return table.requireCurrentVersion();
  }

  final Manifest manifest(String version) throws IOException {
    return table.manifest(version);
  }

  /** Opens a version, which from now on is the one in use. */
  abstract SnapshotReader open(String version, ReaderOptions options) throws IOException;

  /** Says that none is in use any more. */
  void release() {}

  /**
   * The version in service when a reader is opened.
   *
   * @param poll how often to look if it is to wait; once a second if that is more often, or if zero
   * @return null if there is none, and that is no error
   */
  final @Nullable String first(InitialLoad initialLoad, Duration poll) throws IOException {
    if (initialLoad == InitialLoad.REQUIRE) {
      return requireCurrent();
    }
    String version = current();
    while (version == null && initialLoad == InitialLoad.WAIT) {
      try {
        Thread.sleep(poll.isZero() ? 1000 : Math.min(1000, Math.max(1, poll.toMillis())));
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

  @Override
  public final String toString() {
    return table.storage().toString();
  }
}
