package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.RecordFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All records on the heap: what a program without a store does. */
public record MapPeer(String name) implements Peer {
  /**
   * A record takes 250 in entry, buffer, arrays and table. Where they fill more than 45 % of the
   * heap, the collector looks for garbage among them all the time.
   */
  private static final long HEAP_BYTES_PER_RECORD = 640;

  @Override
  public String configuration() {
    return "java.util.HashMap<ByteBuffer, byte[]>, sized in advance, values copied";
  }

  @Override
  public boolean hasFiles() {
    return false;
  }

  @Override
  public long heapBytes(long records) {
    return records * HEAP_BYTES_PER_RECORD;
  }

  @Override
  public void build(RecordFile records, Path directory) {}

  @Override
  public Store open(RecordFile records, Path directory) throws Exception {
    Store store = new MapStore(new HashMap<>((int) (records.count() / 0.75) + 1));
    records.forEach(store::put);
    return store;
  }

  /** A map; values are copied when they are read. */
  public record MapStore(Map<ByteBuffer, byte[]> map) implements Store {
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
}
