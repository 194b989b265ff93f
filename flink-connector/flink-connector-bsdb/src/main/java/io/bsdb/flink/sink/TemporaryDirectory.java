package io.bsdb.flink.sink;

import io.bsdb.format.io.Closing;
import io.bsdb.table.Table;
import io.bsdb.table.storage.DirectoryTree;
import io.bsdb.table.storage.TableStorage;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.apache.flink.streaming.runtime.operators.sink.InitContextBase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The temporary directory of one writer. Its lock file is locked for as long as the writer lives,
 * so that other processes know which directories were left behind by those that were killed.
 */
public record TemporaryDirectory(Path path, FileChannel lock) implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(TemporaryDirectory.class);
  private static final String PREFIX = "bsdb-build-";
  private static final String LOCK_FILE = "LOCK";

  /**
   * Marks the directories of this process. Their locks are not to be tried: a process loses a lock
   * when it closes any channel to the file.
   */
  private static final String OWN_PREFIX =
      String.format(
          Locale.ROOT,
          "%s%d-%d-",
          PREFIX,
          ProcessHandle.current().pid(),
          ManagementFactory.getRuntimeMXBean().getStartTime());

  /**
   * Creates a directory in another, and deletes what dead processes have left behind there.
   *
   * @param name distinguishes the directories of a process
   * @param retention how long nothing must have changed in what is deleted
   */
  public static TemporaryDirectory create(Path parent, String name, Duration retention)
      throws IOException {
    deleteAbandoned(parent, retention);
    Path path = parent.resolve(OWN_PREFIX + name);
    try {
      Files.createDirectories(path);
      return new TemporaryDirectory(path, lock(path));
    } catch (IOException e) {
      IOException failure =
          new IOException(
              "temporary directory cannot be created: directory=%s: %s; free space there, or set '%s' of the task managers to directories with space"
                  .formatted(path, e, CoreOptions.TMP_DIRS.key()),
              e);
      Closing.after(failure, () -> DirectoryTree.delete(path));
      throw failure;
    }
  }

  private static FileChannel lock(Path path) throws IOException {
    FileChannel channel =
        FileChannel.open(
            path.resolve(LOCK_FILE), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.lock();
      if (!lock.isValid()) {
        throw new IOException("the lock was lost at once");
      }
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static void deleteAbandoned(Path parent, Duration retention) {
    TableStorage storage = Table.at(parent).storage();
    try {
      Instant limit = Instant.now().minus(retention);
      for (String name : storage.list("")) {
        if (name.startsWith(PREFIX)
            && !name.startsWith(OWN_PREFIX)
            && storage.lastModified(name).isBefore(limit)) {
          deleteUnlessLocked(parent, name, storage);
        }
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("What earlier builds left behind cannot be deleted: {}", parent, e);
    }
  }

  private static void deleteUnlessLocked(Path parent, String name, TableStorage storage)
      throws IOException {
    try (FileChannel channel =
            FileChannel.open(parent.resolve(name).resolve(LOCK_FILE), StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      if (lock == null) {
        return;
      }
    } catch (OverlappingFileLockException anotherThreadDeletesIt) {
      return;
    } catch (NoSuchFileException killedBetweenDirectoryAndFile) {
      // Nobody can have a lock on it.
    }
    storage.delete(name);
    LOG.info("Deleted what an earlier build left behind: {}/{}", parent, name);
  }

  /**
   * Returns where a task may put temporary files: {@code io.tmp.dirs}, used in turn by the tasks.
   */
  public static Path parentFor(WriterInitContext context) {
    // The public context does not say; the one that Flink passes in does.
    return context instanceof InitContextBase base
            && base.getRuntimeContext() instanceof StreamingRuntimeContext runtime
        ? parentFor(runtime)
        : Path.of(System.getProperty("java.io.tmpdir"));
  }

  /** Returns the same for an operator. */
  public static Path parentFor(StreamingRuntimeContext runtime) {
    String[] directories = runtime.getTaskManagerRuntimeInfo().getTmpDirectories();
    return Path.of(
        directories.length == 0
            ? System.getProperty("java.io.tmpdir")
            : directories[runtime.getTaskInfo().getIndexOfThisSubtask() % directories.length]);
  }

  /** Deletes the directory with all that is in it. */
  @Override
  public void close() throws IOException {
    try (lock) {
      DirectoryTree.delete(path);
    }
  }
}
