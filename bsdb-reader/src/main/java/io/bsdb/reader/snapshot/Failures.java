package io.bsdb.reader.snapshot;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.LentBytes.ReaderFailure;
import io.bsdb.format.io.Thrown;
import io.bsdb.reader.io.MappedFault;
import io.bsdb.reader.overlay.Overlay;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Explains to callers what failed while a version was read. Safe for many threads. */
public final class Failures {
  private final Path directory;
  private final Base base;
  private final @Nullable Overlay overlay;

  Failures(Path directory, Base base, @Nullable Overlay overlay) {
    this.directory = directory;
    this.base = base;
    this.overlay = overlay;
  }

  /**
   * Returns the exception for the caller of a lookup, as {@link #explained} does, and counts the
   * failure, unless it is what a {@link io.bsdb.format.ValueReader} threw. Where there is no memory
   * for that, returns the failure as it is.
   */
  public Throwable counted(Throwable thrown) {
    try {
      Throwable failure = explained(thrown);
      if (!(thrown instanceof ReaderFailure carried && carried.thrown() == failure)) {
        base.counters().failure();
      }
      return failure;
    } catch (OutOfMemoryError e) {
      return thrown;
    }
  }

  /**
   * Returns the exception for the caller: an access outside of a buffer is damage, and so is one to
   * a part of a mapped file that was cut off; one to a part that the system cannot read is an I/O
   * error.
   *
   * <p>Reads no mapped memory. An error that Java has still to raise for an earlier access is
   * raised here, not in the caller's code.
   */
  public Throwable explained(Throwable thrown) {
    InternalError late = MappedFault.late();
    if (late != null && late != thrown) {
      late.addSuppressed(thrown);
    }
    Throwable failure = late == null ? thrown : late;
    if (failure instanceof ReaderFailure carried) {
      return carried.thrown();
    }
    if (!(failure instanceof IndexOutOfBoundsException || failure instanceof InternalError)) {
      return failure;
    }
    try {
      requireWholeFiles();
    } catch (CorruptSnapshotException e) {
      e.initCause(failure);
      return e;
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
    return failure instanceof InternalError fault
        ? MappedFault.explained(fault, "directory=" + directory)
        : new CorruptSnapshotException( // after all checks at open
            "snapshot points outside of its own bytes: directory=%s: %s; 'bsdb verify' names the file"
                .formatted(directory, failure),
            failure);
  }

  /**
   * Checks that all mapped memory that was read could be read.
   *
   * @throws IOException as {@link #explained} explains it
   */
  void requireReadable() throws IOException {
    InternalError late = MappedFault.late();
    if (late != null) {
      throw Thrown.asIs(explained(late));
    }
    requireWholeFiles();
  }

  /** Checks that no mapped file was cut off. */
  void requireWholeFiles() throws IOException {
    base.requireWholeFiles();
    if (overlay != null) {
      overlay.requireWholeFiles();
    }
  }
}
