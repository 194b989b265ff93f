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

/** Stores whose libraries are on Maven Central. */
enum BuiltInStores implements StoreKind {
  BSDB,
  ROCKSDB,
  /** RocksDB with values in files of their own. */
  ROCKSDB_BLOB,
  LMDB;

  /** In bytes per second, as HaloDB's own benchmark has it. */
  static final long COMPACTION_RATE = 135 << 20;

  private static final long LMDB_BYTES = 8L << 30;
  private static final int BLOOM_BITS = 10;

  @Override
  public Store open(Path directory, Durability durability, int keyLength, int records)
      throws Exception {
    boolean sync = durability == Durability.COMMIT;
    return switch (this) {
      case BSDB ->
          new Bsdb(
              WritableTable.open(
                  directory,
                  WritableOptions.defaults()
                      .withDurability(durability)
                      .withCompactionBytesPerSecond(COMPACTION_RATE)));
      case ROCKSDB -> RocksDbStore.writing(rocksDb(), directory, sync);
      case ROCKSDB_BLOB ->
          RocksDbStore.writing(
              rocksDb().setEnableBlobFiles(true).setEnableBlobGarbageCollection(true),
              directory,
              sync);
      case LMDB -> LmdbStore.writing(directory, LMDB_BYTES, sync);
    };
  }

  private static Options rocksDb() {
    return new Options()
        .setCreateIfMissing(true)
        .setCompressionType(CompressionType.NO_COMPRESSION)
        .setIncreaseParallelism(Runtime.getRuntime().availableProcessors())
        .setTableFormatConfig(
            new BlockBasedTableConfig().setFilterPolicy(new BloomFilter(BLOOM_BITS)));
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
