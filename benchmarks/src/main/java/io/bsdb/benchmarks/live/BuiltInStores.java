package io.bsdb.benchmarks.live;

import io.bsdb.live.Durability;
import io.bsdb.live.WritableOptions;
import io.bsdb.live.WritableTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.Txn;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/** Stores whose libraries are on Maven Central. */
enum BuiltInStores implements LiveStore.Kind {
  BSDB {
    @Override
    public LiveStore open(Path directory, Durability durability, int keyLength, int records)
        throws IOException {
      return new Bsdb(
          WritableTable.open(
              directory,
              WritableOptions.defaults()
                  .withDurability(durability)
                  .withCompactionBytesPerSecond(COMPACTION_RATE)));
    }
  },
  ROCKSDB {
    @Override
    public LiveStore open(Path directory, Durability durability, int keyLength, int records)
        throws RocksDBException {
      return new Rocks(directory, durability, new Options());
    }
  },
  /** Values in files of their own. */
  ROCKSDB_BLOB {
    @Override
    public LiveStore open(Path directory, Durability durability, int keyLength, int records)
        throws RocksDBException {
      return new Rocks(
          directory,
          durability,
          new Options().setEnableBlobFiles(true).setEnableBlobGarbageCollection(true));
    }
  },
  LMDB {
    @Override
    public LiveStore open(Path directory, Durability durability, int keyLength, int records)
        throws IOException {
      return new Lmdb(directory, durability);
    }
  };

  /** In bytes per second, as HaloDB's own benchmark has it. */
  static final long COMPACTION_RATE = 135 << 20;

  private record Bsdb(WritableTable table) implements LiveStore {
    @Override
    public void put(byte[] key, byte[] value) throws IOException {
      table.put(key, value);
    }

    @Override
    public byte @Nullable [] get(byte[] key) throws IOException {
      return table.get(key);
    }

    @Override
    public void close() throws IOException {
      table.close();
    }
  }

  private static final class Rocks implements LiveStore {
    private static final int BLOOM_BITS = 10;

    static {
      RocksDB.loadLibrary();
    }

    private final BloomFilter filter = new BloomFilter(BLOOM_BITS);
    private final Options options;
    private final WriteOptions write;
    private final RocksDB db;

    Rocks(Path directory, Durability durability, Options kind) throws RocksDBException {
      options =
          kind.setCreateIfMissing(true)
              .setCompressionType(CompressionType.NO_COMPRESSION)
              .setIncreaseParallelism(Runtime.getRuntime().availableProcessors())
              .setTableFormatConfig(new BlockBasedTableConfig().setFilterPolicy(filter));
      write = new WriteOptions().setSync(durability == Durability.COMMIT);
      db = RocksDB.open(options, directory.toString());
    }

    @Override
    public void put(byte[] key, byte[] value) throws RocksDBException {
      db.put(write, key, value);
    }

    @Override
    public byte @Nullable [] get(byte[] key) throws RocksDBException {
      return db.get(key);
    }

    @Override
    public void close() {
      db.close();
      write.close();
      options.close();
      filter.close();
    }
  }

  private static final class Lmdb implements LiveStore {
    private static final long MAP_BYTES = 8L << 30;
    private static final int MAX_LENGTH = 1 << 16;
    private final Env<ByteBuffer> env;
    private final Dbi<ByteBuffer> table;
    private final ByteBuffer keyBuffer = ByteBuffer.allocateDirect(MAX_LENGTH);
    private final ByteBuffer valueBuffer = ByteBuffer.allocateDirect(MAX_LENGTH);

    Lmdb(Path directory, Durability durability) throws IOException {
      Files.createDirectories(directory);
      EnvFlags[] flags =
          durability == Durability.COMMIT ? new EnvFlags[0] : new EnvFlags[] {EnvFlags.MDB_NOSYNC};
      env = Env.create().setMapSize(MAP_BYTES).open(directory.toFile(), flags);
      table = env.openDbi("records", DbiFlags.MDB_CREATE);
    }

    @Override
    public synchronized void put(byte[] key, byte[] value) {
      try (Txn<ByteBuffer> transaction = env.txnWrite()) {
        table.put(
            transaction, keyBuffer.clear().put(key).flip(), valueBuffer.clear().put(value).flip());
        transaction.commit();
      }
    }

    @Override
    public synchronized byte @Nullable [] get(byte[] key) {
      try (Txn<ByteBuffer> transaction = env.txnRead()) {
        ByteBuffer found = table.get(transaction, keyBuffer.clear().put(key).flip());
        if (found == null) {
          return null;
        }
        byte[] value = new byte[found.remaining()];
        found.get(value);
        return value;
      }
    }

    @Override
    public void close() {
      env.close();
    }
  }
}
