package io.bsdb.live;

import io.bsdb.table.TableStorage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A table's files that cannot be changed any more after so many operations, as by a crash. */
final class StoppingStorage implements TableStorage {
  private final TableStorage storage;
  private final AtomicInteger left;

  StoppingStorage(TableStorage storage, AtomicInteger left) {
    this.storage = storage;
    this.left = left;
  }

  private void step() throws IOException {
    if (left.getAndDecrement() <= 0) {
      throw new IOException("stopped");
    }
  }

  @Override
  public Output create(String path) throws IOException {
    step();
    Output output = storage.create(path);
    return new Output() {
      @Override
      public void commit() throws IOException {
        step();
        output.commit();
      }

      @Override
      public int write(ByteBuffer source) throws IOException {
        step();
        return output.write(source);
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
  public InputStream open(String path) throws IOException {
    return storage.open(path);
  }

  @Override
  public void replace(String path, byte[] content) throws IOException {
    step();
    storage.replace(path, content);
    step(); // done, but nobody heard of it
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
    step();
    storage.delete(path);
  }

  @Override
  public void syncDirectory(String path) throws IOException {
    step();
    storage.syncDirectory(path);
  }

  @Override
  public boolean hasLocks() {
    return storage.hasLocks();
  }

  @Override
  public void exclusively(Action action) throws IOException {
    storage.exclusively(action);
  }

  @Override
  public String toString() {
    return storage.toString();
  }
}
