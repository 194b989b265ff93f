package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.RecordFile;
import io.bsdb.benchmarks.harness.RecordFile.Receiver;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** All records on the heap: what a program without a store does. */
record MapPeer(String name, boolean isOrdered) implements Peer {
  /**
   * A record takes 250 in entry, buffer, arrays and table. Where they fill more than 45 % of the
   * heap, the collector looks for garbage among them all the time.
   */
  private static final long HEAP_BYTES_PER_RECORD = 640;

  @Override
  public String configuration() {
    return "%s, values copied; heap in %s pages"
        .formatted(
            isOrdered
                ? "java.util.TreeMap<byte[], byte[]>"
                : "java.util.HashMap<ByteBuffer, byte[]>, sized in advance",
            JavaProcess.hasHugeHeap() ? "huge" : "small");
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
    if (isOrdered) {
      TreeMap<byte[], byte[]> map = new TreeMap<>(Arrays::compareUnsigned);
      records.forEach(map::put);
      return new Sorted(map);
    }
    int count = Math.toIntExact(records.count());
    Map<ByteBuffer, byte[]> map = new HashMap<>((int) (count / 0.75) + 1);
    records.forEach((key, value) -> map.put(ByteBuffer.wrap(key), value));
    return new HashStore(map);
  }

  private record Sorted(TreeMap<byte[], byte[]> map) implements Store {
    @Override
    public byte @Nullable [] get(byte[] key) {
      byte[] value = map.get(key);
      return value == null ? null : value.clone();
    }

    @Override
    public void floor(byte[] key, Receiver receiver) throws Exception {
      Map.@Nullable Entry<byte[], byte[]> found = map.floorEntry(key);
      if (found != null) {
        receiver.accept(found.getKey().clone(), found.getValue().clone());
      }
    }

    @Override
    public void seek(byte[] key, int count, Receiver receiver) throws Exception {
      int i = 0;
      for (Map.Entry<byte[], byte[]> entry : map.tailMap(key, true).entrySet()) {
        if (i++ == count) {
          break;
        }
        receiver.accept(entry.getKey().clone(), entry.getValue().clone());
      }
    }
  }
}
