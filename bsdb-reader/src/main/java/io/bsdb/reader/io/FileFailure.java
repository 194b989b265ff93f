package io.bsdb.reader.io;

import com.sun.management.UnixOperatingSystemMXBean;
import io.bsdb.format.CorruptSnapshotException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileSystemException;

/** Adds what failures of the system often leave out: the file, and what to do. */
public final class FileFailure {
  /**
   * What to do where the limit on open files has been met, before the limit. A constant, since no
   * class may be loaded while no file can be opened.
   */
  static final String MORE_FILES =
      "raise the limit on open files (ulimit -n, LimitNOFILE of systemd), now ";

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

  /**
   * Returns a failure with what to do if the limit on open files has been met, else the same one.
   * Files must have been closed since: this may load classes.
   *
   * @param what files are open
   */
  public static IOException advised(IOException failure, String what) {
    String message = failure.getMessage();
    return message != null
            && message.contains("Too many open files")
            && ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean now
        ? new IOException(
            "%s; %s: %s%d".formatted(message, what, MORE_FILES, now.getMaxFileDescriptorCount()),
            failure)
        : failure;
  }
}
