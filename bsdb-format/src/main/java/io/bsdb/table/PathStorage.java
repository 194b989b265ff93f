package io.bsdb.table;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A table on a {@code java.nio.file} provider; locks and durability only where the provider is the
 * default one.
 */
final class PathStorage implements TableStorage {
  private static final String LOCK_FILE = "LOCK";
  private static final String CANNOT_WRITE = "file cannot be written";
  private static final long RETRY_NANOS = 5_000_000;

  private final Path root;
  private final boolean local;

  PathStorage(Path root) {
    this.root = root;
    this.local = root.getFileSystem() == FileSystems.getDefault();
  }

  @Override
  public Output create(String path) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(directoryOf(file));
    return new ChannelOutput(
        file, Files.newByteChannel(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW));
  }

  private static Path directoryOf(Path file) {
    Path directory = file.getParent();
    return directory == null ? file.getFileSystem().getPath("") : directory;
  }

  private record ChannelOutput(Path path, SeekableByteChannel channel) implements Output {
    @Override
    public int write(ByteBuffer source) throws IOException {
      try {
        return channel.write(source);
      } catch (IOException e) {
        throw named(CANNOT_WRITE, path, e);
      }
    }

    @Override
    public void commit() throws IOException {
      try {
        if (channel instanceof FileChannel file) {
          file.force(true);
        }
        channel.close();
      } catch (IOException e) {
        throw named(CANNOT_WRITE, path, e);
      }
    }

    @Override
    public boolean isOpen() {
      return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  /** Channels do not say which file it is that they fail with. */
  private static IOException named(String what, Path path, IOException e) {
    return e instanceof ClosedChannelException || e instanceof FileSystemException
        ? e
        : new IOException("%s: file=%s: %s".formatted(what, path, e.getMessage()), e);
  }

  @Override
  public InputStream open(String path) throws IOException {
    return Files.newInputStream(root.resolve(path));
  }

  @Override
  public void replace(String path, byte[] content) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(directoryOf(file));
    Path temporary = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID() + ".tmp");
    try {
      try (SeekableByteChannel channel =
          Files.newByteChannel(
              temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
        ByteBuffer buffer = ByteBuffer.wrap(content);
        while (buffer.hasRemaining()) {
          channel.write(buffer);
        }
        if (channel instanceof FileChannel force) {
          force.force(true);
        }
      } catch (IOException e) {
        throw named(CANNOT_WRITE, file, e);
      }
      move(temporary, file);
    } finally {
      Files.deleteIfExists(temporary);
    }
    sync(directoryOf(file));
  }

  private static void move(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException | UnsupportedOperationException e) {
      Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  @Override
  public List<String> list(String directory) throws IOException {
    try (Stream<Path> entries = Files.list(root.resolve(directory))) {
      return entries.map(entry -> String.valueOf(entry.getFileName())).sorted().toList();
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  public Instant lastModified(String path) throws IOException {
    Instant latest = Instant.MIN;
    for (Path entry : tree(root.resolve(path))) {
      try {
        Instant modified = Files.getLastModifiedTime(entry).toInstant();
        latest = modified.isAfter(latest) ? modified : latest;
      } catch (NoSuchFileException goneMeanwhile) {
        latest = Instant.now();
      }
    }
    return latest;
  }

  @Override
  public void delete(String path) throws IOException {
    for (Path entry : tree(root.resolve(path))) {
      Files.deleteIfExists(entry);
    }
  }

  /**
   * The entry and all below it, deepest first; empty if there is none. Others may delete in it
   * meanwhile: then it is walked again.
   */
  private static List<Path> tree(Path entry) throws IOException {
    while (Files.exists(entry, LinkOption.NOFOLLOW_LINKS)) {
      try (Stream<Path> entries = Files.walk(entry)) {
        return entries.sorted(Comparator.reverseOrder()).toList();
      } catch (NoSuchFileException goneMeanwhile) {
        // again
      } catch (UncheckedIOException e) {
        if (!(e.getCause() instanceof NoSuchFileException)) {
          throw e.getCause();
        }
      }
    }
    return List.of();
  }

  @Override
  public void syncDirectory(String directory) throws IOException {
    sync(root.resolve(directory));
  }

  private void sync(Path directory) throws IOException {
    if (local) {
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      } catch (IOException e) {
        throw named("directory cannot be made durable", directory, e);
      }
    }
  }

  @Override
  public void exclusively(Action action) throws IOException {
    if (!local) {
      action.run();
      return;
    }
    Files.createDirectories(root);
    // Before its lock file is opened: to close the file, however that came about, ends the lock on
    // it that another thread of the process has.
    try (DirectoryLock own = DirectoryLock.acquire(root.toRealPath());
        FileChannel channel =
            FileChannel.open(
                root.resolve(LOCK_FILE), StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        FileLock lock = lock(channel)) {
      action.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw interrupted();
    }
  }

  private InterruptedIOException interrupted() {
    return new InterruptedIOException(
        "interrupted while waiting for the lock of the table " + root);
  }

  /**
   * Waits for the file's lock. It belongs to the whole process, where the JVM refuses to wait for
   * one that another thread holds, if this class has been loaded twice.
   */
  private FileLock lock(FileChannel channel) throws IOException {
    while (true) {
      try {
        return channel.lock();
      } catch (OverlappingFileLockException heldInThisProcess) {
        LockSupport.parkNanos(RETRY_NANOS);
        if (Thread.currentThread().isInterrupted()) {
          throw interrupted();
        }
      } catch (FileLockInterruptionException e) {
        throw interrupted();
      } catch (IOException e) {
        throw named("table cannot be locked", root.resolve(LOCK_FILE), e);
      }
    }
  }

  @Override
  public String toString() {
    return root.toString();
  }
}
