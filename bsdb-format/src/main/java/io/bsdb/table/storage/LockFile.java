package io.bsdb.table.storage;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps other processes from being in one table directory at once. */
final class LockFile implements AutoCloseable {
  private static final String NAME = "LOCK";
  private static final String CANNOT_LOCK = "table cannot be locked";
  private static final long RETRY_NANOS = 5_000_000;
  private static final long SILENT_NANOS = 3_000_000_000L;
  private static final Logger LOGGER = LoggerFactory.getLogger(LockFile.class);

  private final FileChannel channel;

  private LockFile(FileChannel channel) {
    this.channel = channel;
  }

  /** Waits for its turn. */
  static LockFile acquire(Path table) throws IOException {
    Path file = table.resolve(NAME);
    try {
      if (Files.exists(file)) {
        PathStorage.requireRegular(file);
      }
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
      try {
        lock(channel, table);
      } catch (IOException | RuntimeException | Error e) {
        channel.close();
        throw e;
      }
      return new LockFile(channel);
    } catch (IOException e) {
      throw NamedFile.failure(CANNOT_LOCK, file, e);
    }
  }

  /**
   * Waits for the file's lock, and logs it if that takes seconds. It belongs to the whole process,
   * where the JVM refuses to wait for one that another thread holds, if this class has been loaded
   * twice. To close the file, as an interruption does, would end the lock of that thread: so an
   * interruption waits for it.
   */
  private static void lock(FileChannel channel, Path table) throws IOException {
    boolean interrupted = false;
    boolean said = false;
    long begun = System.nanoTime();
    while (true) {
      if (!said && System.nanoTime() - begun >= SILENT_NANOS) {
        LOGGER.warn(
            "waiting for the lock of a table, which another process has: file={}; lslocks or lsof shows which one; it may be stopped",
            table.resolve(NAME));
        said = true;
      }
      try {
        if (said || Thread.currentThread().isInterrupted()) {
          channel.lock();
          break;
        }
        if (channel.tryLock() != null) {
          break;
        }
        LockSupport.parkNanos(RETRY_NANOS);
      } catch (OverlappingFileLockException heldInThisProcess) {
        LockSupport.parkNanos(RETRY_NANOS);
        interrupted |= Thread.interrupted();
      } catch (FileLockInterruptionException e) {
        throw interrupted(table);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
      throw interrupted(table);
    }
  }

  static InterruptedIOException interrupted(Path table) {
    return new InterruptedIOException(
        "interrupted while waiting for the lock of the table " + table);
  }

  /** Ends the lock, as the close of its file does. */
  @Override
  public void close() throws IOException {
    channel.close();
  }
}
