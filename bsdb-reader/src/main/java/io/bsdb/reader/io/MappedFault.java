package io.bsdb.reader.io;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Explains failed accesses to mapped files, as with a disk that cannot be read. */
public final class MappedFault {
  /** Beginning of the messages of these errors; other internal errors are those of Java itself. */
  private static final String FAULT = "a fault occurred";

  /** Not a constant, so that no compiler makes the arrays of {@link #late} without the runtime. */
  private static volatile int length = 1;

  private MappedFault() {}

  /**
   * Returns the error of an access that has failed already, if Java has not raised it yet. Until
   * Java 20 compiled code goes on after such an access, and Java raises the error when it next
   * returns from its runtime, which may be in the caller's code. An array of arrays is made by the
   * runtime.
   */
  public static @Nullable InternalError late() {
    try {
      byte[][] made = new byte[length][length];
      return made.length == 0 ? new InternalError() : null;
    } catch (InternalError e) {
      return e;
    }
  }

  /**
   * Returns the exception for a failure that came up anywhere: an error that Java has raised after
   * the call that read the file is an I/O error, too.
   */
  public static Throwable explained(Throwable failure) {
    return failure instanceof InternalError error ? explained(error, "file=unknown") : failure;
  }

  /**
   * Returns the exception for the caller.
   *
   * @param where names the file, or the directory if it may be any file there
   * @return an exception that names the place; the error itself if it has nothing to do with maps
   */
  public static Throwable explained(InternalError error, String where) {
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
