package io.bsdb.reader.overlay;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.segment.Segment;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * Adds changes to an index, in their order, some tens at a time: first it reads from each record,
 * then from each bucket, then it adds them all, so that what is not in the caches is fetched
 * together. Used by one thread.
 */
final class ChangeIndexFiller implements Closeable {
  private static final int BATCH = 64;

  private final List<OpenSegment> segments;
  private final Overlay.Scope scope;
  private final long[] addresses = new long[BATCH];
  private final long[] highs = new long[BATCH];
  private final long[] lows = new long[BATCH];
  private ChangeIndex index;
  private int pending;
  private byte[] key = new byte[64];

  private long fetched;

  private ChangeIndexFiller(ChangeIndex index, List<OpenSegment> segments, Overlay.Scope scope) {
    this.index = index;
    this.segments = segments;
    this.scope = scope;
  }

  /**
   * Begins with an empty index.
   *
   * @param keys how many are expected
   * @param segments by the numbers in addresses
   */
  static ChangeIndexFiller empty(long keys, List<OpenSegment> segments, Overlay.Scope scope)
      throws IOException {
    return new ChangeIndexFiller(ChangeIndex.create(keys), segments, scope);
  }

  /** Begins with what is in an index, and room for further keys. */
  static ChangeIndexFiller copying(
      ChangeIndex source, long more, List<OpenSegment> segments, Overlay.Scope scope)
      throws IOException {
    return source.hasRoom(more)
        ? new ChangeIndexFiller(source.copy(), segments, scope)
        : grown(source, source.keys() + more + more / 2, segments, scope);
  }

  private static ChangeIndexFiller grown(
      ChangeIndex source, long keys, List<OpenSegment> segments, Overlay.Scope scope)
      throws IOException {
    ChangeIndexFiller filler = empty(keys, segments, scope);
    try {
      for (int at = 0; source.holds(at); at += Long.BYTES) {
        long address = source.address(at);
        if (address != 0) {
          filler.add(address);
        }
      }
      filler.flush();
      return filler;
    } catch (IOException | RuntimeException | Error e) {
      filler.close();
      throw e;
    }
  }

  /**
   * Adds a change, which takes the place of earlier ones of its key.
   *
   * @param address of its record
   */
  void add(long address) throws IOException {
    addresses[pending] = address;
    pending++;
    if (pending == BATCH) {
      flush();
    }
  }

  private void flush() throws IOException {
    int count = pending;
    pending = 0;
    for (int i = 0; i < count; i++) {
      fetched += segment(addresses[i]).segment().bytes().get(Overlay.offset(addresses[i]));
    }
    int applying = 0;
    for (int i = 0; i < count; i++) {
      OpenSegment segment = segment(addresses[i]);
      int length = readKey(segment.segment(), Overlay.offset(addresses[i]));
      HashValue128 hash = KeyHash.hash(key, 0, length);
      long high = hash.getMostSignificantBits();
      segment.requireInRange(high);
      if (scope.applies(key, length, high, segment.file().number())) {
        addresses[applying] = addresses[i];
        highs[applying] = high;
        lows[applying] = hash.getLeastSignificantBits();
        fetched += index.fetch(high);
        applying++;
      }
    }
    for (int i = 0; i < applying; i++) {
      put(highs[i], lows[i], addresses[i]);
    }
  }

  private OpenSegment segment(long address) {
    return segments.get(Overlay.number(address));
  }

  /** Returns the length. */
  private int readKey(Segment segment, int record) {
    long found = segment.key(record);
    int length = (int) found;
    if (key.length < length) {
      key = new byte[Math.max(length, 2 * key.length)];
    }
    segment.bytes().get((int) (found >>> 32), key, 0, length);
    return length;
  }

  private void put(long high, long low, long address) throws IOException {
    int position = index.next(index.start(high), low);
    while (position >= 0) {
      if (sameKey(address, index.address(position))) {
        index.replace(position, low, address);
        return;
      }
      position = index.next(position + Long.BYTES, low);
    }
    if (index.holds(~position)) {
      index.add(~position, high, low, address);
      return;
    }
    ChangeIndex full = index;
    index = grown(full, 2L * full.keys() + 1, segments, scope).index;
    full.close();
    put(high, low, address);
  }

  private boolean sameKey(long a, long b) {
    Segment segmentA = segment(a).segment();
    Segment segmentB = segment(b).segment();
    long keyA = segmentA.key(Overlay.offset(a));
    long keyB = segmentB.key(Overlay.offset(b));
    int length = (int) keyA;
    return length == (int) keyB
        && segmentA
            .bytes()
            .slice((int) (keyA >>> 32), length)
            .equals(segmentB.bytes().slice((int) (keyB >>> 32), length));
  }

  /** Returns what was read only to have it fetched, so that no compiler leaves the reads out. */
  long fetched() {
    return fetched;
  }

  /** Returns the index, which is the caller's from now on. */
  ChangeIndex finish() throws IOException {
    flush();
    return index;
  }

  /** Frees the index, in place of {@link #finish}. */
  @Override
  public void close() {
    index.close();
  }
}
