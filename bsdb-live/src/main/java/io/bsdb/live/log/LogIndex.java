package io.bsdb.live.log;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.Internal;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.Segment;
import io.bsdb.reader.overlay.ChangeIndex;
import io.bsdb.reader.overlay.Overlay;
import java.io.Closeable;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

/**
 * Finds the newest record of each changed key in the segments of a log. One thread at a time adds,
 * many look up meanwhile.
 *
 * <p>The hashes are divided among many indexes, each of which grows for itself: so a writer waits
 * for the copy of a small part, and memory for two copies of one is all that growing takes.
 *
 * @hidden
 */
@Internal
public final class LogIndex implements Closeable {
  /** Number of segments that addresses can tell apart. */
  public static final int MAX_SEGMENTS = 1 << 12;

  private static final int PART_BITS = 6;
  private static final int INITIAL_KEYS = 64;
  private static final int SEGMENT_SHIFT = 32;

  private final AtomicReferenceArray<ChangeIndex> parts =
      new AtomicReferenceArray<>(1 << PART_BITS);

  /** Is given indexes that lookups in flight may still use. */
  private Consumer<ChangeIndex> retire = ChangeIndex::close;

  private volatile Map<String, String> positions = Map.of();

  /** By the number in addresses. Replaced when there is another. */
  private volatile Segment[] segments = {};

  public LogIndex() throws IOException {
    for (int i = 0; i < parts.length(); i++) {
      parts.set(i, ChangeIndex.create(INITIAL_KEYS));
    }
  }

  /** Sets what is given indexes that lookups in flight may still use; before the first lookup. */
  public void retireTo(Consumer<ChangeIndex> consumer) {
    retire = consumer;
  }

  /** Adds a segment; returns its number in addresses. */
  int addSegment(Segment segment) {
    Segment[] more = Arrays.copyOf(segments, segments.length + 1);
    more[segments.length] = segment;
    segments = more;
    return more.length - 1;
  }

  private static int part(long high) {
    return (int) (high >>> (Long.SIZE - PART_BITS));
  }

  static long address(int segment, int record) {
    return (long) segment << SEGMENT_SHIFT | record;
  }

  private static int offset(long address) {
    return (int) address;
  }

  private Segment segment(long address) {
    return segments[(int) (address >>> SEGMENT_SHIFT)];
  }

  private byte[] key(long address) {
    return copy(segment(address), segment(address).key(offset(address)));
  }

  static byte[] copy(Segment segment, long place) {
    byte[] copy = new byte[(int) place];
    segment.bytes().get((int) (place >>> 32), copy);
    return copy;
  }

  /**
   * Adds a record of a segment.
   *
   * @return the high word of the hash of its key; 0 of a position
   */
  long add(int segment, ChangeKind kind, int record) throws IOException {
    if (kind == ChangeKind.POSITION) {
      Segment records = segments[segment];
      positions =
          with(
              positions,
              new String(copy(records, records.key(record)), StandardCharsets.UTF_8),
              new String(copy(records, records.value(record)), StandardCharsets.UTF_8));
      return 0;
    }
    return put(segment, record);
  }

  private static Map<String, String> with(
      Map<String, String> before, String source, String position) {
    Map<String, String> after = new HashMap<>(before);
    after.put(source, position);
    return Map.copyOf(after);
  }

  /** Returns how far sources had been read, as the records say. */
  public Map<String, String> positions() {
    return positions;
  }

  /** Makes a record of a segment the newest of its key. */
  private long put(int segment, int record) throws IOException {
    long address = address(segment, record);
    byte[] key = key(address);
    HashValue128 hash = KeyHash.hash(key);
    int part = part(hash.getMostSignificantBits());
    long high = hash.getMostSignificantBits() << PART_BITS;
    VarHandle.releaseFence();
    ChangeIndex index = parts.get(part);
    int position = index.next(index.start(high), high);
    while (position >= 0) {
      long other = index.address(position);
      if (segment(other).hasKey(offset(other), key)) {
        index.replace(position, high, address);
        return hash.getMostSignificantBits();
      }
      position = index.next(position + Long.BYTES, high);
    }
    if (index.hasRoom(1) && index.holds(~position)) {
      index.add(~position, high, address);
      return hash.getMostSignificantBits();
    }
    ChangeIndex grown = grown(index);
    parts.set(part, grown);
    retire.accept(index);
    return put(segment, record);
  }

  private ChangeIndex grown(ChangeIndex source) throws IOException {
    return source.copy(
        2L * source.keys() + INITIAL_KEYS,
        address -> address,
        address -> KeyHash.hash(key(address)).getMostSignificantBits() << PART_BITS);
  }

  /**
   * Finds the newest change of a key.
   *
   * @param hash the high word of the key's hash
   * @return as {@link Overlay#find}
   */
  public long find(byte[] key, long hash) {
    long high = hash << PART_BITS;
    ChangeIndex index = parts.get(part(hash));
    if (!index.mayContain(high)) {
      return Overlay.UNCHANGED;
    }
    int position = index.next(index.start(high), high);
    while (position >= 0) {
      long address = index.address(position);
      VarHandle.acquireFence(); // the record, and its segment, were there before the entry
      Segment segment = segment(address);
      if (segment.hasKey(offset(address), key)) {
        return segment.isDelete(offset(address)) ? Overlay.DELETED : address;
      }
      position = index.next(position + Long.BYTES, high);
    }
    return Overlay.UNCHANGED;
  }

  /** Returns the number of segments. */
  int segmentCount() {
    return segments.length;
  }

  /** Copies a value that was found. */
  public byte[] copy(long found) {
    Segment segment = segment(found);
    return copy(segment, segment.value(offset(found)));
  }

  /** Copies a value that was found, as {@link Segment#copyValue}. */
  public int copy(long found, ByteBuffer target) {
    return segment(found).copyValue(offset(found), target);
  }

  /** Returns the number of changed keys. */
  public long keys() {
    long keys = 0;
    for (int i = 0; i < parts.length(); i++) {
      keys += parts.get(i).keys();
    }
    return keys;
  }

  /** Returns the bytes off the heap. */
  public long length() {
    long length = 0;
    for (int i = 0; i < parts.length(); i++) {
      length += parts.get(i).length();
    }
    return length;
  }

  @Override
  public void close() {
    for (int i = 0; i < parts.length(); i++) {
      parts.get(i).close();
    }
  }
}
