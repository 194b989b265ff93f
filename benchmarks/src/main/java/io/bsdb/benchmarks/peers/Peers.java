package io.bsdb.benchmarks.peers;

import com.spotify.sparkey.CompressionType;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.SignatureUse;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.options.Layout;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** All stores that are compared. */
public final class Peers {
  private static final long CACHE_BYTES = 2L << 30;

  /** Names of a quick run: one of each kind, and the layouts that people choose between. */
  public static final List<String> QUICK =
      names(
          "bsdb-blocked bsdb-compressed bsdb-compressed-cached sparkey rocksdb-ingest"
              + " rocksdb-zstd lmdb hashmap");

  /** Names in the comparison of key order. */
  public static final List<String> ORDERED =
      names("bsdb-order bsdb-blocked rocksdb-ingest lmdb treemap");

  /** In key order, and of no interest beside others in lookups. */
  private static final Set<String> ONLY_ORDERED = Set.of("bsdb-order", "treemap");

  private Peers() {}

  private static List<String> names(String words) {
    return List.of(words.split(" ", -1));
  }

  /** Returns the peers that words {@link #choose}; without words all in hash order. */
  public static List<Peer> named(List<String> words) {
    return choose(all(), Peer::name, words).stream()
        .filter(peer -> !words.isEmpty() || !ONLY_ORDERED.contains(peer.name()))
        .toList();
  }

  /** Returns the peer with a name. */
  public static Peer one(String name) {
    return all().stream().filter(peer -> peer.name().equals(name)).findFirst().orElseThrow();
  }

  /**
   * Returns those with these names; a word that is no name stands for all names that contain it.
   * All without words.
   */
  public static <T> List<T> choose(List<T> all, Function<T, String> name, List<String> words) {
    Set<String> names = all.stream().map(name).collect(Collectors.toSet());
    return all.stream()
        .filter(
            each ->
                words.isEmpty()
                    || words.stream()
                        .anyMatch(
                            word ->
                                names.contains(word)
                                    ? name.apply(each).equals(word)
                                    : name.apply(each).contains(word)))
        .toList();
  }

  private static Peer bsdb(
      String name, Layout layout, String settings, ReaderOptions.Builder reader) {
    return new BsdbPeer(name, layout, RecordOrder.HASH, ", " + settings, reader.build());
  }

  /** Returns all. */
  public static List<Peer> all() {
    return List.of(
        new BsdbPeer("bsdb-order", Layout.BLOCKED, RecordOrder.KEY, "", ReaderOptions.defaults()),
        new BsdbPeer("bsdb-blocked", Layout.BLOCKED),
        bsdb(
            "bsdb-blocked-resident",
            Layout.BLOCKED,
            "resident",
            ReaderOptions.builder().access(Access.RESIDENT)),
        bsdb(
            "bsdb-blocked-signatures",
            Layout.BLOCKED,
            "signatures always compared",
            ReaderOptions.builder().signatures(SignatureUse.ALWAYS)),
        new BsdbPeer("bsdb-compact", Layout.COMPACT),
        new BsdbPeer("bsdb-compressed", Layout.COMPRESSED),
        new BsdbPeer("bsdb-compressed-pages", Layout.COMPRESSED_PAGES),
        bsdb(
            "bsdb-compressed-cached",
            Layout.COMPRESSED,
            "block cache of 2 GiB",
            ReaderOptions.builder().blockCacheBytes(CACHE_BYTES)),
        new BsdbPeer("bsdb-symbols", Layout.SYMBOLS),
        new SparkeyPeer("sparkey", CompressionType.NONE),
        new SparkeyPeer("sparkey-snappy", CompressionType.SNAPPY),
        new SparkeyPeer("sparkey-zstd", CompressionType.ZSTD),
        new RocksDbPeer("rocksdb-ingest", "rocksdb-ingest", true, 0),
        new RocksDbPeer("rocksdb-put", "rocksdb-put", false, 0),
        new RocksDbPeer("rocksdb-zstd", "rocksdb-zstd", true, 256 << 20),
        new RocksDbPeer("rocksdb-zstd-cached", "rocksdb-zstd", true, CACHE_BYTES),
        new LmdbPeer(),
        new MapPeer("hashmap", false),
        new MapPeer("treemap", true));
  }
}
