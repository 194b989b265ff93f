package io.bsdb.reader.overlay;

import io.bsdb.format.segment.Segment;
import java.io.Closeable;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/**
 * Changes and an index that finds the newest one of each key. One thread at a time adds; many look
 * up meanwhile without a lock, and find what was added before their lookup began. The changes of a
 * version are a table to which nothing is added any more, those of a log one that grows.
 *
 * <p>A table that grows under lookups divides the hashes among many indexes, each of which grows
 * for itself: so a writer waits for the copy of a small part, and memory for two copies of one is
 * all that growing takes.
 */
public final class ChangeTable implements Closeable {
  /** Number of segments that addresses can distinguish. */
  public static final int MAX_SEGMENTS = 1 << 12;

  private static final int GROWING_PART_BITS = 6;
  private static final int INITIAL_KEYS = 64;
  private static final int CACHE_LINE = 64;

  /** Replaced one by one; a lookup that begins later finds what was added before. */
  private final ChangeIndex[] parts;

  private final ChangeRecords records;

  /** Is given indexes that lookups in flight may still use. */
  private Consumer<? super ChangeIndex> retired = ChangeIndex::close;

  private ChangeTable(ChangeRecords records, int parts) {
    this.records = records;
    this.parts = new ChangeIndex[parts];
  }

  /** Returns an empty table that grows while others look up. */
  public static ChangeTable growing() throws IOException {
    return growing(new ChangeRecords(List.of()));
  }

  static ChangeTable growing(ChangeRecords records) throws IOException {
    ChangeTable table = new ChangeTable(records, 1 << GROWING_PART_BITS);
    int made = 0;
    try {
      while (made < table.parts.length) {
        table.parts[made] = ChangeIndex.create(INITIAL_KEYS, GROWING_PART_BITS, made);
        made++;
      }
      return table;
    } catch (IOException | RuntimeException | Error e) {
      for (int i = 0; i < made; i++) {
        table.parts[i].close();
      }
      throw e;
    }
  }

  /**
   * Returns an empty table, to be filled before others look up.
   *
   * @param keys how many it has room for at first
   */
  static ChangeTable of(ChangeRecords records, long keys) throws IOException {
    ChangeTable table = new ChangeTable(records, 1);
    table.parts[0] = ChangeIndex.create(keys, 0, 0);
    return table;
  }

  /** Sets what is given indexes that lookups in flight may still use; before the first lookup. */
  public void retireTo(Consumer<? super ChangeIndex> consumer) {
    retired = consumer;
  }

  /**
   * Adds a segment without its records; returns its number in addresses.
   *
   * @throws IllegalStateException if there are {@link #MAX_SEGMENTS} already
   */
  public int addSegment(Segment segment) {
    if (records.segmentCount() >= MAX_SEGMENTS) {
      throw new IllegalStateException("too many segments for one index: expected<=" + MAX_SEGMENTS);
    }
    return records.add(segment);
  }

  /** Returns the records of the segments. */
  public ChangeRecords records() {
    return records;
  }

  /**
   * Adds the newest record of a key.
   *
   * @return the high word of the hash of the key
   */
  public long put(long address) throws IOException {
    long high = records.high(address);
    put(ChangeIndex.hash(high), address);
    return high;
  }

  /**
   * Adds a record. The last one of a key, by the order of addresses, counts.
   *
   * @param hash computed by {@link ChangeIndex#hash}
   */
  void put(long hash, long address) throws IOException {
    VarHandle.releaseFence(); // the record, and its segment, come before the entry
    ChangeIndex index = part(hash);
    int position = index.mayContain(hash) ? index.next(index.start(hash), hash) : -1;
    while (position >= 0) {
      long other = index.address(position);
      if (records.sameKey(address, other)) {
        index.replace(position, hash, Math.max(address, other));
        return;
      }
      position = index.next(position + Long.BYTES, hash);
    }
    if (!index.hasRoom(1) || !index.add(hash, address)) {
      grow(partNumber(hash), 2L * index.keys() + INITIAL_KEYS);
      put(hash, address);
    }
  }

  private void grow(int part, long room) throws IOException {
    ChangeIndex index = parts[part];
    ChangeIndex grown = index.copy(room, records, Move.NONE);
    VarHandle.releaseFence(); // its entries come before it
    parts[part] = grown;
    retired.accept(index);
  }

  /** Gives records of one table their addresses in another. */
  interface Move {
    /** Leaves all as they are. */
    Move NONE = (hash, address) -> address;

    /**
     * Returns the address that a record has there; 0 if it is left out.
     *
     * @param hash of its key, computed by {@link ChangeIndex#hash}
     */
    long to(long hash, long address) throws IOException;
  }

