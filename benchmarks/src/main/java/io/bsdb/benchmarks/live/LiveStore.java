package io.bsdb.benchmarks.live;

import io.bsdb.live.Durability;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** An open store whose records change one by one. Safe for many threads. */
public interface LiveStore extends AutoCloseable {
  void put(byte[] key, byte[] value) throws Exception;

  byte @Nullable [] get(byte[] key) throws Exception;

  @Override
  void close() throws Exception;

  /** A kind of store. Those that are not built by default are found as services. */
  interface Kind {
    String name();

    /**
     * Opens a store, an empty one if there is none.
     *
     * @param keyLength of all keys
     * @param records at most so many, for stores that have to be told
     */
    LiveStore open(Path directory, Durability durability, int keyLength, int records)
        throws Exception;
  }

  /** Returns all kinds. */
  static List<Kind> kinds() {
    List<Kind> kinds = new ArrayList<>(List.of(BuiltInStores.values()));
    ServiceLoader.load(Kind.class).forEach(kinds::add);
    return kinds;
  }

  /** Returns the kind with a name. */
  static Kind kind(String name) {
    return kinds().stream().filter(kind -> kind.name().equals(name)).findFirst().orElseThrow();
  }
}
