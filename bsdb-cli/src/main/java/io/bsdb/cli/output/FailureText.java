package io.bsdb.cli.output;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.table.PublishConflictException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** What a failure is to people, in one line, and to scripts. */
public final class FailureText {
  private FailureText() {}

  /** Returns the exit status of a command that failed. */
  public static int status(Throwable e) {
    if (e instanceof CommandFailure failure) {
      return failure.status();
    }
    if (e instanceof IllegalArgumentException) {
      return ExitStatus.USAGE;
    }
    return e instanceof IOException ? ExitStatus.UNREADABLE : ExitStatus.DEFECT;
  }

  /** Returns what went wrong. */
  public static String of(Throwable e) {
    String message = e.getMessage();
    if (e instanceof CorruptSnapshotException
        || e instanceof UnsupportedVersionException
        || e instanceof PublishConflictException) {
      return String.valueOf(message);
    }
    if (e instanceof FileSystemException failure) {
      return of(failure);
    }
    if (e instanceof CommandFailure || e instanceof IllegalArgumentException) {
      return String.valueOf(message);
    }
    if (e instanceof IOException) {
      return message == null ? e.toString() : message;
    }
    return "defect of this program: " + e;
  }

  /**
   * Returns a message with more than these exceptions' own, which are hardly more than a file name.
   */
  private static String of(FileSystemException e) {
    if (e.getReason() != null) {
      return e.getFile() + ": " + e.getReason();
    }
    if (e instanceof NoSuchFileException) {
      return "no such file or directory: " + e.getFile();
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied: " + e.getFile();
    }
    if (e instanceof NotDirectoryException) {
      return "not a directory: " + e.getFile();
    }
    return String.valueOf(e.getMessage());
  }
}
