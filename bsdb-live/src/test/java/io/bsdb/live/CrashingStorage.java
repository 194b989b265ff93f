package io.bsdb.live;

import io.bsdb.live.CrashingFiles.Content;
import io.bsdb.live.log.LogDirectory;
import io.bsdb.live.log.LogStorage;
import io.bsdb.reader.io.FileMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** A log's directory that knows what a power loss could leave of it, and fails on demand. */
final class CrashingStorage implements LogStorage {
  /** Called before each operation that changes something; may throw. */
  interface Listener {
    void before(String operation, String name) throws IOException;
  }

  private final LogDirectory directory;
  private final Listener listener;
  private final CrashingFiles files;

  /** The path of the directory from where the files are counted, with a slash. */
  private final String prefix;

  /** Returns a log's directory on disk, for {@link LiveTable.Place}. */
  static CrashingStorage of(Path directory, Listener listener) {
    try {
      return new CrashingStorage(directory, listener, new CrashingFiles(directory), "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  CrashingStorage(Path directory, Listener listener, CrashingFiles files, String prefix) {
    this.directory = new LogDirectory(directory);
    this.listener = listener;
    this.files = files;
    this.prefix = prefix;
  }

  /** Writes what a power loss leaves now, by chance, into another directory. */
  void crash(Path image, Random random) throws IOException {
    files.crash(image, random);
    // Durable before the first segment is made.
    Files.copy(directory.directory().resolve("OWNER"), image.resolve("OWNER"));
  }

  @Override
  public List<String> list() throws IOException {
    return directory.list();
  }

  @Override
  public LogFile open(String name, boolean create) throws IOException {
    if (create) {
      listener.before("create", name);
    }
    LogFile file = directory.open(name, create);
    Content content = files.file(prefix + name);
    return new LogFile() {
      @Override
      public void write(ByteBuffer bytes, long position) throws IOException {
        listener.before("write", name);
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        file.write(bytes, position);
        files.written(content, copy, (int) position);
      }

      @Override
      public boolean allocate(long length) throws IOException {
        listener.before("allocate", name);
        files.written(content, new byte[(int) length], 0);
        return file.allocate(length);
      }

      @Override
      public void truncate(long length) throws IOException {
        listener.before("truncate", name);
        file.truncate(length);
        files.truncated(content, (int) length);
      }

      @Override
      public void force() throws IOException {
        listener.before("force", name);
        file.force();
        files.forced(content);
      }

      @Override
      public void close() throws IOException {
        file.close();
      }
    };
  }

  @Override
  public FileMemory map(String name) throws IOException {
    return directory.map(name);
  }

  @Override
  public long length(String name) throws IOException {
    return directory.length(name);
  }

  @Override
  public boolean isShared(String name) throws IOException {
    return directory.isShared(name);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    listener.before("rename", from);
    directory.rename(from, to);
    files.renamed(prefix + from, prefix + to);
  }

  @Override
  public void delete(String name) throws IOException {
    listener.before("delete", name);
    directory.delete(name);
    files.deleted(prefix + name);
  }

  @Override
  public void syncDirectory() throws IOException {
    listener.before("sync", "");
    directory.syncDirectory();
    files.synced(prefix.isEmpty() ? "" : prefix.substring(0, prefix.length() - 1));
  }

  @Override
  public String path(String name) {
    return directory.path(name);
  }
}
