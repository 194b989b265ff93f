package io.bsdb.reader.overlay;

import io.bsdb.format.ValueReader;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.index.KeyOrder;
import io.bsdb.format.segment.Segment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The records of changes, by their addresses: the number of a segment and the offset in it. One
 * thread at a time adds segments; what has an address can be read by any.
 */
public class ChangeRecords {
  private static final int SEGMENT_SHIFT = 32;

  /** By the number in addresses. Replaced when there is another, before a record has its number. */
  private Segment[] segments;

  ChangeRecords(List<Segment> segments) {
    this.segments = segments.toArray(Segment[]::new);
  }

  /** Adds a segment; returns its number in addresses. */
  int add(Segment segment) {
    Segment[] more = Arrays.copyOf(segments, segments.length + 1);
    more[segments.length] = segment;
    VarHandle.releaseFence();
    segments = more;
    return more.length - 1;
  }

  /** Returns the numbers that the segments of others have here; {@link Overlay#GONE} if none. */
  int[] numbers(ChangeRecords others) {
    Map<UUID, Integer> numbers = new HashMap<>();
    for (int i = 0; i < segments.length; i++) {
      numbers.put(segments[i].fileId(), i);
    }
    return Arrays.stream(others.segments)
        .mapToInt(segment -> numbers.getOrDefault(segment.fileId(), Overlay.GONE))
        .toArray();
  }

  /** Returns the number of segments. */
  public int segmentCount() {
    return segments.length;
  }

  /** Returns the address of a record in the segment with a number. */
  public static long address(int number, int record) {
    return (long) number << SEGMENT_SHIFT | record;
  }

  static int number(long address) {
    return (int) (address >>> SEGMENT_SHIFT);
  }

  static int offset(long address) {
    return (int) address;
  }

  /** Returns the segment of an address. */
  Segment segment(long address) {
    return segments[number(address)];
  }

  /** Returns where a key lies: offset in the upper 32 bits, length in the lower. */
  long key(long address) {
    return segment(address).key(offset(address));
  }

  int length(long address) {
    return (int) key(address);
  }

  /** Returns a copy of a key. */
  public byte[] copyKey(long address) {
    return segment(address).copy(key(address));
  }

  /** Returns the high word of the hash of a key. */
  long high(long address) {
    return KeyHash.hash(copyKey(address)).getMostSignificantBits();
  }

  /** Returns the eight bytes of a key from an offset on as a number; zeros stand after its end. */
  long head(long address, int offset) {
    long key = key(address);
    int left = (int) key - offset;
    if (left <= 0) {
      return 0;
    }
    // The frame that ends a segment lies after all keys, so eight bytes can always be read.
    ByteBuffer bytes = segment(address).body();
    long head = Long.reverseBytes(bytes.getLong((int) (key >>> 32) + offset));
    return left >= Long.BYTES ? head : head & (-1L << (Byte.SIZE * (Long.BYTES - left)));
  }

  boolean hasKey(long address, byte[] key) {
    return segment(address).hasKey(offset(address), key);
  }

  /** Returns whether two records are of the same key. */
  boolean sameKey(long a, long b) {
    long keyA = key(a);
    long keyB = key(b);
    int length = (int) keyA;
    return length == (int) keyB
        && segment(a)
            .body()
            .slice((int) (keyA >>> 32), length)
            .equals(segment(b).body().slice((int) (keyB >>> 32), length));
  }

  /** Compares a key with another, by their unsigned bytes. */
  int compare(long address, byte[] other) {
    long key = key(address);
    return KeyOrder.compare(segment(address).body(), (int) (key >>> 32), (int) key, other);
  }

  /**
   * Returns how many leading bytes a key and another one share.
   *
   * @param from how many they are known to share
   * @param most that count
   */
  int common(long address, int from, byte[] other, int most) {
    long key = key(address);
    ByteBuffer bytes = segment(address).body();
    int limit = Math.min(most, (int) key);
    int common = from;
    while (common < limit && bytes.get((int) (key >>> 32) + common) == other[common]) {
      common++;
    }
    return common;
  }

  boolean isDelete(long address) {
    return segment(address).isDelete(offset(address));
  }

  /**
   * Lends the value of a put.
   *
   * @param key passed to the reader
   */
  public <T> @Nullable T read(long address, int key, ValueReader<T> reader) {
    Segment segment = segment(address);
    return segment.lend(segment.value(offset(address)), key, reader);
  }

  /** Returns a copy of the value of a put. */
  public byte[] copyValue(long address) {
    Segment segment = segment(address);
    return segment.copy(segment.value(offset(address)));
  }
}
