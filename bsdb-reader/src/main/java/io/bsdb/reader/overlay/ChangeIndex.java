package io.bsdb.reader.overlay;

import io.bsdb.reader.io.HugeMemory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Finds the newest record of each changed key: a filter of one word per key looked up, and behind
 * it buckets of one cache line with eight entries, each a tag of the key's hash and the address of
 * a record. Off the heap. Filled by one thread; from then on immutable and safe for many. While it
 * is filled others may look up too, with a fence after they read an entry and before what it points
 * at; they find what was added before their lookup began.
 *
 * <p>The bucket of a key is proportional to the high word of its hash, so that the keys of one
 * partition lie in neighboring buckets. A full bucket goes on in the next one. Some 10 to 15 bytes
 * per key, and 1.6 of filter.
 */
public final class ChangeIndex implements Closeable {

  private static final int ENTRIES = 8;
  private static final int BUCKET = ENTRIES * Long.BYTES;
  private static final int TAG_SHIFT = 44;
  private static final long ADDRESS = (1L << TAG_SHIFT) - 1;
  private static final double KEYS_PER_BUCKET = 5;
  private static final double MAX_KEYS_PER_BUCKET = 6.5;
  private static final double KEYS_PER_WORD = 5;

  /** Buckets behind the last one, for what does not fit there. */
  private static final int SPARE_BUCKETS = 64;

  private static final long MAX_LENGTH = Integer.MAX_VALUE - (1 << 20);

  private final HugeMemory memory;
  private final ByteBuffer bytes;
  private final int buckets;
  private final int filterStart;
  private final int words;
  private int keys;

  private ChangeIndex(int buckets, int words) throws IOException {
    this.buckets = buckets;
    this.words = words;
    this.filterStart = (buckets + SPARE_BUCKETS) * BUCKET;
    long length = length(buckets, words);
    this.memory = HugeMemory.allocate(length);
    this.bytes = memory.buffer(0, length);
  }

  private static long length(long buckets, long words) {
    return (buckets + SPARE_BUCKETS) * BUCKET + words * Long.BYTES;
  }

  /**
   * Makes an empty index.
   *
   * @param keys how many it has room for
   */
  public static ChangeIndex create(long keys) throws IOException {
    long buckets = (long) (keys / KEYS_PER_BUCKET) + 1;
    long words = (long) (keys / KEYS_PER_WORD) + 1;
    if (length(buckets, words) > MAX_LENGTH) {
      throw new IOException(
          "too many changed keys for one table: actual=%d; fold them into the base with 'bsdb compact'"
              .formatted(keys));
    }
    ChangeIndex index = new ChangeIndex((int) buckets, (int) words);
    for (int i = 0; i + Long.BYTES <= index.bytes.capacity(); i += Long.BYTES) {
      index.bytes.putLong(i, 0);
    }
    return index;
  }

  /** Copies this index, to have further keys added. */
  ChangeIndex copy() throws IOException {
    ChangeIndex copy = new ChangeIndex(buckets, words);
    copy.bytes.put(0, bytes, 0, bytes.capacity());
    copy.keys = keys;
    return copy;
  }

  /** Returns whether there is room for further keys. */
  public boolean hasRoom(long more) {
    return keys + more <= buckets * MAX_KEYS_PER_BUCKET;
  }

  /** Returns the number of keys. */
  public int keys() {
    return keys;
  }

  /** Returns the bytes off the heap. */
  public long length() {
    return bytes.capacity();
  }

  /** Returns the unsigned upper word of a product. */
  private static int scaled(long high, int count) {
    return (int) (Math.multiplyHigh(high, count) + ((high >> 63) & count));
  }

  private static long mask(long low) {
    return 1L << (low >>> 20) | 1L << (low >>> 26) | 1L << (low >>> 32) | 1L << (low >>> 38);
  }

  private static long tag(long low) {
    return low << TAG_SHIFT;
  }

  /** Returns whether a key may be here: false for almost all that are not. */
  public boolean mayContain(long high, long low) {
    long mask = mask(low);
    return (bytes.getLong(filterStart + scaled(high, words) * Long.BYTES) & mask) == mask;
  }

  /** Reads what a key is looked for in, so that it is in the caches soon. */
  long fetch(long high) {
    return bytes.getLong(start(high))
        + bytes.getLong(filterStart + scaled(high, words) * Long.BYTES);
  }

  /** Returns the position at which to look for a key with {@link #next}. */
  public int start(long high) {
    return scaled(high, buckets) * BUCKET;
  }

  /**
   * Returns the position of the next entry that has the tag of a key; a negative one if there is
   * none: then its complement is where to put one.
   *
   * @param position from {@link #start}, or behind the last that was returned
   */
  public int next(int position, long low) {
    long tag = tag(low);
    int at = position;
    while (true) {
      long entry = bytes.getLong(at);
      if (entry == 0) {
        return ~at;
      }
      if ((entry & ~ADDRESS) == tag) {
        return at;
      }
      at += Long.BYTES;
    }
  }

  /** Returns the address of the entry at a position. */
  public long address(int position) {
    return bytes.getLong(position) & ADDRESS;
  }

  /** Returns whether an entry can be put at a position. */
  public boolean holds(int position) {
    return position + Long.BYTES < filterStart; // the last entry stays empty: it ends searches
  }

  /**
   * Puts the entry of a new key at an empty position.
   *
   * @param address not 0, below 2^44
   */
  public void add(int position, long high, long low, long address) {
    bytes.putLong(position, tag(low) | address);
    int word = filterStart + scaled(high, words) * Long.BYTES;
    bytes.putLong(word, bytes.getLong(word) | mask(low));
    keys++;
  }

  /** Gives the key at a position another address. */
  public void replace(int position, long low, long address) {
    bytes.putLong(position, tag(low) | address);
  }

  @Override
  public void close() {
    memory.free();
  }
}
