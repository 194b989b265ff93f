package io.bsdb.flink.storage;

import java.io.IOException;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.apache.flink.core.fs.BlockLocation;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.jspecify.annotations.Nullable;

/**
 * Like an object store: what has been written cannot be renamed, and directories have no times of
 * their own. Tells which files were read. Files that a test names find no space left.
 */
public final class NoRenameFileSystem extends FileSystem {
  static final String SCHEME = "norename";
  private static final List<String> OPENED = new CopyOnWriteArrayList<>();

  private static volatile Predicate<String> full = name -> false;
  private static volatile Write writing = name -> {};
  private static volatile Write deleting = name -> {};
  private static volatile Write opening = name -> {};

  private final LocalFileSystem local = new LocalFileSystem();

  /** The path of a directory on this file system. */
  public static String path(java.nio.file.Path directory) {
    return SCHEME + "://" + directory;
  }

  /** The names of partition files that were read since the last call, in order. */
  public static List<String> partitionsRead() {
    List<String> names = OPENED.stream().filter(name -> name.endsWith(".bsdb")).sorted().toList();
    OPENED.clear();
    return names;
  }

  /** Says of each file by its name, when it is created, whether it does not fit. */
  public static void full(Predicate<String> names) {
    full = names;
  }

  /** A step of a test amid the writing of a file, or before it is deleted or read. */
  public interface Write {
    void of(String name) throws IOException;
  }

  /** Runs when a file has been created, or cut in order to be written over, and has no content. */
  public static void writing(Write step) {
    writing = step;
  }

  /** Runs before a file or directory is deleted. */
  public static void deleting(Write step) {
    deleting = step;
  }

  /** Runs before a file is opened to be read. */
  static void opening(Write step) {
    opening = step;
  }

  private static Path local(Path path) {
    return new Path(path.getPath());
  }

  @Override
  public Path getWorkingDirectory() {
    return local.getWorkingDirectory();
  }

  @Override
  public Path getHomeDirectory() {
    return local.getHomeDirectory();
  }

  @Override
  public URI getUri() {
    return URI.create(SCHEME + ":///");
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    return withoutTime(local.getFileStatus(local(path)));
  }

  private static FileStatus withoutTime(FileStatus status) {
    return status.isDir() ? new DirectoryStatus(status.getPath()) : status;
  }

  /** Says that the directory was changed just now, as S3A does. */
  private record DirectoryStatus(Path path) implements FileStatus {
    @Override
    public long getLen() {
      return 0;
    }

    @Override
    public long getBlockSize() {
      return 0;
    }

    @Override
    public short getReplication() {
      return 1;
    }

    @Override
    public long getModificationTime() {
      return System.currentTimeMillis();
    }

    @Override
    public long getAccessTime() {
      return 0;
    }

    @Override
    public boolean isDir() {
      return true;
    }

    @Override
    public Path getPath() {
      return path;
    }
  }

  @Override
  public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length)
      throws IOException {
    return local.getFileBlockLocations(file, start, length);
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    return open(path);
  }

  @Override
  public FSDataInputStream open(Path path) throws IOException {
    OPENED.add(path.getName());
    opening.of(path.getName());
    return local.open(local(path));
  }

  @Override
  public FileStatus @Nullable [] listStatus(Path path) throws IOException {
    FileStatus @Nullable [] statuses = local.listStatus(local(path));
    return statuses == null
        ? null
        : Arrays.stream(statuses).map(NoRenameFileSystem::withoutTime).toArray(FileStatus[]::new);
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    deleting.of(path.getName());
    return local.delete(local(path), recursive);
  }

  @Override
  public boolean mkdirs(Path path) throws IOException {
    return local.mkdirs(local(path));
  }

  @Override
  public FSDataOutputStream create(Path path, WriteMode mode) throws IOException {
    if (full.test(path.getName())) {
      return new FullDisk();
    }
    FSDataOutputStream created = local.create(local(path), mode);
    try {
      writing.of(path.getName());
    } catch (IOException e) {
      created.close();
      throw e;
    }
    return created;
  }

  /** A file that does not fit: as with an object store, nothing is seen of it. */
  private static final class FullDisk extends FSDataOutputStream {
    @Override
    public void write(int b) throws IOException {
      throw new IOException("No space left on device");
    }

    @Override
    public long getPos() {
      return 0;
    }

    @Override
    public void flush() {}

    @Override
    public void sync() {}

    @Override
    public void close() {}
  }

  @Override
  public boolean rename(Path from, Path to) {
    throw new UnsupportedOperationException("rename");
  }

  @Override
  public boolean isDistributedFS() {
    return true;
  }
}
