package io.bsdb.flink.storage;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.flink.core.fs.BlockLocation;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;

/** Like an object store: what has been written cannot be renamed. Tells which files were read. */
public final class NoRenameFileSystem extends FileSystem {
  static final String SCHEME = "norename";
  private static final List<String> OPENED = new CopyOnWriteArrayList<>();

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
    return local.getFileStatus(local(path));
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
    return local.open(local(path));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    return local.listStatus(local(path));
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    return local.delete(local(path), recursive);
  }

  @Override
  public boolean mkdirs(Path path) throws IOException {
    return local.mkdirs(local(path));
  }

  @Override
  public FSDataOutputStream create(Path path, WriteMode mode) throws IOException {
    return local.create(local(path), mode);
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
