package io.bsdb.reader;

import java.io.IOException;

/** What it means when an access to a mapped file fails, as with a disk that cannot be read. */
final class MappedFault {
  /** How the messages of these errors begin; other internal errors are those of Java itself. */
  private static final String FAULT = "a fault occurred";

  private MappedFault() {}

  /**
   * What the caller is to see of an error.
   *
   * @param where names the file, or the directory if it may be any file there
   * @return an exception that says where it was; the error itself if it has nothing to do with maps
   */
  static Throwable explained(InternalError error, String where) {
    String message = error.getMessage();
    if (message == null || !message.startsWith(FAULT)) {
      return error;
    }
    return new IOException(
        "mapped file cannot be read: %s: %s; see the system's log for its disk, or copy the snapshot to another"
            .formatted(where, message),
        error);
  }
}
