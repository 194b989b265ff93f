package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.peers.LmdbStore;
import io.bsdb.benchmarks.peers.RocksDbStore;
import io.bsdb.benchmarks.peers.Store;
import io.bsdb.live.Durability;
import io.bsdb.live.WritableOptions;
import io.bsdb.live.WritableTable;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.Options;
import org.rocksdb.RocksDBException;

/** Stores whose libraries are on Maven Central. */
enum BuiltInStores implements StoreKind {
  BSDB {
    @Override
    public Store open(Path directory, Durability durability, int keyLength, int records)
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
    public Store open(Path directory, Durability durability, int keyLength, int records)
        throws Exception {
      return rocks(new Options(), directory, durability);
    }
  },
  /** Values in files of their own. */
  ROCKSDB_BLOB {
    @Override
    public Store open(Path directory, Durability durability, int keyLength, int records)
        throws Exception {
      Options options = new Options().setEnableBlobFiles(true).setEnableBlobGarbageCollection(true);
      return rocks(options, directory, durability);
    }
  },
  LMDB {
    @Override
    public Store open(Path directory, Durability durability, int keyLength, int records)
        throws IOException {
      return LmdbStore.writing(directory, LMDB_BYTES, durability == Durability.COMMIT);
    }
  };

  /** In bytes per second, as HaloDB's own benchmark has it. */
  static final long COMPACTION_RATE = 135 << 20;

  private static final long LMDB_BYTES = 8L << 30;
  private static final int BLOOM_BITS = 10;

  private static Store rocks(Options kind, Path directory, Durability durability)
      throws RocksDBException {
    Options options =
        kind.setCreateIfMissing(true)
            .setCompressionType(CompressionType.NO_COMPRESSION)
            .setIncreaseParallelism(Runtime.getRuntime().availableProcessors())
            .setTableFormatConfig(
                new BlockBasedTableConfig().setFilterPolicy(new BloomFilter(BLOOM_BITS)));
    return RocksDbStore.writing(options, directory, durability == Durability.COMMIT);
  }

  private record Bsdb(WritableTable table) implements Store {
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
}
