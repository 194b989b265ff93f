package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.RecordFile;
import io.bsdb.benchmarks.harness.RecordFile.Receiver;
import io.bsdb.live.Durability;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DataBlockIndexType;
import org.rocksdb.EnvOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.SstFileWriter;
import org.rocksdb.WriteOptions;

/**
 * RocksDB: sorted files that are ingested, and read mapped, or what is written record by record.
 * Floors and seeks use one iterator again and again. Options of the database last as long as the
 * process.
 */
final class RocksDbStore implements Store {
  private static final int DICTIONARY_BYTES = 64 << 10;
  private static final int RECORDS_PER_FILE = 2_000_000;

  static {
    RocksDB.loadLibrary(); // filters do not
  }

  private final RocksDB database;
  private final ReadOptions read;
  private final WriteOptions write;
  private @Nullable RocksIterator iterator;

  private RocksDbStore(RocksDB database, ReadOptions read, WriteOptions write) {
    this.database = database;
    this.read = read;
    this.write = write;
  }

  /**
   * Returns a kind of store.
   *
   * @param files its name, unless it shares the files of another
   * @param cacheBytes of decompressed blocks; 0 for no compression and no cache
   */
  static Peer peer(String name, String files, long cacheBytes) {
    String compression =
        cacheBytes == 0
            ? "no compression, no block cache"
            : "zstd with dictionary of %d KiB, block cache %d MiB"
                .formatted(DICTIONARY_BYTES >> 10, cacheBytes >> 20);
    return new Peer(
        name,
        files,
        "RocksDB 10.1.3, sorted SST files ingested, "
            + compression
            + ", mmap reads, Bloom 10, hash index in 4 KiB blocks, all files open, no checksums on"
            + " read",
        true,
        cacheBytes,
        0,
        (records, directory) -> build(records, directory, cacheBytes),
        (records, directory) ->
            new RocksDbStore(
                RocksDB.openReadOnly(options(cacheBytes), directory.toString()),
                new ReadOptions().setVerifyChecksums(false),
                new WriteOptions()));
  }

  private static Options options(long cacheBytes) {
    BlockBasedTableConfig table =
        new BlockBasedTableConfig()
            .setFilterPolicy(new BloomFilter(10))
            .setDataBlockIndexType(DataBlockIndexType.kDataBlockBinaryAndHash)
            .setDataBlockHashTableUtilRatio(0.75)
            .setBlockSize(4096)
            .setFormatVersion(5);
    Options options =
        new Options().setCreateIfMissing(true).setAllowMmapReads(true).setMaxOpenFiles(-1);
    if (cacheBytes == 0) {
      return options
          .setTableFormatConfig(table.setNoBlockCache(true))
          .setCompressionType(CompressionType.NO_COMPRESSION);
    }
    return options
        .setTableFormatConfig(table.setBlockCache(new LRUCache(cacheBytes)))
        .setCompressionType(CompressionType.ZSTD_COMPRESSION)
        .setCompressionOptions(
            new CompressionOptions()
                .setLevel(3)
                .setMaxDictBytes(DICTIONARY_BYTES)
                .setZStdMaxTrainBytes(100 * DICTIONARY_BYTES));
  }

  private static void build(RecordFile records, Path directory, long cacheBytes) throws Exception {
    List<String> files = new ArrayList<>();
    long[] count = {0};
    try (Options options = options(cacheBytes);
        RocksDB database = RocksDB.open(options, directory.toString());
        EnvOptions environment = new EnvOptions();
        SstFileWriter writer = new SstFileWriter(environment, options);
        IngestExternalFileOptions ingest = new IngestExternalFileOptions().setMoveFiles(true)) {
      records.forEachSorted(
          (key, value) -> {
            if (count[0]++ % RECORDS_PER_FILE == 0) {
              if (!files.isEmpty()) {
                writer.finish();
              }
              files.add(directory.resolve("ingest-" + files.size() + ".sst").toString());
              writer.open(files.get(files.size() - 1));
            }
            writer.put(key, value);
          });
      writer.finish();
      database.ingestExternalFile(files, ingest);
    }
  }

  /** Opens one with a Bloom filter and without compression. */
  static Store openWritable(Path directory, Durability durability, boolean blobs)
      throws RocksDBException {
    Options options =
        new Options()
            .setCreateIfMissing(true)
            .setCompressionType(CompressionType.NO_COMPRESSION)
            .setIncreaseParallelism(Runtime.getRuntime().availableProcessors())
            .setTableFormatConfig(new BlockBasedTableConfig().setFilterPolicy(new BloomFilter(10)))
            .setEnableBlobFiles(blobs)
            .setEnableBlobGarbageCollection(blobs);
    return new RocksDbStore(
        RocksDB.open(options, directory.toString()),
        new ReadOptions(),
        new WriteOptions().setSync(durability == Durability.COMMIT));
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
  }
}
