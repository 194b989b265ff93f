package io.bsdb.reader.overlay;

import io.bsdb.format.index.KeyOrder;
import io.bsdb.format.segment.Segment;
import java.nio.ByteBuffer;
import java.util.List;

/** Reads the keys of changes, by the addresses of their records. Safe for many threads. */
class ChangedKeys {
  /** By the number in addresses. */
  private final Segment[] segments;

  ChangedKeys(List<OpenSegment> segments) {
    this.segments = segments.stream().map(OpenSegment::segment).toArray(Segment[]::new);
  }

  private Segment segment(long address) {
    return segments[Overlay.number(address)];
  }

  /** Returns where a key lies: offset in the upper 32 bits, length in the lower. */
  long key(long address) {
    return segment(address).key(Overlay.offset(address));
  }

  int length(long address) {
    return (int) key(address);
  }

  byte[] copy(long address) {
    return Overlay.copy(segment(address), key(address));
  }

  /** Returns the eight bytes of a key from an offset on as a number; zeros stand behind its end. */
  long head(long address, int offset) {
    long key = key(address);
    int left = (int) key - offset;
    if (left <= 0) {
      return 0;
    }
    // The frame that ends a segment lies behind all keys, so eight bytes can always be read.
    ByteBuffer bytes = segment(address).bytes();
    long head = Long.reverseBytes(bytes.getLong((int) (key >>> 32) + offset));
    return left >= Long.BYTES ? head : head & (-1L << (Byte.SIZE * (Long.BYTES - left)));
  }

  /** Compares a key with another, by their unsigned bytes. */
  int compare(long address, byte[] other) {
    long key = key(address);
    return KeyOrder.compare(segment(address).bytes(), (int) (key >>> 32), (int) key, other);
  }

  /**
   * Returns how many leading bytes a key and another one share.
   *
   * @param from how many they are known to share
   * @param most that count
   */
  int common(long address, int from, byte[] other, int most) {
    long key = key(address);
    ByteBuffer bytes = segment(address).bytes();
    int limit = Math.min(most, (int) key);
    int common = from;
    while (common < limit && bytes.get((int) (key >>> 32) + common) == other[common]) {
      common++;
    }
    return common;
  }

  boolean isDelete(long address) {
    return segment(address).isDelete(Overlay.offset(address));
  }

  byte[] value(long address) {
    return Overlay.copy(segment(address), segment(address).value(Overlay.offset(address)));
  }
}
