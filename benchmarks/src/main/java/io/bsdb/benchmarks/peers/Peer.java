package io.bsdb.benchmarks.peers;

import com.spotify.sparkey.CompressionType;
import io.bsdb.benchmarks.harness.RecordFile;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.SignatureUse;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.options.Layout;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.apache.flink.util.function.BiConsumerWithException;
import org.apache.flink.util.function.BiFunctionWithException;

/**
 * A kind of store, configured as its documentation advises.
 *
 * @param name a short one, for tables and {@code --only}
 * @param files a name for what it reads: peers with one name share one build
 * @param configuration the settings, for the report
 * @param isOrdered whether it finds floors and ranges
 * @param cacheBytes what its process needs beside the heap and the mapped files
 * @param heapBytes what a record needs of the heap, with room for its collector; 0 if all is in
 *     files
 * @param build writes all records into an empty directory, and forces them to disk
 * @param open opens what was built
 */
public record Peer(
    String name,
    String files,
    String configuration,
    boolean isOrdered,
    long cacheBytes,
    long heapBytes,
    BiConsumerWithException<RecordFile, Path, Exception> build,
    BiFunctionWithException<RecordFile, Path, Store, Exception> open) {
  private static final long CACHE_BYTES = 2L << 30;

  /** Names of a quick run: one of each kind, and the layouts that people choose between. */
  public static final List<String> QUICK =
      words(
          "bsdb-blocked bsdb-compressed bsdb-compressed-cached sparkey rocksdb-ingest"
              + " rocksdb-zstd lmdb hashmap");

  /** Names in the comparison of key order. */
  public static final List<String> ORDERED = words("bsdb-order bsdb-blocked rocksdb-ingest lmdb");

  /** Names of a table, and of the same after changes. */
  public static final List<String> CHANGED = words("bsdb-blocked changed-1 changed-16");

  private static List<String> words(String text) {
    return List.of(text.split(" ", -1));
  }

  /** Returns whether there is anything to build. */
  public boolean hasFiles() {
    return heapBytes == 0;
  }

  public static List<Peer> all() {
    ReaderOptions defaults = ReaderOptions.defaults();
    ReaderOptions signatures = ReaderOptions.builder().signatures(SignatureUse.ALWAYS).build();
    ReaderOptions cached = ReaderOptions.builder().blockCacheBytes(CACHE_BYTES).build();
    return List.of(
        BsdbStore.peer("bsdb-order", Layout.BLOCKED, RecordOrder.KEY, defaults),
        inHashOrder("bsdb-blocked", Layout.BLOCKED, defaults),
        inHashOrder("bsdb-blocked-signatures", Layout.BLOCKED, signatures),
        inHashOrder("bsdb-compact", Layout.COMPACT, defaults),
        inHashOrder("bsdb-compressed", Layout.COMPRESSED, defaults),
        inHashOrder("bsdb-compressed-pages", Layout.COMPRESSED_PAGES, defaults),
        inHashOrder("bsdb-compressed-cached", Layout.COMPRESSED, cached),
        inHashOrder("bsdb-symbols", Layout.SYMBOLS, defaults),
        SparkeyStore.peer("sparkey", CompressionType.NONE),
        SparkeyStore.peer("sparkey-snappy", CompressionType.SNAPPY),
        SparkeyStore.peer("sparkey-zstd", CompressionType.ZSTD),
        RocksDbStore.peer("rocksdb-ingest", "rocksdb-ingest", 0),
        RocksDbStore.peer("rocksdb-zstd", "rocksdb-zstd", 256 << 20),
        RocksDbStore.peer("rocksdb-zstd-cached", "rocksdb-zstd", CACHE_BYTES),
        LmdbStore.PEER,
        MapStore.PEER,
        BsdbStore.changed(1),
        BsdbStore.changed(16),
        BsdbStore.history());
  }

  private static Peer inHashOrder(String name, Layout layout, ReaderOptions options) {
    return BsdbStore.peer(name, layout, RecordOrder.HASH, options);
  }

  public static List<String> names() {
    return all().stream().map(Peer::name).toList();
  }

  /** Returns the names of all but tables in key order and with changes. */
  public static List<String> hashed() {
    return names().stream().filter(name -> !name.matches("bsdb-order|history|changed.*")).toList();
  }

  public static Peer one(String name) {
    return named(List.of(name), List.of()).get(0);
  }

  /** Returns the peers that words {@link #choose}. */
  public static List<Peer> named(List<String> words, List<String> byDefault) {
    List<String> chosen = choose(names(), words, byDefault);
    return all().stream().filter(peer -> chosen.contains(peer.name)).toList();
  }

  /**
   * Returns the names that words stand for: a word that is no name, for all names that contain it.
   * If there are none, returns the names of the default.
   */
  public static List<String> choose(
      List<String> names, List<String> words, List<String> byDefault) {
    Predicate<String> isChosen =
        name ->
            words.stream()
                .anyMatch(word -> names.contains(word) ? name.equals(word) : name.contains(word));
    List<String> chosen = names.stream().filter(isChosen).toList();
    return chosen.isEmpty() ? byDefault : chosen;
  }
}
