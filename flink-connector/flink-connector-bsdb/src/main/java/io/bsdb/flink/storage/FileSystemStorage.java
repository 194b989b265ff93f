package io.bsdb.flink.storage;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.io.IORunnable;
import io.bsdb.format.io.Uninterrupted;
import io.bsdb.table.storage.TableStorage;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystem.WriteMode;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.RecoverableWriter;
import org.apache.flink.util.WrappingProxy;
import org.jspecify.annotations.Nullable;

/**
 * A table on one of Flink's file systems. Nothing is renamed.
 *
 * <p>There are no locks: of two builds that publish in the same moment, {@link io.bsdb.table.Table}
 * lets at least one fail. A small file is replaced by writing over it, which object stores do in
 * one step. Elsewhere the file is empty until its new content is complete. Therefore that is
 * written into a file beside it first, from which readers take it meanwhile, and also after a crash
 * in between.
 *
 * <p>The file system is looked up again each time, because Flink binds what it gives to a task's
 * thread to the life of that task.
 */
public final class FileSystemStorage implements TableStorage {
  /** Schemes of file systems that replace a file in one step. */
  private static final Set<String> OBJECT_STORES = Set.of("s3", "s3a", "s3p", "gs", "oss");

  /** Ends the name of what a file is about to be replaced with. */
  private static final String NEXT = ".next";

  /**
   * How often an empty file is read: it may have been completed before the file beside it was
   * looked for, and be written over again.
   */
  private static final int READS = 10;

  private final Path root;
  private final ReentrantLock lock = new ReentrantLock();

  /**
   * @param path of the table directory, with the scheme of a file system
   */
  public FileSystemStorage(String path) {
    this.root = new Path(path);
  }

  private Path file(String path) {
    return path.isEmpty() ? root : new Path(root, path);
  }

  private FileSystem fileSystem() throws IOException {
    return root.getFileSystem();
  }

  @Override
  public Output create(String path) throws IOException {
    Path file = file(path);
    FileSystem fileSystem = fileSystem();
    if (fileSystem.exists(file)) {
      throw new FileAlreadyExistsException(file.toString());
    }
    return new StreamOutput(fileSystem, file, fileSystem.create(file, WriteMode.NO_OVERWRITE));
  }

  @Override
  public InputStream open(String path) throws IOException {
    Path file = file(path);
    FileSystem fileSystem = fileSystem();
    try {
      return fileSystem.open(file);
    } catch (IOException e) {
      throw missing(fileSystem, file, e);
    }
  }

  /**
   * Returns how an operation failed: by a file that is not there, or as it did. Not every plugin
   * throws a {@link FileNotFoundException} then, and some look for the file when it is first read.
   */
  private static IOException missing(FileSystem fileSystem, Path file, IOException failure)
      throws IOException {
    if (!(failure instanceof FileNotFoundException)) {
      try {
        if (fileSystem.exists(file)) {
          return failure;
        }
      } catch (IOException unknown) {
        failure.addSuppressed(unknown);
        return failure;
      }
    }
    NoSuchFileException missing = new NoSuchFileException(file.toString());
    missing.initCause(failure);
    return missing;
  }

  @Override
  public byte[] read(String path, int limit) throws IOException {
    byte[] content = readWhole(path, limit);
    for (int i = 1; content.length == 0 && i < READS; i++) {
      byte[] next = readNext(path, limit);
      content = readWhole(path, limit); // which may be complete by now
      if (content.length == 0) {
        content = next;
      }
    }
    return content;
  }

  private byte[] readNext(String path, int limit) throws IOException {
    try {
      return readWhole(path + NEXT, limit);
    } catch (NoSuchFileException replacedMeanwhile) {
      return new byte[0];
    }
  }

  private byte[] readWhole(String path, int limit) throws IOException {
    try {
      return TableStorage.super.read(path, limit);
    } catch (CorruptSnapshotException | NoSuchFileException e) {
      throw e;
    } catch (IOException e) {
      throw missing(fileSystem(), file(path), e);
    }
  }

  @Override
  public void replace(String path, byte[] content) throws IOException {
    Path file = file(path);
    exclusively(
        () ->
            uninterrupted(
                file,
                () -> {
                  if (OBJECT_STORES.contains(root.toUri().getScheme())) {
                    writeOver(file, content);
                  } else {
                    if (!isEmpty(file)) { // else only the file beside it has what a crash left
                      writeOver(file(path + NEXT), content);
                    }
                    writeOver(file, content);
                    delete(path + NEXT);
                  }
                }));
  }

