package io.bsdb.reader.io;

import com.sun.jna.Native;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Allocates space on disk without writing to it. */
public final class FileSpace {
  private static final Logger LOG = LoggerFactory.getLogger(FileSpace.class);
  private static final int O_WRONLY = 1;
  private static final int ENOSPC = 28;

  private FileSpace() {}

  /** libc, where there is one. */
  private static final class LibC {
    static {
      Native.register("c");
    }

    private LibC() {}

    static native int open(String path, int flags);

    static native int posix_fallocate(int file, long offset, long length);

    static native int close(int file);
  }

  /**
   * Allocates the space of a file, which reads as zeros where it was not written.
   *
   * @return false where the system cannot: then write zeros
   * @throws IOException if the disk is full
   */
  public static boolean allocate(Path file, long length) throws IOException {
    try {
      int open = LibC.open(file.toString(), O_WRONLY);
      if (open < 0) {
        return false;
      }
      int error;
      try {
        error = LibC.posix_fallocate(open, 0, length);
      } finally {
        LibC.close(open);
      }
      if (error == ENOSPC) {
        throw new IOException(
            "No space left on device: file=%s wanted=%d bytes".formatted(file, length));
      }
      return error == 0;
    } catch (LinkageError e) {
      LOG.debug("space cannot be allocated: {}", e.toString());
      return false;
    }
  }
}
