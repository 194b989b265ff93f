package io.bsdb.benchmarks.peers;

import java.nio.ByteBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A map on the heap; values are copied when they are read. */
public record HashStore(Map<ByteBuffer, byte[]> map) implements Store {
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
