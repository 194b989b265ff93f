package io.bsdb.benchmarks.peers;

import com.spotify.sparkey.CompressionType;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.SignatureUse;
import io.bsdb.writer.Layout;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** All stores that are compared. */
public final class Peers {
  private static final long CACHE_BYTES = 2L << 30;

  /** Store that others are compared with. */
  public static final String REFERENCE = "bsdb-blocked";

  private static final Set<String> QUICK =
      Set.of(
          REFERENCE,
          "bsdb-compressed",
          "bsdb-compressed-cached",
          "sparkey",
          "rocksdb-ingest",
          "rocksdb-zstd",
          "lmdb",
          "hashmap");

  private Peers() {}

  /** Returns the peers that words {@link #choose}. */
  public static List<Peer> named(List<String> words) {
    return choose(all(), Peer::name, words);
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

  /** Returns those of a quick run: one of each kind, and the layouts that people choose between. */
  public static List<Peer> quick() {
    return all().stream().filter(peer -> QUICK.contains(peer.name())).toList();
  }

  /** Returns a peer whose files have a name. */
  public static Peer withFiles(String files) {
    return all().stream().filter(peer -> peer.files().equals(files)).findFirst().orElseThrow();
  }

  private static List<Peer> all() {
    return List.of(
        new BsdbPeer(REFERENCE, Layout.BLOCKED, Access.MAPPED, 0),
        new BsdbPeer("bsdb-blocked-resident", Layout.BLOCKED, Access.RESIDENT, 0),
        new BsdbPeer(
            "bsdb-blocked-signatures", Layout.BLOCKED, Access.MAPPED, 0, SignatureUse.ALWAYS),
        new BsdbPeer("bsdb-compact", Layout.COMPACT, Access.MAPPED, 0),
        new BsdbPeer("bsdb-compressed", Layout.COMPRESSED, Access.MAPPED, 0),
        new BsdbPeer("bsdb-compressed-pages", Layout.COMPRESSED_PAGES, Access.MAPPED, 0),
        new BsdbPeer("bsdb-compressed-cached", Layout.COMPRESSED, Access.MAPPED, CACHE_BYTES),
        new BsdbPeer("bsdb-symbols", Layout.SYMBOLS, Access.MAPPED, 0),
        new SparkeyPeer("sparkey", CompressionType.NONE),
        new SparkeyPeer("sparkey-snappy", CompressionType.SNAPPY),
        new SparkeyPeer("sparkey-zstd", CompressionType.ZSTD),
        RocksDbPeer.plain("rocksdb-ingest", RocksDbPeer.Fill.INGEST),
        RocksDbPeer.plain("rocksdb-put", RocksDbPeer.Fill.PUT),
        RocksDbPeer.compressed("rocksdb-zstd"),
        RocksDbPeer.compressed("rocksdb-zstd-cached", "rocksdb-zstd", CACHE_BYTES),
        new LmdbPeer(),
        new HashMapPeer());
  }
}
