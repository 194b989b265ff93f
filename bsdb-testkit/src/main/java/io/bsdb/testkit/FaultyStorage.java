package io.bsdb.testkit;

import io.bsdb.format.io.IORunnable;
import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;

/** A storage whose operations first ask whether they may succeed. */
public class FaultyStorage implements TableStorage {
  private final TableStorage storage;
  private final Fault fault;

  /** Called before each operation; throws to make it fail. */
  public interface Fault {
    void before(String operation, String path) throws IOException;
  }

  public FaultyStorage(TableStorage storage, Fault fault) {
    this.storage = storage;
    this.fault = fault;
  }

  /** Returns a storage that has no locks, as object stores have none. */
  public static FaultyStorage withoutLocks(TableStorage storage, Fault fault) {
    return new FaultyStorage(storage, fault) {
      @Override
      public boolean hasLocks() {
        return false;
      }
    };
  }

  @Override
  public Output create(String path) throws IOException {
    fault.before("create", path);
    Output output = storage.create(path);
    return new Output() {
      @Override
      public int write(ByteBuffer source) throws IOException {
        fault.before("write", path);
        return output.write(source);
      }

      @Override
      public void commit() throws IOException {
        fault.before("commit", path);
        output.commit();
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
  public byte[] read(String path, int limit) throws IOException {
    fault.before("read", path);
    return storage.read(path, limit);
  }

  @Override
  public InputStream open(String path) throws IOException {
    fault.before("open", path);
    return storage.open(path);
  }

  @Override
  public void link(String file, String path) throws IOException {
    fault.before("link", path);
    storage.link(file, path);
  }

  @Override
  public void replace(String path, byte[] content) throws IOException {
    fault.before("replace", path);
    storage.replace(path, content);
    fault.before("replaced", path);
  }

  @Override
  public List<String> list(String directory) throws IOException {
    fault.before("list", directory);
    return storage.list(directory);
  }

  @Override
  public Instant lastModified(String path) throws IOException {
    return storage.lastModified(path);
  }

  @Override
  public void delete(String path) throws IOException {
    fault.before("delete", path);
    storage.delete(path);
  }

  @Override
  public void syncDirectory(String directory) throws IOException {
    fault.before("sync", directory);
    storage.syncDirectory(directory);
  }

  @Override
  public boolean hasLocks() {
    return storage.hasLocks();
  }

  @Override
  public void exclusively(IORunnable action) throws IOException {
    fault.before("lock", "");
    storage.exclusively(action);
  }

  @Override
  public String toString() {
    return storage.toString();
  }
}
