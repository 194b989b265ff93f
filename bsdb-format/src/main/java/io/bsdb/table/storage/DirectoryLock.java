package io.bsdb.table.storage;

import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;

/** Keeps the threads of this process from being in one directory at once. */
public final class DirectoryLock implements AutoCloseable {
  private static final ConcurrentMap<Path, Shared> IN_USE = new ConcurrentHashMap<>();

  private final Path directory;
  private final ReentrantLock lock;

  private DirectoryLock(Path directory, ReentrantLock lock) {
    this.directory = directory;
    this.lock = lock;
  }

  /**
   * Waits for its turn.
   *
   * @param directory the real path
   */
  static DirectoryLock acquire(Path directory) throws InterruptedException {
    Shared shared =
        IN_USE.compute(
            directory,
            (path, present) -> {
              Shared used = present == null ? new Shared() : present;
              used.users++;
              return used;
            });
    try {
      shared.lock.lockInterruptibly();
    } catch (InterruptedException e) {
      leave(directory);
      throw e;
    }
    return new DirectoryLock(directory, shared.lock);
  }

  /** Returns whether a thread is in a directory, or waits for it. */
  public static boolean isInUse(Path directory) {
    return IN_USE.containsKey(directory);
  }

  @Override
  public void close() {
    lock.unlock();
    leave(directory);
  }

  private static void leave(Path directory) {
    IN_USE.computeIfPresent(directory, (path, shared) -> --shared.users == 0 ? null : shared);
  }

  /** State that all users of a directory share. */
  private static final class Shared {
    private final ReentrantLock lock = new ReentrantLock();

    /** Changed within the map's own locks. */
    private int users;
  }
}
