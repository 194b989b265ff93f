package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.RecordFile;
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
import org.rocksdb.SstFileWriter;
import org.rocksdb.WriteOptions;

/**
 * RocksDB: sorted files are ingested, and read mapped.
 *
 * @param files its name, unless it shares the files of another
 * @param cacheBytes of decompressed blocks; 0 for no compression and no cache
 */
record RocksDbPeer(String name, String files, long cacheBytes) implements Peer {
  private static final int DICTIONARY_BYTES = 64 << 10;
  private static final int RECORDS_PER_FILE = 2_000_000;

  static {
    RocksDB.loadLibrary(); // filters do not
  }

  @Override
  public String configuration() {
    return "RocksDB 10.1.3, sorted SST files ingested, %s, mmap reads, Bloom 10, hash index in 4 KiB blocks, all files open, no checksums on read"
        .formatted(
            cacheBytes > 0
                ? "zstd with dictionary of %d KiB, block cache %d MiB"
                    .formatted(DICTIONARY_BYTES >> 10, cacheBytes >> 20)
                : "no compression, no block cache");
  }

  @Override
  public boolean isOrdered() {
    return true;
  }

  private Options options() {
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

  @Override
  public void build(RecordFile records, Path directory) throws Exception {
    try (Options options = options();
        RocksDB database = RocksDB.open(options, directory.toString());
        IngestExternalFileOptions ingest = new IngestExternalFileOptions().setMoveFiles(true)) {
      database.ingestExternalFile(sortedFiles(options, records, directory), ingest);
    }
  }

  private static List<String> sortedFiles(Options options, RecordFile records, Path directory)
      throws Exception {
    List<String> files = new ArrayList<>();
    SstFileWriter[] writer = new SstFileWriter[1];
    long[] count = {0};
    try (EnvOptions environment = new EnvOptions()) {
      records.forEachSorted(
          (key, value) -> {
            if (count[0]++ % RECORDS_PER_FILE == 0) {
              finish(writer[0]);
              files.add(directory.resolve("ingest-" + files.size() + ".sst").toString());
              writer[0] = new SstFileWriter(environment, options);
              writer[0].open(files.get(files.size() - 1));
            }
            writer[0].put(key, value);
          });
      finish(writer[0]);
    }
    return files;
  }

  private static void finish(@Nullable SstFileWriter writer) throws Exception {
    if (writer != null) {
      writer.finish();
      writer.close();
    }
  }

  @Override
  public Store open(RecordFile records, Path directory) throws Exception {
    return new RocksDbStore(
        RocksDB.openReadOnly(options(), directory.toString()),
        new ReadOptions().setVerifyChecksums(false),
        new WriteOptions());
  }
}
