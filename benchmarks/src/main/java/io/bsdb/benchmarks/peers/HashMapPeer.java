package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Records;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All records on the heap: what a program without a store does. */
public record HashMapPeer() implements Peer {
  /**
   * A record takes 250 in entry, buffer, arrays and table. Where they fill more than 45 % of the
   * heap, the collector looks for garbage among them all the time.
   */
  private static final long HEAP_BYTES_PER_RECORD = 640;

  @Override
  public String name() {
    return "hashmap";
  }

  @Override
  public String configuration() {
    return "java.util.HashMap<ByteBuffer, byte[]>, sized in advance, values copied; "
        + (JavaProcess.hasHugeHeap() ? "heap in huge pages" : "heap in small pages");
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
  public void build(Records records, Path directory) {}

  @Override
  public Store open(Records records, Path directory) throws IOException {
    int count = Math.toIntExact(records.count());
    Map<ByteBuffer, byte[]> map = new HashMap<>((int) (count / 0.75) + 1);
    records.forEach((key, value) -> map.put(ByteBuffer.wrap(key), value));
    return new Open(map);
  }

  private record Open(Map<ByteBuffer, byte[]> map) implements Store {
    @Override
    public byte @Nullable [] get(byte[] key) {
      byte[] value = map.get(ByteBuffer.wrap(key));
      return value == null ? null : value.clone();
    }

    @Override
    public void close() {
      map.clear();
    }
  }
}
