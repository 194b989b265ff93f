package io.bsdb.table.storage;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileSystemException;

/** Names the file in failures that do not say which one it is. */
final class NamedFile {
  private NamedFile() {}

  /**
   * Returns the failure to throw instead of {@code e}: the same where its type matters or its
   * message has the file already.
   *
   * @param what cannot be done, such as {@code file cannot be read}
   */
  static IOException failure(String what, Object file, IOException e) {
    if (e instanceof ClosedChannelException || e instanceof InterruptedIOException) {
      return e;
    }
    if (e instanceof FileSystemException other) {
      return e.getClass() == FileSystemException.class
          ? new IOException("%s: file=%s: %s".formatted(what, file, other.getReason()), e)
          : e; // such as access denied, to the file or to a directory above it
    }
    String message = String.valueOf(e.getMessage());
    return message.contains(file.toString())
        ? e
        : new IOException("%s: file=%s: %s".formatted(what, file, message), e);
  }
}
