package io.bsdb.table.storage;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.io.IORunnable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A table on a {@code java.nio.file} provider; locks and durability only where the provider is the
 * default one.
 */
public final class PathStorage implements TableStorage {
  private static final String CANNOT_WRITE = "file cannot be written";
  private static final String CANNOT_LIST = "directory cannot be listed";

  private final Path root;
  private final boolean local;

  public PathStorage(Path root) {
    this.root = root;
    this.local = root.getFileSystem() == FileSystems.getDefault();
  }

  @Override
  public Output create(String path) throws IOException {
    Path file = root.resolve(path);
    try {
      createDirectory(directoryOf(file));
      return new ChannelOutput(
          file,
          Files.newByteChannel(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW));
    } catch (IOException e) {
      throw NamedFile.failure("file cannot be created", file, e);
    }
  }

  private static Path directoryOf(Path file) {
    Path directory = file.getParent();
    return directory == null ? file.getFileSystem().getPath("") : directory;
  }

  /**
   * Creates a directory of the table and those above it. A link to one serves as well. That in the
   * root is durable then, which is not synced each time; others are if the one above is synced.
   */
  private void createDirectory(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      if (local) {
        createDurably(root.resolve(root.relativize(directory).getName(0)));
      }
      createDirectories(directory);
    }
  }

  /**
   * Creates a directory and those above it, unless there is one.
   *
   * @throws NotDirectoryException if there is something else, such as a link that leads nowhere
   */
  public static void createDirectories(Path directory) throws IOException {
    try {
      Files.createDirectories(directory);
    } catch (FileAlreadyExistsException e) {
      NotDirectoryException other = new NotDirectoryException(e.getFile());
      other.initCause(e);
      throw other;
    }
  }

  /**
   * Creates a local directory and those above it, unless there is one. A power failure afterwards
   * leaves them.
   *
   * @throws NotDirectoryException if there is something else
   */
  public static void createDurably(Path directory) throws IOException {
    Path parent = directory.toAbsolutePath().getParent();
    if (parent != null && !Files.isDirectory(directory)) {
      createDurably(parent);
      createDirectories(directory);
      force(parent);
    }
  }

  private record ChannelOutput(Path path, SeekableByteChannel channel) implements Output {
    @Override
    public int write(ByteBuffer source) throws IOException {
      try {
        return channel.write(source);
      } catch (IOException e) {
        throw NamedFile.failure(CANNOT_WRITE, path, e);
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
        throw NamedFile.failure(CANNOT_WRITE, path, e);
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

  @Override
  public InputStream open(String path) throws IOException {
    Path file = root.resolve(path);
    try {
      requireRegular(file);
      return new FileInput(file, Files.newInputStream(file));
    } catch (IOException e) {
      throw NamedFile.failure("file cannot be opened", file, e);
    }
  }

  /**
   * Checks that there is a directory; not said to be missing if it is only out of reach.
   *
   * @throws NoSuchFileException if there is nothing
   * @throws NotDirectoryException if there is something else
   */
  public static void requireDirectory(Path directory) throws IOException {
    try {
      if (!Files.readAttributes(directory, BasicFileAttributes.class).isDirectory()) {
        throw new NotDirectoryException(directory.toString());
      }
    } catch (NoSuchFileException e) {
      throw new NoSuchFileException(
          directory.toString(),
          null,
          "no such table directory; check the path, or build the table first");
    }
  }

  /**
   * Refuses what is no regular file: opening a pipe waits for its writer, and a device may have no
   * end.
   */
  public static void requireRegular(Path file) throws IOException {
    BasicFileAttributes attributes;
    try {
      attributes = Files.readAttributes(file, BasicFileAttributes.class);
    } catch (NoSuchFileException e) {
      // What is below a file counts as missing with newer Java, but not when it is opened.
      Files.newByteChannel(file).close();
      throw e;
    }
    if (!attributes.isRegularFile()) {
      throw new CorruptSnapshotException(
          "not a regular file: file=%s actual=%s; move it away"
              .formatted(file, attributes.isDirectory() ? "a directory" : "a pipe or a device"));
    }
  }

  private static final class FileInput extends FilterInputStream {
    private final Path path;

    FileInput(Path path, InputStream in) {
      super(in);
      this.path = path;
    }

    @Override
    public int read() throws IOException {
      byte[] single = new byte[1];
      return read(single, 0, 1) < 0 ? -1 : single[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      try {
        return in.read(target, offset, length);
      } catch (IOException e) {
        throw NamedFile.failure("file cannot be read", path, e);
      }
    }
  }

  @Override
  public void link(String file, String path) throws IOException {
    Path link = root.resolve(path);
    try {
      createDirectory(directoryOf(link));
      Files.deleteIfExists(link);
      Files.createLink(link, root.resolve(file));
    } catch (UnsupportedOperationException | FileSystemException e) {
      TableStorage.super.link(file, path); // a file system without links
    }
  }

  @Override
  public void replace(String path, byte[] content) throws IOException {
    Path file = root.resolve(path);
    Path temporary = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID() + ".tmp");
    try {
      createDirectory(directoryOf(file));
      write(temporary, content);
      move(temporary, file);
    } catch (IOException e) {
      throw NamedFile.failure(CANNOT_WRITE, file, e);
    } finally {
      Files.deleteIfExists(temporary);
    }
    sync(directoryOf(file));
  }

  private static void write(Path file, byte[] content) throws IOException {
    try (SeekableByteChannel channel =
        Files.newByteChannel(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
      ByteBuffer buffer = ByteBuffer.wrap(content);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      if (channel instanceof FileChannel force) {
        force.force(true);
      }
    }
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
    Path path = root.resolve(directory);
    if (!Files.isDirectory(path) && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      if (SnapshotFormat.SNAPSHOTS_DIRECTORY.equals(directory)) {
        throw new NotDirectoryException(path.toString()); // else there would be no versions
      }
      return List.of(); // opening a pipe would wait for its writer
    }
    try (Stream<Path> entries = Files.list(path)) {
      return entries.map(entry -> String.valueOf(entry.getFileName())).sorted().toList();
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    } catch (IOException e) {
      throw NamedFile.failure(CANNOT_LIST, path, e);
    } catch (UncheckedIOException e) {
      throw NamedFile.failure(CANNOT_LIST, path, Objects.requireNonNull(e.getCause()));
    }
  }

  @Override
  public Instant lastModified(String path) throws IOException {
    return DirectoryTree.lastModified(root.resolve(path));
  }

  @Override
  public void delete(String path) throws IOException {
    DirectoryTree.delete(root, path);
  }

  @Override
  public void syncDirectory(String directory) throws IOException {
    sync(root.resolve(directory));
  }

  private void sync(Path directory) throws IOException {
    if (local) {
      force(directory);
    }
  }

  private static void force(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      throw NamedFile.failure("directory cannot be made durable", directory, e);
    }
  }

  @Override
  public boolean hasLocks() {
    return local;
  }

  @Override
  public void exclusively(IORunnable action) throws IOException {
    if (!local) {
      action.run();
      return;
    }
    // Before its lock file is opened: to close the file, however that came about, ends the lock on
    // it that another thread of the process has.
    try (DirectoryLock own = DirectoryLock.acquire(createRoot());
        LockFile lock = LockFile.acquire(root)) {
      action.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw LockFile.interrupted(root);
    }
  }

  /** Returns the table directory, which now exists. */
  private Path createRoot() throws IOException {
    try {
      createDirectory(root);
      return root.toRealPath();
    } catch (IOException e) {
      throw NamedFile.failure("table directory cannot be created", root, e);
    }
  }

  @Override
  public String toString() {
    return root.toString();
  }
}
