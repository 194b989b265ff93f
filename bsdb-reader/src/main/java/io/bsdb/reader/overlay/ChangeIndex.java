package io.bsdb.reader.overlay;

import io.bsdb.reader.io.HugeMemory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;

/**
 * Finds the newest record of each changed key: a filter of one word per key looked up, and after it
 * buckets of one cache line with eight entries, each a tag of the key's hash and the address of a
 * record. Off the heap. Filled by one thread; from then on immutable and safe for many. While it is
 * filled others may look up too, with a fence after they read an entry and before what it points
 * at; they find what was added before their lookup began.
 *
 * <p>The bucket of a key is proportional to its hash. A full bucket goes on in the next one. Some
 * 10 to 15 bytes per key, and 1.6 of filter; for who adds, a fifth of a byte on the heap.
 *
 * <p>A hash here is the upper half of the high word of a key's hash, multiplied by an odd number:
 * partitions are ranges of high words, and where only some of them have changes, as in the middle
 * of a round of folds, these ranges must not crowd in a few buckets. It has 32 bits: the first few
 * are the same in all keys if the index is one of several, and a tag is the last 20. An entry's
 * bucket and tag together determine all 32 if the buckets are small enough. So the entries are
 * copied in one pass, in the order of hashes, without a read of the records.
 */
public final class ChangeIndex implements Closeable {

  private static final int ENTRIES = 8;
  private static final int BUCKET = ENTRIES * Long.BYTES;
  private static final int TAG_SHIFT = 44;
  private static final long ADDRESS = (1L << TAG_SHIFT) - 1;

  /** The bits of a hash. */
  static final int HASH_BITS = 32;

  /** A mask of all bits of a hash. */
  static final long HASH_MASK = (1L << HASH_BITS) - 1;

  private static final long TAGS = 1L << (Long.SIZE - TAG_SHIFT);

  /** Spreads ranges of high words over all hashes: 2^32 divided by the golden ratio. */
  private static final long SPREAD_RANGES = 0x9E3779B1L;

  /** Its inverse modulo 2^32. */
  private static final long GATHER_RANGES = 0x0E8B2F51L;

  /** Spreads the bits of close hashes: 2^64 divided by the golden ratio. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private static final double KEYS_PER_BUCKET = 5;
  private static final double MAX_KEYS_PER_BUCKET = 6.5;
  private static final double KEYS_PER_WORD = 5;

  /** Buckets after the last one, for what does not fit there. */
  private static final int SPARE_BUCKETS = 64;

  private static final byte[] ZEROS = new byte[64 << 10];
  private static final long MAX_LENGTH = Integer.MAX_VALUE - (1 << 20);

  private final HugeMemory memory;

  /**
   * In front, where huge pages begin: each lookup reads it, and what is left at the end of memory
   * lies in small pages.
   */
  private final ByteBuffer filter;

  /** The buckets. */
  private final ByteBuffer bytes;

  /** The bits of a hash that differ among the keys here. */
  private final int bits;

  /** The least hash of a key here. */
  private final long first;

  private final int buckets;
  private final int maxKeys;
  private final int words;

  /** By bucket: how many of its entries are in use, which are the first ones. Only to add more. */
  private final byte[] entries;

  private int keys;

  private ChangeIndex(int buckets, int words, int bits, long first) throws IOException {
    this.bits = bits;
    this.first = first;
    this.buckets = buckets;
    this.maxKeys = (int) (buckets * MAX_KEYS_PER_BUCKET);
    this.words = words;
    this.entries = new byte[buckets + SPARE_BUCKETS];
    long filterLength = filterLength(words);
    long length = length(buckets, words);
    this.memory = HugeMemory.allocate(length);
    this.filter = memory.buffer(0, filterLength);
    this.bytes = memory.buffer(filterLength, length - filterLength);
  }

  private static long length(long buckets, long words) {
    return filterLength(words) + (buckets + SPARE_BUCKETS) * BUCKET;
  }

  /** Returns the bytes of a filter, so that buckets begin with a cache line. */
  private static long filterLength(long words) {
    return (words * Long.BYTES + BUCKET - 1) & -BUCKET;
  }

