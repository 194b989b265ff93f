package io.bsdb.reader.io;

import io.bsdb.format.SnapshotFormat;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a file past the page cache (O_DIRECT). Safe for many threads.
 *
 * <p>A file channel closes itself when a thread that reads through it is interrupted. Here that
 * must not hurt the other threads: the file is opened again, and only the interrupted thread's read
 * fails, unless the file has been deleted meanwhile.
 */
public final class DirectFile implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(DirectFile.class);

  private final Path path;
  private final Opener opener;
  private volatile FileChannel channel;
  private volatile boolean closed;

  /** Opens the channel that is read through. */
  public interface Opener {
    FileChannel open(Path path) throws IOException;
  }

  private DirectFile(Path path, Opener opener) throws IOException {
    this.path = path;
    this.opener = opener;
    this.channel = opener.open(path);
  }

  /** Opens a file. */
  public static DirectFile open(Path path, Opener opener) throws IOException {
    return new DirectFile(path, opener);
  }

  /**
   * Opens a file for direct reads; through the page cache, with a logged word, where the file
   * system has no direct I/O, or none of single pages.
   */
  public static FileChannel openChannel(Path path) throws IOException {
    try {
      requireBlocksOfPages(Files.getFileStore(path).getBlockSize());
      return FileChannel.open(path, StandardOpenOption.READ, directOption());
    } catch (UnsupportedOperationException | IOException e) {
      FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
      LOG.warn(
          "no direct I/O on the file system of {} ({}): reading through the page cache; keep tables on a disk's file system",
          path,
          e.toString());
      return channel;
    }
  }

  /** Java demands that offset and length of a direct read are multiples of the block size. */
  static void requireBlocksOfPages(long blockSize) {
    if (blockSize < 1 || SnapshotFormat.PAGE % blockSize != 0) {
      throw new UnsupportedOperationException(
          "its blocks are of %d bytes, expected %d or a part of it"
              .formatted(blockSize, SnapshotFormat.PAGE));
    }
  }

  /** The JDK's option for direct I/O is not part of its documented API, so it is looked up. */
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
    while (true) {
      FileChannel current = channel;
      int start = buffer.position();
      try {
        return current.read(buffer, position);
      } catch (ClosedByInterruptException e) {
        reopen(current);
        throw e;
      } catch (ClosedChannelException e) {
        buffer.position(start);
        reopen(current);
      }
    }
  }

  private synchronized void reopen(FileChannel broken) throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    if (channel == broken) {
      channel = opener.open(path);
    }
  }

  /** Bytes of the pages that hold {@code [offset, offset + length)}. */
  public static int span(long offset, int length) {
    long start = offset & -SnapshotFormat.PAGE;
    return (int) ((offset + length - start + SnapshotFormat.PAGE - 1) & -SnapshotFormat.PAGE);
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    channel.close();
  }
}
