package io.bsdb.benchmarks.peers;

import com.spotify.sparkey.CompressionType;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.SignatureUse;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.options.Layout;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
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
  public static final List<String> ORDERED = names("bsdb-order bsdb-blocked rocksdb-ingest lmdb");

  private Peers() {}

  /** Returns the names of all but that in key order. */
  public static List<String> hashed() {
    return all().stream().map(Peer::name).filter(name -> !name.equals("bsdb-order")).toList();
  }

  private static List<String> names(String words) {
    return List.of(words.split(" ", -1));
  }

  /** Returns the peer with a name. */
  public static Peer one(String name) {
    return named(List.of(name), List.of()).get(0);
  }

  /** Returns the peers that words {@link #choose}. */
  public static List<Peer> named(List<String> words, List<String> byDefault) {
    return choose(all(), Peer::name, words, byDefault);
  }

  /**
   * Returns those with these names; a word that is no name stands for all names that contain it. If
   * there are none, returns those that other words choose.
   */
  public static <T> List<T> choose(
      List<T> all, Function<T, String> name, List<String> words, List<String> byDefault) {
    Set<String> names = all.stream().map(name).collect(Collectors.toSet());
    Predicate<T> isChosen =
        each ->
            words.stream()
                .anyMatch(
                    word ->
                        names.contains(word)
                            ? name.apply(each).equals(word)
                            : name.apply(each).contains(word));
    List<T> chosen = all.stream().filter(isChosen).toList();
    return chosen.isEmpty() && !byDefault.isEmpty()
        ? choose(all, name, byDefault, List.of())
        : chosen;
  }

  /** Returns all. */
  public static List<Peer> all() {
    ReaderOptions defaults = ReaderOptions.defaults();
    ReaderOptions signatures = ReaderOptions.builder().signatures(SignatureUse.ALWAYS).build();
    ReaderOptions cached = ReaderOptions.builder().blockCacheBytes(CACHE_BYTES).build();
    return List.of(
        new BsdbPeer("bsdb-order", Layout.BLOCKED, RecordOrder.KEY, defaults),
        new BsdbPeer("bsdb-blocked", Layout.BLOCKED, defaults),
        new BsdbPeer("bsdb-blocked-signatures", Layout.BLOCKED, signatures),
        new BsdbPeer("bsdb-compact", Layout.COMPACT, defaults),
        new BsdbPeer("bsdb-compressed", Layout.COMPRESSED, defaults),
        new BsdbPeer("bsdb-compressed-pages", Layout.COMPRESSED_PAGES, defaults),
        new BsdbPeer("bsdb-compressed-cached", Layout.COMPRESSED, cached),
        new BsdbPeer("bsdb-symbols", Layout.SYMBOLS, defaults),
        new SparkeyPeer("sparkey", CompressionType.NONE),
        new SparkeyPeer("sparkey-snappy", CompressionType.SNAPPY),
        new SparkeyPeer("sparkey-zstd", CompressionType.ZSTD),
        new RocksDbPeer("rocksdb-ingest", "rocksdb-ingest", 0),
        new RocksDbPeer("rocksdb-zstd", "rocksdb-zstd", 256 << 20),
        new RocksDbPeer("rocksdb-zstd-cached", "rocksdb-zstd", CACHE_BYTES),
        new LmdbPeer(),
        new MapPeer("hashmap"));
  }
}
