package io.bsdb.reader.io;

import io.bsdb.format.SnapshotFormat;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a file past the page cache (O_DIRECT). Safe for many threads. A read is finished also in an
 * interrupted thread.
 */
public final class DirectFile implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(DirectFile.class);

  private final Path path;
  private final Source source;

  /** Reads the bytes of a file. Safe for many threads. */
  public interface Source extends Closeable {
    /**
     * Reads from a position in the file on, as much as there is room for, or less.
     *
     * @return how many bytes, or −1 at the end of the file
     */
    int read(ByteBuffer target, long position) throws IOException;
  }

  /** Opens what a file is read through. */
  public interface Opener {
    Source open(Path path) throws IOException;
  }

  private DirectFile(Path path, Source source) {
    this.path = path;
    this.source = source;
  }

  /** Opens a file. */
  public static DirectFile open(Path path, Opener opener) throws IOException {
    return new DirectFile(path, opener.open(path));
  }

  /**
   * Opens a file for direct reads; through the page cache, with a logged warning, where the file
   * system has no direct I/O, or none of single pages.
   */
  public static Source openSource(Path path) throws IOException {
    try {
      requireBlocksOfPages(Files.getFileStore(path).getBlockSize());
      return UninterruptedReads.open(path, Set.of(StandardOpenOption.READ, directOption()));
    } catch (UnsupportedOperationException | IOException e) {
      Source source = UninterruptedReads.open(path, Set.of(StandardOpenOption.READ));
      LOG.warn(
          "no direct I/O on the file system of {} ({}): reading through the page cache; keep tables on a disk's file system",
          path,
          e.toString());
      return source;
    }
  }

  /**
   * Checks the block size: Java demands that offset and length of a direct read are multiples of
   * it.
   */
  static void requireBlocksOfPages(long blockSize) {
    if (blockSize < 1 || SnapshotFormat.PAGE % blockSize != 0) {
      throw new UnsupportedOperationException(
          "its blocks are of %d bytes, expected %d or a part of it"
              .formatted(blockSize, SnapshotFormat.PAGE));
    }
  }

  /** Looks up the JDK's option for direct I/O, which is not part of its documented API. */
  private static OpenOption directOption() {
    try {
      Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
      return (OpenOption) options.getField("DIRECT").get(null);
    } catch (ReflectiveOperationException e) {
      throw new UnsupportedOperationException("this Java has no option for direct reads", e);
    }
  }

  /**
   * Reads {@code [offset, offset + length)}: one read of the pages that hold it.
   *
   * @param target gets them from index 0 on; of at least {@link #span} bytes
   * @return the index in {@code target} of the byte at {@code offset}
   * @throws EOFException if the file ends before
   */
  public int read(long offset, int length, PageBuffer target) throws IOException {
    long start = offset & -SnapshotFormat.PAGE;
    int lead = (int) (offset - start);
    ByteBuffer buffer = target.ofLength(span(offset, length));
    buffer.limit(span(offset, length));
    int filled = 0;
    while (filled < lead + length) {
      // A short read is continued from the last whole page: direct I/O takes no other offset.
      int position = filled & -SnapshotFormat.PAGE;
      buffer.position(position);
      int end = position + Math.max(0, read(buffer, start + position));
      if (end <= filled) {
        throw new EOFException(
            "file ends before its block: file=%s offset=%d expected length=%d actual=%d; it was shortened while open"
                .formatted(path, offset, length, Math.max(0, filled - lead)));
      }
      filled = end;
    }
    return lead;
  }

  private int read(ByteBuffer buffer, long position) throws IOException {
    try {
      return source.read(buffer, position);
    } catch (IOException e) {
      throw FileFailure.of("file cannot be read", "file=%s offset=%d".formatted(path, position), e);
    }
  }

  /** Returns the bytes of the pages that hold {@code [offset, offset + length)}. */
  public static int span(long offset, int length) {
    long start = offset & -SnapshotFormat.PAGE;
    return (int) ((offset + length - start + SnapshotFormat.PAGE - 1) & -SnapshotFormat.PAGE);
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