  /**
   * Returns a copy of a table to which nothing is added any more.
   *
   * @param target the records of the copy
   * @param move {@link Move#NONE} if all addresses stay
   * @param kept most keys of this table that are in the copy
   * @param more number of keys that the copy has room for besides
   */
  ChangeTable copy(ChangeRecords target, Move move, long kept, long more) throws IOException {
    ChangeIndex index = whole();
    ChangeTable copy = new ChangeTable(target, 1);
    copy.parts[0] =
        move == Move.NONE && index.hasRoom(more)
            ? index.copy()
            : index.copy(Math.min(kept, index.keys()) + more, records, move);
    return copy;
  }

  /**
   * Adds the changes of a table to which nothing is added any more, without a read of their records
   * but where hashes meet. This table has one index, as {@link #of} makes it.
   *
   * @param moves gives records of that table their addresses here
   * @return whether all its changes have one; if not, nothing is added
   */
  boolean addAll(ChangeTable other, Overlay.Moves moves) throws IOException {
    for (int i = 0; i < other.parts.length; i++) {
      if (!other.parts[i].isAll(address -> moves.applyAsLong(address) != 0)) {
        return false;
      }
    }
    // They come in the order of hashes. If the index grew with them, they would crowd in its first
    // buckets, and each search would pass all that came before.
    if (!whole().hasRoom(other.keys())) {
      grow(0, (long) whole().keys() + other.keys());
    }
    for (int i = 0; i < other.parts.length; i++) {
      other.parts[i].forEach(
          other.records, (hash, address) -> put(hash, moves.applyAsLong(address)));
    }
    return true;
  }

  private int partNumber(long hash) {
    return (int) ((hash * parts.length) >>> ChangeIndex.HASH_BITS);
  }

  private ChangeIndex part(long hash) {
    return parts[partNumber(hash)];
  }

  /** Returns the only index of a table to which nothing is added any more. */
  ChangeIndex whole() {
    return parts[0];
  }

  /**
   * Returns whether a key may have been changed: false for almost all that have not.
   *
   * @param high of the key's hash
   */
  public boolean mayContain(long high) {
    long hash = ChangeIndex.hash(high);
    return part(hash).mayContain(hash);
  }

  /** Reads from where the entry of a key would be, so that it is in the caches soon. */
  public int prefetchEntry(long high) {
    long hash = ChangeIndex.hash(high);
    return (int) part(hash).fetch(hash);
  }

  /** Reads from the record that is probably a key's, so that it is in the caches soon. */
  public int prefetchRecord(long high) {
    long hash = ChangeIndex.hash(high);
    ChangeIndex index = part(hash);
    int position = index.next(index.start(hash), hash);
    if (position < 0) {
      return 0;
    }
    long address = index.address(position);
    VarHandle.acquireFence(); // as in find
    int record = ChangeRecords.offset(address);
    ByteBuffer bytes = records.segment(address).body();
    // Behind a record lies more than a cache line: the frame that ends the segment.
    return bytes.get(record) + bytes.get(record + CACHE_LINE);
  }

  /**
   * Finds the newest change of a key.
   *
   * @param high of the key's hash
   * @return where its value is, or {@link Overlay#UNCHANGED}, or {@link Overlay#DELETED}
   */
  public long find(byte[] key, long high) {
    long hash = ChangeIndex.hash(high);
    ChangeIndex index = part(hash);
    return index.mayContain(hash) ? find(index, key, hash) : Overlay.UNCHANGED;
  }

  /** Finds the newest change of a key that {@link #mayContain} does not rule out. */
  public long findRecord(byte[] key, long high) {
    long hash = ChangeIndex.hash(high);
    return find(part(hash), key, hash);
  }

  private long find(ChangeIndex index, byte[] key, long hash) {
    int position = index.next(index.start(hash), hash);
    while (position >= 0) {
      long address = index.address(position);
      VarHandle.acquireFence(); // the record, and its segment, were there before the entry
      if (records.hasKey(address, key)) {
        return records.isDelete(address) ? Overlay.DELETED : address;
      }
      position = index.next(position + Long.BYTES, hash);
    }
    return Overlay.UNCHANGED;
  }

  /** Returns the number of changed keys, deleted ones included. */
  public long keys() {
    long keys = 0;
    for (int i = 0; i < parts.length; i++) {
      keys += parts[i].keys();
    }
    return keys;
  }

  /** Returns the bytes of the index, off the heap. */
  public long indexBytes() {
    long length = 0;
    for (int i = 0; i < parts.length; i++) {
      length += parts[i].length();
    }
    return length;
  }

  @Override
  public void close() {
    for (int i = 0; i < parts.length; i++) {
      parts[i].close();
    }
  }
}
