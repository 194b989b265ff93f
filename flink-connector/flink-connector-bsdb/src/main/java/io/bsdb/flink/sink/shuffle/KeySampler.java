package io.bsdb.flink.sink.shuffle;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Samples the keys of a stream by what its records cost. The stream is thought of as strides of
 * equal cost, and the record at a random place in each is taken. When there are too many samples,
 * one of every two is kept, and strides are twice as long: so memory is bounded, and nothing need
 * be known of the stream in advance.
 */
final class KeySampler implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final long MAX_BYTES = 16 << 20;

  /** The same for every attempt. */
  private static final long SEED = 42;

  private final int capacity;
  private final Random random = new Random(SEED);
  private final ArrayList<byte[]> keys = new ArrayList<>();
  private long bytes;
  private long stride = 1;
  private long cost;
  private long nextPlace;

  /**
   * @param capacity maximum number of samples
   */
  KeySampler(int capacity) {
    this.capacity = capacity;
  }

  void add(byte[] key, long recordCost) {
    cost += recordCost;
    while (nextPlace < cost) {
      keys.add(key);
      bytes += key.length;
      if (keys.size() % 2 == 0 && (keys.size() >= capacity || bytes > MAX_BYTES)) {
        halve();
      }
      nextPlace = keys.size() * stride + random.nextLong(stride);
    }
  }

  private void halve() {
    int half = keys.size() / 2;
    for (int i = 0; i < half; i++) {
      keys.set(i, keys.get(2 * i + random.nextInt(2)));
    }
    keys.subList(half, keys.size()).clear();
    bytes = keys.stream().mapToLong(key -> key.length).sum();
    stride *= 2;
  }

  List<byte[]> keys() {
    return keys;
  }

  /** Returns the cost of the records that each key stands for. */
  long stride() {
    return stride;
  }
}