  private boolean isEmpty(Path file) throws IOException {
    try {
      return fileSystem().getFileStatus(file).getLen() == 0;
    } catch (FileNotFoundException e) {
      return false;
    }
  }

  /**
   * Replaces a file in a thread of its own, which nobody interrupts: else the end of a task could
   * leave it half done.
   */
  private static void uninterrupted(Path file, IORunnable replacing) throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException(
          "interrupted before a file was replaced: file=%s".formatted(file));
    }
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              replacing.run();
              return null;
            });
    Thread thread = new Thread(task, "bsdb-write " + file.getName());
    thread.setDaemon(true);
    thread.start();
    try {
      Uninterrupted.get(task);
    } catch (ExecutionException e) {
      throw new IOException("file cannot be replaced: file=%s".formatted(file), e.getCause());
    }
  }

  private void writeOver(Path file, byte[] content) throws IOException {
    FileSystem fileSystem = fileSystem();
    if (deletesBeforeWriting(fileSystem)) {
      commit(fileSystem.createRecoverableWriter(), file, content);
    } else {
      try (var stream = fileSystem.create(file, WriteMode.OVERWRITE)) {
        stream.write(content);
      }
    }
  }

  /**
   * Returns whether a file that is written over is missing until it has been written. So it is with
   * Flink's native S3, which deletes the object first, and would leave none if the write fails.
   */
  private static boolean deletesBeforeWriting(FileSystem fileSystem) {
    FileSystem inner = fileSystem;
    while (inner instanceof WrappingProxy<?> proxy
        && proxy.getWrappedDelegate() instanceof FileSystem wrapped) {
      inner = wrapped;
    }
    return inner.getClass().getName().startsWith("org.apache.flink.fs.s3native.");
  }

  private static void commit(RecoverableWriter writer, Path file, byte[] content)
      throws IOException {
    try (var stream = writer.open(file)) {
      stream.write(content);
      stream.closeForCommit().commit();
    }
  }

  @Override
  public List<String> list(String directory) throws IOException {
    return Arrays.stream(statuses(file(directory)))
        .map(status -> status.getPath().getName())
        .sorted()
        .toList();
  }

  /** Lists a directory; returns nothing if there is none. */
  private FileStatus[] statuses(Path directory) throws IOException {
    FileStatus @Nullable [] found;
    try {
      found = fileSystem().listStatus(directory);
    } catch (FileNotFoundException e) {
      return new FileStatus[0];
    }
    return found == null ? new FileStatus[0] : found;
  }

  @Override
  public Instant lastModified(String path) throws IOException {
    Path file = file(path);
    try {
      return lastModified(fileSystem().getFileStatus(file));
    } catch (FileNotFoundException goneMeanwhile) {
      return Instant.now();
    }
  }

  private Instant lastModified(FileStatus status) throws IOException {
    Instant latest = status.isDir() ? latestBelow(status.getPath()) : null;
    return latest == null ? Instant.ofEpochMilli(status.getModificationTime()) : latest;
  }

  /**
   * Returns when the files in a directory were last changed; null if there are none. Its own time
   * does not count: S3A reports that every directory was changed just now.
   */
  private @Nullable Instant latestBelow(Path directory) throws IOException {
    Instant latest = null;
    for (FileStatus entry : statuses(directory)) {
      Instant modified =
          entry.isDir()
              ? latestBelow(entry.getPath())
              : Instant.ofEpochMilli(entry.getModificationTime());
      if (modified != null && (latest == null || modified.isAfter(latest))) {
        latest = modified;
      }
    }
    return latest;
  }

  @Override
  public void delete(String path) throws IOException {
    Path file = file(path);
    FileSystem fileSystem = fileSystem();
    try {
      if (!fileSystem.delete(file, true) && fileSystem.exists(file)) {
        throw new IOException("could not be deleted: file=%s".formatted(file));
      }
    } catch (FileNotFoundException alreadyGone) {
      // What is not there counts as deleted.
    }
  }

  /** Does nothing: Flink's file systems make a file and its entry durable when it is closed. */
  @Override
  public void syncDirectory(String directory) {}

  @Override
  public boolean hasLocks() {
    return false;
  }

  /** Keeps out the threads that share this object. */
  @Override
  public void exclusively(IORunnable action) throws IOException {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return root.toString();
  }
}
