package io.bsdb.benchmarks.peers;

import io.bsdb.live.Durability;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;

/** A kind of store whose records change one by one. */
public interface WritableStore {
  /** In bytes per second, as HaloDB's own benchmark has it. */
  long COMPACTION_RATE = 135 << 20;

  String BSDB = "bsdb";
  String ROCKSDB = "rocksdb";

  /** RocksDB with values in files of their own. */
  String ROCKSDB_BLOB = "rocksdb-blob";

  /** Not built by default, and found as a service. */
  String HALODB = "halodb";

  /**
   * Opens a store, an empty one if there is none. Keys have 8 bytes, unless that need not be known.
   *
   * @param records at most so many, for stores that have to know it
   */
  Store open(Path directory, Durability durability, int records) throws Exception;

  /** Returns all kinds by name. */
  static Map<String, WritableStore> all() {
    Map<String, WritableStore> all = new LinkedHashMap<>();
    all.put(BSDB, BsdbStore::openWritable);
    all.put(
        ROCKSDB, (path, durability, most) -> RocksDbStore.openWritable(path, durability, false));
    all.put(
        ROCKSDB_BLOB,
        (path, durability, most) -> RocksDbStore.openWritable(path, durability, true));
    ServiceLoader.load(WritableStore.class).forEach(halo -> all.put(HALODB, halo));
    return all;
  }
}
