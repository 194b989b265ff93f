package io.bsdb.live;

import io.bsdb.format.io.IORunnable;
import io.bsdb.live.CrashingFiles.Content;
import io.bsdb.table.Table;
import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** A table's files that know what a power loss could leave of them, and fail on demand. */
final class CrashingTable implements TableStorage {
  private final TableStorage storage;
  private final CrashingStorage.Listener listener;
  private final CrashingFiles files;

  CrashingTable(TableStorage storage, CrashingStorage.Listener listener, CrashingFiles files) {
    this.storage = storage;
    this.listener = listener;
    this.files = files;
  }

  /** Returns the files of a table on disk, for {@link LiveTable.Place}. */
  static CrashingTable of(Path root, CrashingStorage.Listener listener) {
    try {
      return new CrashingTable(Table.at(root).storage(), listener, new CrashingFiles(root));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String parent(String path) {
    return path.substring(0, Math.max(0, path.lastIndexOf('/')));
  }

  @Override
  public Output create(String path) throws IOException {
    listener.before("create", path);
    Output output = storage.create(path);
    Content content = files.file(path);
    return new Output() {
      @Override
      public int write(ByteBuffer source) throws IOException {
        listener.before("write", path);
        ByteBuffer bytes = source.duplicate();
        int length = output.write(source);
        byte[] copy = new byte[length];
        bytes.get(copy);
        files.appended(content, copy);
        return length;
      }

      @Override
      public void commit() throws IOException {
        listener.before("commit", path);
        output.commit();
        files.forced(content);
      }

      @Override
      public boolean isOpen() {
        return output.isOpen();
      }

      @Override
      public void close() throws IOException {
        output.close();
      }
    };
  }

  @Override
  public void link(String file, String path) throws IOException {
    listener.before("link", path);
    storage.link(file, path);
    files.linked(file, path);
  }

  @Override
  public InputStream open(String path) throws IOException {
    return storage.open(path);
  }

  @Override
  public void replace(String path, byte[] content) throws IOException {
    listener.before("replace", path);
    storage.replace(path, content);
    files.replaced(path, content);
    listener.before("replaced", path); // done, but not durable, or nobody heard of it
    files.synced(parent(path));
  }

  @Override
  public List<String> list(String path) throws IOException {
    return storage.list(path);
  }

  @Override
  public Instant lastModified(String path) throws IOException {
    return storage.lastModified(path);
  }

  @Override
  public void delete(String path) throws IOException {
    listener.before("delete", path);
    storage.delete(path);
    files.deleted(path);
  }

  @Override
  public void syncDirectory(String path) throws IOException {
    listener.before("sync", path);
    storage.syncDirectory(path);
    files.synced(path);
  }

  @Override
  public boolean hasLocks() {
    return storage.hasLocks();
  }

  @Override
  public void exclusively(IORunnable action) throws IOException {
    storage.exclusively(action);
  }

  @Override
  public String toString() {
    return storage.toString();
  }
}
