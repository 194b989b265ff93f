package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.Records;
import java.io.IOException;
import java.nio.file.Path;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DataBlockIndexType;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * RocksDB, filled by one of its two ways and read through the mapped files.
 *
 * @param files its name, unless it shares the files of another
 * @param blockCacheBytes of decompressed blocks; 0 for none
 */
public record RocksDbPeer(
    String name, String files, Fill fill, CompressionType compression, long blockCacheBytes)
    implements Peer {
  private static final int DICTIONARY_BYTES = 64 << 10;
  private static final long SMALL_CACHE_BYTES = 256L << 20;

  static {
    RocksDB.loadLibrary();
  }

  /** Way in which records are loaded. */
  public enum Fill {
    /** SST files written in key order and ingested. */
    INGEST,
    /** Plain puts without write-ahead log, then a full compaction. */
    PUT
  }

  /** Returns a peer without compression and without a block cache. */
  public static RocksDbPeer plain(String name, Fill fill) {
    return new RocksDbPeer(name, name, fill, CompressionType.NO_COMPRESSION, 0);
  }

  /** Returns a peer with compression and a block cache that holds a part of what is asked for. */
  static RocksDbPeer compressed(String name) {
    return compressed(name, name, SMALL_CACHE_BYTES);
  }

  /** Returns a peer with compression and any block cache. */
  static RocksDbPeer compressed(String name, String files, long blockCacheBytes) {
    return new RocksDbPeer(
        name, files, Fill.INGEST, CompressionType.ZSTD_COMPRESSION, blockCacheBytes);
  }

  private boolean isCompressed() {
    return compression != CompressionType.NO_COMPRESSION;
  }

  @Override
  public String configuration() {
    return "RocksDB 10.1.3, %s, %s, mmap reads, Bloom 10, hash index in 4 KiB blocks, all files open, no checksums on read"
        .formatted(
            fill == Fill.INGEST ? "sorted SST files ingested" : "puts without WAL, compacted",
            isCompressed()
                ? "zstd with dictionary of %d KiB, block cache %d MiB"
                    .formatted(DICTIONARY_BYTES >> 10, blockCacheBytes >> 20)
                : "no compression, no block cache");
  }

  @Override
  public long nativeBytes(long fileBytes) {
    return blockCacheBytes;
  }

  private Options options() {
    BlockBasedTableConfig table =
        new BlockBasedTableConfig()
            .setFilterPolicy(new BloomFilter(10))
            .setDataBlockIndexType(DataBlockIndexType.kDataBlockBinaryAndHash)
            .setDataBlockHashTableUtilRatio(0.75)
            .setBlockSize(4096)
            .setFormatVersion(5);
    if (blockCacheBytes > 0) {
      table.setBlockCache(new LRUCache(blockCacheBytes));
    } else {
      table.setNoBlockCache(true);
    }
    Options options =
        new Options()
            .setCreateIfMissing(true)
            .setTableFormatConfig(table)
            .setCompressionType(compression)
            .setAllowMmapReads(true)
            .setMaxOpenFiles(-1);
    if (isCompressed()) {
      options.setCompressionOptions(
          new CompressionOptions()
              .setLevel(3)
              .setMaxDictBytes(DICTIONARY_BYTES)
              .setZStdMaxTrainBytes(100 * DICTIONARY_BYTES));
    }
    return options;
  }

  @Override
  public void build(Records records, Path directory) throws IOException {
    try (Options options = options()) {
      if (fill == Fill.INGEST) {
        RocksDbFill.ingest(options, records, directory);
      } else {
        options.prepareForBulkLoad();
        RocksDbFill.put(options, records, directory);
      }
    } catch (RocksDBException e) {
      throw new IOException(e);
    }
  }

  @Override
  public Store open(Records records, Path directory) throws IOException {
    return RocksDbStore.reading(options(), directory);
  }
}
