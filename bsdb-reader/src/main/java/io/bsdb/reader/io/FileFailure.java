package io.bsdb.reader.io;

import io.bsdb.format.CorruptSnapshotException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileSystemException;

/** Names the file in failures of the system, which often do not. */
public final class FileFailure {
  private FileFailure() {}

  /**
   * Returns an exception that names its file.
   *
   * @param what failed
   * @param where the file, and the offset if there is one
   * @param cause is returned itself if it names its file, or reports that its channel is closed
   */
  public static IOException of(String what, String where, IOException cause) {
    return cause instanceof FileSystemException
            || cause instanceof CorruptSnapshotException
            || cause instanceof ClosedChannelException
        ? cause
        : new IOException("%s: %s: %s".formatted(what, where, cause.getMessage()), cause);
  }
}
