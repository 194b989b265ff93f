package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.peers.Store;
import io.bsdb.live.Durability;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/**
 * A kind of store whose records change one by one. Those that are not built by default are found as
 * services.
 */
public interface StoreKind {
  String name();

  /**
   * Opens a store, an empty one if there is none.
   *
   * @param keyLength of all keys
   * @param records at most so many, for stores that have to be told
   */
  Store open(Path directory, Durability durability, int keyLength, int records) throws Exception;

  /** Returns all kinds. */
  static List<StoreKind> all() {
    List<StoreKind> kinds = new ArrayList<>(List.of(BuiltInStores.values()));
    ServiceLoader.load(StoreKind.class).forEach(kinds::add);
    return kinds;
  }

  /** Returns the kind with a name. */
  static StoreKind named(String name) {
    return all().stream().filter(kind -> kind.name().equals(name)).findFirst().orElseThrow();
  }
}
