package io.bsdb.reader.io;

import io.bsdb.format.io.StackRoom;
import io.bsdb.format.io.Uninterrupted;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a file in the calling thread, whether it is interrupted or not.
 *
 * <p>An interrupt closes a {@link java.nio.channels.FileChannel} for all threads, and a file that
 * has been deleted cannot be opened again. An asynchronous channel stays open. On POSIX systems it
 * reads by a task of its executor, here in the thread that asks; on Windows the system itself
 * completes reads.
 */
final class UninterruptedReads implements DirectFile.Source {
  private static final Logger LOG = LoggerFactory.getLogger(UninterruptedReads.class);
  private static final @Nullable ExecutorService READER =
      System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("windows")
          ? null
          : new CallingThread();

  private final Path path;
  private final AsynchronousFileChannel channel;
  private volatile boolean awaitable = true;

  private UninterruptedReads(Path path, AsynchronousFileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  static UninterruptedReads open(Path path, Set<OpenOption> options) throws IOException {
    return new UninterruptedReads(path, AsynchronousFileChannel.open(path, options, READER));
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    StackRoom.require(); // the channel's close waits for reads that did not come to their end
    boolean ended = false;
    try {
      // Even if interrupted: the system may still write to the buffer.
      int length = Uninterrupted.get(channel.read(target, position));
      ended = true;
      return length;
    } catch (ExecutionException e) {
      ended = true;
      throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
    } finally {
      if (!ended) { // without memory Java does not always count a read as ended
        awaitable = false;
      }
    }
  }

  /** Closes the channel, which waits for its reads; not if that might be for ever. */
  @Override
  public void close() throws IOException {
    if (awaitable) {
      channel.close();
    } else {
      LOG.warn("file stays open until the process ends, as a read had no memory: file={}", path);
    }
  }
}
