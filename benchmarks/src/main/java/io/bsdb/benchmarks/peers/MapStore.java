package io.bsdb.benchmarks.peers;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Records on the heap: what a program without a store does. Values are copied when they are read.
 */
public record MapStore(Map<ByteBuffer, byte[]> map) implements Store {
  /**
   * A record takes 250 in entry, buffer, arrays and table. Where they fill more than 45 % of the
   * heap, the collector looks for garbage among them all the time.
   */
  private static final int HEAP_BYTES_PER_RECORD = 640;

  static final Peer PEER =
      new Peer(
          "hashmap",
          "",
          "java.util.HashMap<ByteBuffer, byte[]>, sized in advance, values copied",
          false,
          0,
          HEAP_BYTES_PER_RECORD,
          (records, directory) -> {},
          (records, directory) -> {
            Store store = new MapStore(new HashMap<>((int) (records.count() / 0.75) + 1));
            records.forEach(store::put);
            return store;
          });

  @Override
  public byte @Nullable [] get(byte[] key) {
    byte[] value = map.get(ByteBuffer.wrap(key));
    return value == null ? null : value.clone();
  }

  @Override
  public void put(byte[] key, byte[] value) {
    map.put(ByteBuffer.wrap(key), value);
  }
}
