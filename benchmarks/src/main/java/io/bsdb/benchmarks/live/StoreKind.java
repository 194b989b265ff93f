package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.peers.RocksDbStore;
import io.bsdb.benchmarks.peers.Store;
import io.bsdb.live.Durability;
import io.bsdb.live.WritableOptions;
import io.bsdb.live.WritableTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteOptions;

/**
 * A kind of store whose records change one by one. Those that are not built by default are found as
 * services.
 */
public interface StoreKind {
  /** In bytes per second, as HaloDB's own benchmark has it. */
  long COMPACTION_RATE = 135 << 20;

  String BSDB = "bsdb";
  String ROCKSDB = "rocksdb";

  /** RocksDB with values in files of their own. */
  String ROCKSDB_BLOB = "rocksdb-blob";

  String name();

  /**
   * Opens a store, an empty one if there is none. Keys have 8 bytes, unless that need not be known.
   *
   * @param records at most so many, for stores that have to be told
   */
  Store open(Path directory, Durability durability, int records) throws Exception;

  /** Returns all kinds. */
  static List<StoreKind> all() {
    List<StoreKind> kinds =
        new ArrayList<>(List.of(new Bsdb(), new RocksDb(ROCKSDB), new RocksDb(ROCKSDB_BLOB)));
    ServiceLoader.load(StoreKind.class).forEach(kinds::add);
    return kinds;
  }

  /** Returns the kind with a name. */
  static StoreKind named(String name) {
    return all().stream().filter(kind -> kind.name().equals(name)).findFirst().orElseThrow();
  }

  /** This project. */
  record Bsdb() implements StoreKind {
    @Override
    public String name() {
      return BSDB;
    }

    @Override
    public Store open(Path directory, Durability durability, int records) throws IOException {
      WritableTable table =
          WritableTable.open(
              directory,
              WritableOptions.defaults()
                  .withDurability(durability)
                  .withCompactionBytesPerSecond(COMPACTION_RATE));
      return new Store() {
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
      };
    }
  }

  /** RocksDB with a Bloom filter, without compression. */
  record RocksDb(String name) implements StoreKind {
    @Override
    public Store open(Path directory, Durability durability, int records) throws Exception {
      boolean blobs = name.equals(ROCKSDB_BLOB);
      Options options =
          new Options()
              .setCreateIfMissing(true)
              .setCompressionType(CompressionType.NO_COMPRESSION)
              .setIncreaseParallelism(Runtime.getRuntime().availableProcessors())
              .setTableFormatConfig(
                  new BlockBasedTableConfig().setFilterPolicy(new BloomFilter(10)))
              .setEnableBlobFiles(blobs)
              .setEnableBlobGarbageCollection(blobs);
      return new RocksDbStore(
          RocksDB.open(options, directory.toString()),
          new ReadOptions(),
          new WriteOptions().setSync(durability == Durability.COMMIT));
    }
  }
}
