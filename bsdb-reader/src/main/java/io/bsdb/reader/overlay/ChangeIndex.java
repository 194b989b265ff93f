package io.bsdb.reader.overlay;

import io.bsdb.reader.io.HugeMemory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongUnaryOperator;

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
 *
 * <p>Everything is made of the upper 32 bits of the high word, of which a tag is the lower 20: an
 * entry's bucket and tag together tell all 32, if the buckets are small enough. So an index is
 * copied into a larger one in one pass through both, without a read of the records.
 */
public final class ChangeIndex implements Closeable {

  private static final int ENTRIES = 8;
  private static final int BUCKET = ENTRIES * Long.BYTES;
  private static final int TAG_SHIFT = 44;
  private static final long ADDRESS = (1L << TAG_SHIFT) - 1;

  /** The bits of a hash that are used, and of these the ones in a tag. */
  private static final int HASH_BITS = 32;

  private static final long TAGS = 1L << (Long.SIZE - TAG_SHIFT);

  /** Spreads the bits of close hashes: 2^64 divided by the golden ratio. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private static final double KEYS_PER_BUCKET = 5;
  private static final double MAX_KEYS_PER_BUCKET = 6.5;
  private static final double KEYS_PER_WORD = 5;

  /** Buckets behind the last one, for what does not fit there. */
  private static final int SPARE_BUCKETS = 64;

  private static final byte[] ZEROS = new byte[64 << 10];
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
    for (int i = 0; i < index.bytes.capacity(); i += ZEROS.length) {
      index.bytes.put(i, ZEROS, 0, Math.min(ZEROS.length, index.bytes.capacity() - i));
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

  /**
   * Copies this index, entries changed.
   *
   * @param room number of keys that the copy has room for
   * @param moved returns the address that a record has in the copy; 0 to leave its entry out
   * @param high returns the high word of the hash of a record's key
   */
  public ChangeIndex copy(long room, LongUnaryOperator moved, LongUnaryOperator high)
      throws IOException {
    ChangeIndex copy = create(room);
    try {
      long least = 0; // the least hash that a key at this position can have
      long end = 0; // and the one behind the greatest
      for (int at = 0; holds(at); at += Long.BYTES) {
        if (at % BUCKET == 0) {
          end = leastHash(at / BUCKET + 1);
        }
        long entry = bytes.getLong(at);
        if (entry == 0) {
          least = end; // keys of this bucket and of those before it would be here
          continue;
        }
        long address = entry & ADDRESS;
        long target = moved.applyAsLong(address);
        if (target != 0) {
          long hash = end - 1 - ((end - 1 - (entry >>> TAG_SHIFT)) & (TAGS - 1));
          boolean isSure = hash - TAGS < least;
          copy.append(isSure ? hash : hash(high.applyAsLong(address)), target);
        }
      }
      return copy;
    } catch (RuntimeException | Error e) {
      copy.close();
      throw e;
    }
  }

  /** Returns the least hash of the keys that belong to a bucket. */
  private long leastHash(int bucket) {
    return (((long) Math.min(bucket, buckets) << HASH_BITS) + buckets - 1) / buckets;
  }

  /** Adds the entry of a key that is not here. */
  private void append(long hash, long address) throws IOException {
    int at = scaled(hash, buckets) * BUCKET;
    while (bytes.getLong(at) != 0) {
      at += Long.BYTES;
    }
    if (!holds(at)) {
      throw new IllegalStateException("changed keys crowd at the end of the index");
    }
    put(at, hash, address);
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

  /** Returns the bits of a hash that are used. */
  private static long hash(long high) {
    return high >>> (Long.SIZE - HASH_BITS);
  }

  private static int scaled(long hash, long count) {
    return (int) ((hash * count) >>> HASH_BITS);
  }

  private static long mask(long hash) {
    long spread = hash * SPREAD;
    return 1L << (spread >>> 58)
        | 1L << (spread >>> 52)
        | 1L << (spread >>> 46)
        | 1L << (spread >>> 40);
  }

  private static long tag(long hash) {
    return hash << TAG_SHIFT;
  }

  private int word(long hash) {
    return filterStart + scaled(hash, words) * Long.BYTES;
  }

  /** Returns whether a key may be here: false for almost all that are not. */
  public boolean mayContain(long high) {
    long hash = hash(high);
    long mask = mask(hash);
    return (bytes.getLong(word(hash)) & mask) == mask;
  }

  /** Reads what a key is looked for in, so that it is in the caches soon. */
  long fetch(long high) {
    return bytes.getLong(start(high)) + bytes.getLong(word(hash(high)));
  }

  /** Returns the position at which to look for a key with {@link #next}. */
  public int start(long high) {
    return scaled(hash(high), buckets) * BUCKET;
  }

  /**
   * Returns the position of the next entry that has the tag of a key; a negative one if there is
   * none: then its complement is where to put one.
   *
   * @param position from {@link #start}, or behind the last that was returned
   */
  public int next(int position, long high) {
    long tag = tag(hash(high));
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

  /** Returns how many entries are where those with these high words are, and right behind. */
  int count(long firstHash, long lastHash) {
    int found = 0;
    int end = start(lastHash) + Long.BYTES;
    for (int at = start(firstHash); holds(at) && (at < end || address(at) != 0); at += Long.BYTES) {
      found += address(at) == 0 ? 0 : 1;
    }
    return found;
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
  public void add(int position, long high, long address) {
    put(position, hash(high), address);
  }

  private void put(int position, long hash, long address) {
    bytes.putLong(position, tag(hash) | address);
    int word = word(hash);
    bytes.putLong(word, bytes.getLong(word) | mask(hash));
    keys++;
  }

  /** Gives the key at a position another address. */
  public void replace(int position, long high, long address) {
    bytes.putLong(position, tag(hash(high)) | address);
  }

  @Override
  public void close() {
    memory.free();
  }
}