  /**
   * Makes an empty index of the keys whose hashes begin with certain bits.
   *
   * @param keys how many it has room for
   * @param partBits number of these bits
   * @param part these bits
   */
  static ChangeIndex create(long keys, int partBits, long part) throws IOException {
    int bits = HASH_BITS - partBits;
    return withRoom(keys, bits, part << bits);
  }

  private static ChangeIndex withRoom(long keys, int bits, long first) throws IOException {
    long buckets = (long) (keys / KEYS_PER_BUCKET) + 1;
    long words = (long) (keys / KEYS_PER_WORD) + 1;
    if (length(buckets, words) > MAX_LENGTH) {
      throw new IOException(
          "too many changed keys for one table: actual=%d; fold them into the base with 'bsdb compact'"
              .formatted(keys));
    }
    ChangeIndex index = new ChangeIndex((int) buckets, (int) words, bits, first);
    clear(index.filter);
    clear(index.bytes);
    return index;
  }

  private static void clear(ByteBuffer memory) {
    for (int i = 0; i < memory.capacity(); i += ZEROS.length) {
      memory.put(i, ZEROS, 0, Math.min(ZEROS.length, memory.capacity() - i));
    }
  }

  /** Copies this index, to have further keys added. */
  ChangeIndex copy() throws IOException {
    ChangeIndex copy = new ChangeIndex(buckets, words, bits, first);
    copy.filter.put(0, filter, 0, filter.capacity());
    copy.bytes.put(0, bytes, 0, bytes.capacity());
    System.arraycopy(entries, 0, copy.entries, 0, entries.length);
    copy.keys = keys;
    return copy;
  }

  /**
   * Copies this index, entries changed.
   *
   * @param room number of keys that the copy has room for
   * @param records at the addresses here
   */
  ChangeIndex copy(long room, ChangeRecords records, ChangeTable.Move move) throws IOException {
    ChangeIndex copy = withRoom(room, bits, first);
    try {
      forEach(
          records,
          (hash, address) -> {
            long target = move.to(hash, address);
            if (target != 0 && !copy.add(hash, target)) {
              throw new IllegalStateException("changed keys crowd at the end of the index");
            }
          });
      return copy;
    } catch (IOException | RuntimeException | Error e) {
      copy.close();
      throw e;
    }
  }

  /** Takes entries. */
  interface Entries {
    /** Takes the hash of a key and the address of its newest record. */
    void take(long hash, long address) throws IOException;
  }

  /**
   * Hands out all entries, about in the order of hashes.
   *
   * @param records at the addresses here
   */
  void forEach(ChangeRecords records, Entries entries) throws IOException {
    Walk walk = new Walk(records);
    while (walk.next()) {
      entries.take(walk.hash(), walk.address());
    }
  }

  /** Goes over all entries, about in the order of hashes. */
  final class Walk {
    private final ChangeRecords records;
    private int at = -Long.BYTES;

    /** The least hash that a key at this position can have. */
    private long least = first;

    /** The hash after the greatest that a key at this position can have. */
    private long end = first;

    private long entry;

    /**
     * @param records at the addresses here
     */
    Walk(ChangeRecords records) {
      this.records = records;
    }

    /** Moves to the next entry; returns false if there is none. */
    boolean next() {
      while (holds(at + Long.BYTES)) {
        at += Long.BYTES;
        if (at % BUCKET == 0) {
          end = leastHash(at / BUCKET + 1);
        }
        entry = bytes.getLong(at);
        if (entry != 0) {
          return true;
        }
        least = end; // keys of this bucket and of those before it would be here
      }
      return false;
    }

    /** Returns the address of the record. */
    long address() {
      return entry & ADDRESS;
    }

    /** Returns the hash of the key. Hardly ever reads the record. */
    long hash() {
      long hash = end - 1 - ((end - 1 - (entry >>> TAG_SHIFT)) & (TAGS - 1));
      boolean isSure = hash - TAGS < least;
      return isSure ? hash : ChangeIndex.hash(records.high(address()));
    }

    /** Returns whether the high word of the key's hash is in a range, both ends included. */
    boolean isBetween(long firstHigh, long lastHigh) {
      return of(
              high ->
                  Long.compareUnsigned(high, firstHigh) < 0
                      ? -1
                      : Long.compareUnsigned(high, lastHigh) > 0 ? 1 : 0)
          == 0;
    }

