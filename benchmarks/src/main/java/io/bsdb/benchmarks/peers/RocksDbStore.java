package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.RecordFile.Receiver;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/** RocksDB; floors and seeks use one iterator again and again. */
public final class RocksDbStore implements Store {
  private final RocksDB database;
  private final ReadOptions read;
  private final WriteOptions write;
  private @Nullable RocksIterator iterator;

  /** Takes all over but the options of the database, which last as long as the process. */
  public RocksDbStore(RocksDB database, ReadOptions read, WriteOptions write) {
    this.database = database;
    this.read = read;
    this.write = write;
  }

  @Override
  public byte @Nullable [] get(byte[] key) throws RocksDBException {
    return database.get(read, key);
  }

  @Override
  public List<byte @Nullable []> getAll(List<byte[]> keys) throws RocksDBException {
    return database.multiGetAsList(read, keys);
  }

  @Override
  public void put(byte[] key, byte[] value) throws RocksDBException {
    database.put(write, key, value);
  }

  private RocksIterator iterator() {
    if (iterator == null) {
      iterator = database.newIterator(read);
    }
    return iterator;
  }

  @Override
  public void floor(byte[] key, Receiver receiver) throws Exception {
    RocksIterator at = iterator();
    at.seekForPrev(key);
    if (at.isValid()) {
      receiver.accept(at.key(), at.value());
    }
  }

  @Override
  public void seek(byte[] key, int count, Receiver receiver) throws Exception {
    RocksIterator at = iterator();
    at.seek(key);
    for (int i = 0; i < count && at.isValid(); i++) {
      receiver.accept(at.key(), at.value());
      at.next();
    }
  }

  @Override
  public void close() {
    if (iterator != null) {
      iterator.close();
    }
    database.close();
    read.close();
    write.close();
  }
}
