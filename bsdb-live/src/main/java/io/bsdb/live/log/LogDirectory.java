package io.bsdb.live.log;

import io.bsdb.format.io.IOFunction;
import io.bsdb.format.io.Uninterrupted;
import io.bsdb.reader.io.CallingThread;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.io.FileSpace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** A log's files in a directory of the default file system. */
public record LogDirectory(Path directory, IOFunction<Path, FileMemory> access)
    implements LogStorage {
  /** The length of the longest segments that are prepared. */
  public static final int MAX_SEGMENT_LENGTH = 64 << 20;

  /** Maps files. */
  public LogDirectory(Path directory) {
    this(directory, FileMemory::map);
  }

  @Override
  public List<String> list() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Override
  public LogFile open(String name, boolean create) throws IOException {
    Path file = directory.resolve(name);
    Set<StandardOpenOption> options = Set.of(StandardOpenOption.WRITE);
    if (create) {
      Files.deleteIfExists(file); // left by a process that was killed; another table may share it
      options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }
    return new OpenFile(file, AsynchronousFileChannel.open(file, options, new CallingThread()));
  }

  @Override
  public FileMemory map(String name) throws IOException {
    return access.apply(directory.resolve(name));
  }

  @Override
  public long length(String name) throws IOException {
    return Files.size(directory.resolve(name));
  }

  @Override
  public boolean isShared(String name) throws IOException {
    Path file = directory.resolve(name);
    return file.getFileSystem().supportedFileAttributeViews().contains("unix")
        && (int) Files.getAttribute(file, "unix:nlink") > 1;
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Files.move(directory.resolve(from), directory.resolve(to), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void delete(String name) throws IOException {
    Files.delete(directory.resolve(name));
  }

  @Override
  public void syncDirectory() throws IOException {
    sync(directory);
  }

  static void sync(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public String path(String name) {
    return directory.resolve(name).toString();
  }

  /**
   * Writes in the thread that calls. Not a {@link FileChannel}: an interrupt of one of the
   * application's threads would close that one, and hide whether an fsync had failed.
   */
  private record OpenFile(Path file, AsynchronousFileChannel channel) implements LogFile {
    @Override
    public void write(ByteBuffer bytes, long position) throws IOException {
      long end = position + bytes.remaining();
      while (bytes.hasRemaining()) {
        Future<Integer> written = channel.write(bytes, end - bytes.remaining());
        try {
          Uninterrupted.get(written);
        } catch (ExecutionException e) {
          throw e.getCause() instanceof IOException failure
              ? new IOException(failure.getMessage(), failure)
              : new IOException(e.getCause());
        } catch (CancellationException e) {
          throw new IOException(e);
        }
      }
    }

    @Override
    public boolean allocate(long length) throws IOException {
      return FileSpace.allocate(file, length);
    }

    @Override
    public void truncate(long length) throws IOException {
      channel.truncate(length);
    }

    @Override
    public void force() throws IOException {
      channel.force(false);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
