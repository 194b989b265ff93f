package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.RecordFile.Receiver;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/** RocksDB; floors and seeks use one iterator again and again. */
public final class RocksDbStore implements Store {
  private final Options options;
  private final RocksDB database;
  private final ReadOptions read;
  private final WriteOptions write;
  private @Nullable RocksIterator iterator;

  private RocksDbStore(Options options, RocksDB database, ReadOptions read, WriteOptions write) {
    this.options = options;
    this.database = database;
    this.read = read;
    this.write = write;
  }

  /** Opens what was built, without checksums on read. Takes the options over. */
  static Store reading(Options options, Path directory) throws RocksDBException {
    return new RocksDbStore(
        options,
        RocksDB.openReadOnly(options, directory.toString()),
        new ReadOptions().setVerifyChecksums(false),
        new WriteOptions());
  }

  /**
   * Opens a store to be written. Takes the options over.
   *
   * @param sync whether puts wait for the disk
   */
  public static Store writing(Options options, Path directory, boolean sync)
      throws RocksDBException {
    return new RocksDbStore(
        options,
        RocksDB.open(options, directory.toString()),
        new ReadOptions(),
        new WriteOptions().setSync(sync));
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
    read.close();
    write.close();
    database.close();
    options.close();
  }
}