    /**
     * Returns a monotonic function of the unsigned high word of the key's hash, such as the number
     * of a partition, or the side of a range. Reads the record only if the index alone does not
     * determine the value.
     */
    long of(LongUnaryOperator function) {
      long high = leastHigh(hash());
      long least = function.applyAsLong(high);
      return least == function.applyAsLong(high | HASH_MASK)
          ? least
          : function.applyAsLong(records.high(address()));
    }
  }

  /** Returns whether the addresses of all entries are as wanted. */
  boolean isAll(LongPredicate wanted) {
    for (int at = 0; holds(at); at += Long.BYTES) {
      long address = address(at);
      if (address != 0 && !wanted.test(address)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the least hash of the keys that belong to a bucket. */
  private long leastHash(int bucket) {
    return first + (((long) Math.min(bucket, buckets) << bits) + buckets - 1) / buckets;
  }

  /** Returns whether there is room for further keys. */
  boolean hasRoom(long more) {
    return keys + more <= maxKeys;
  }

  /** Returns the number of keys. */
  int keys() {
    return keys;
  }

  /** Returns the bytes off the heap. */
  long length() {
    return length(buckets, words);
  }

  /**
   * Returns the hash of a key.
   *
   * @param high word of its 128-bit hash
   */
  static long hash(long high) {
    return ((high >>> (Long.SIZE - HASH_BITS)) * SPREAD_RANGES) & HASH_MASK;
  }

  /** Returns the least high word, unsigned, of keys with a hash; the greatest ends in 32 ones. */
  static long leastHigh(long hash) {
    return (hash * GATHER_RANGES) << (Long.SIZE - HASH_BITS);
  }

  private int scaled(long hash, long count) {
    return (int) (((hash - first) * count) >>> bits);
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

  /** Returns the position in the filter. */
  private int word(long hash) {
    return scaled(hash, words) * Long.BYTES;
  }

  /** Returns whether a key may be here: false for almost all that are not. */
  boolean mayContain(long hash) {
    long mask = mask(hash);
    return (filter.getLong(word(hash)) & mask) == mask;
  }

  /** Reads what a key is looked for in, so that it is in the caches soon. */
  long fetch(long hash) {
    return bytes.getLong(start(hash)) + filter.getLong(word(hash));
  }

  /** Returns the position at which to look for a key with {@link #next}. */
  int start(long hash) {
    return scaled(hash, buckets) * BUCKET;
  }

  /**
   * Returns the position of the next entry that has the tag of a key; a negative one if there is
   * none.
   *
   * @param position from {@link #start}, or after the last that was returned
   */
  int next(int position, long hash) {
    long tag = tag(hash);
    int at = position;
    while (true) {
      long entry = bytes.getLong(at);
      if (entry == 0) {
        return -1;
      }
      if ((entry & ~ADDRESS) == tag) {
        return at;
      }
      at += Long.BYTES;
    }
  }

  /** Returns the address of the entry at a position. */
  long address(int position) {
    return bytes.getLong(position) & ADDRESS;
  }

  /** Returns whether there can be an entry at a position. */
  boolean holds(int position) {
    return position + Long.BYTES < bytes.capacity(); // the last entry stays empty: it ends searches
  }

  /**
   * Adds the entry of a key that is not here.
   *
   * @param address not 0, below 2^44
   * @return whether there was room for it
   */
  boolean add(long hash, long address) {
    int bucket = scaled(hash, buckets);
    while (entries[bucket] == ENTRIES) {
      bucket++;
    }
    int position = bucket * BUCKET + entries[bucket] * Long.BYTES;
    if (!holds(position)) {
      return false;
    }
    entries[bucket]++;
    bytes.putLong(position, tag(hash) | address);
    int word = word(hash);
    filter.putLong(word, filter.getLong(word) | mask(hash));
    keys++;
    return true;
  }

  /** Gives the key at a position another address. */
  void replace(int position, long hash, long address) {
    bytes.putLong(position, tag(hash) | address);
  }

  @Override
  public void close() {
    memory.free();
  }
}
