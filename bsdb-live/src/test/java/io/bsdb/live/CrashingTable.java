package io.bsdb.live;

import io.bsdb.live.CrashingFiles.Content;
import io.bsdb.table.Table;
import io.bsdb.table.storage.TableStorage;
import io.bsdb.testkit.FaultyStorage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;

/** A table's files that know what a power loss could leave of them, and fail on demand. */
final class CrashingTable extends FaultyStorage {
  private static final Set<String> CHANGES =
      Set.of("create", "write", "commit", "link", "delete", "sync");

  private final TableStorage storage;
  private final CrashingStorage.Listener listener;
  private final CrashingFiles files;

  CrashingTable(TableStorage storage, CrashingStorage.Listener listener, CrashingFiles files) {
    super(
        storage,
        (operation, path) -> {
          if (CHANGES.contains(operation)) {
            listener.before(operation, path);
          }
        });
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
    Output output = super.create(path);
    Content content = files.file(path);
    return new Output() {
      @Override
      public int write(ByteBuffer source) throws IOException {
        ByteBuffer bytes = source.duplicate();
        int length = output.write(source);
        byte[] copy = new byte[length];
        bytes.get(copy);
        files.appended(content, copy);
        return length;
      }

      @Override
      public void commit() throws IOException {
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
    super.link(file, path);
    files.linked(file, path);
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
  public void delete(String path) throws IOException {
    super.delete(path);
    files.deleted(path);
  }

  @Override
  public void syncDirectory(String path) throws IOException {
    super.syncDirectory(path);
    files.synced(path);
  }
}
