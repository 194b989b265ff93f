package io.bsdb.table.storage;

import io.bsdb.format.io.IORunnable;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;

/** Passes every operation on. */
public class ForwardingStorage implements TableStorage {
  private final TableStorage storage;

  public ForwardingStorage(TableStorage storage) {
    this.storage = storage;
  }

  @Override
  public Output create(String path) throws IOException {
    return storage.create(path);
  }

  @Override
  public InputStream open(String path) throws IOException {
    return storage.open(path);
  }

  @Override
  public void replace(String path, byte[] content) throws IOException {
    storage.replace(path, content);
  }

  @Override
  public List<String> list(String directory) throws IOException {
    return storage.list(directory);
  }

  @Override
  public Instant lastModified(String path) throws IOException {
    return storage.lastModified(path);
  }

  @Override
  public void delete(String path) throws IOException {
    storage.delete(path);
  }

  @Override
  public void syncDirectory(String directory) throws IOException {
    storage.syncDirectory(directory);
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
