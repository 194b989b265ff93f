package io.bsdb.reader.overlay;

import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.segment.Segment;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * Adds changes to an index, in any order, some tens at a time: first it reads from each record,
 * then from each bucket, then it adds them all, so that what is not in the caches is fetched
 * together. Used by one thread.
 */
final class ChangeIndexFiller implements Closeable {
  private static final int BATCH = 64;

  private final List<OpenSegment> segments;
  private final Overlay.Scope scope;
  private final long[] addresses = new long[BATCH];
  private final long[] highs = new long[BATCH];
  private ChangeIndex index;
  private byte[] key = new byte[64];
  private int pending;
  private long fetched;

  /**
   * @param index to be added to
   * @param segments by the numbers in addresses
   */
  ChangeIndexFiller(ChangeIndex index, List<OpenSegment> segments, Overlay.Scope scope) {
    this.index = index;
    this.segments = segments;
    this.scope = scope;
  }

  /**
   * Adds a change. The last one of a key, by the order of addresses, counts.
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
      long high = KeyHash.hash(key, 0, length).getMostSignificantBits();
      segment.requireInRange(high);
      if (scope.applies(key, length, high, segment.file().number())) {
        addresses[applying] = addresses[i];
        highs[applying] = high;
        fetched += index.fetch(high);
        applying++;
      }
    }
    for (int i = 0; i < applying; i++) {
      put(highs[i], addresses[i]);
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

  private long high(long address) {
    return Overlay.high(segment(address).segment(), Overlay.offset(address));
  }

  private void put(long high, long address) throws IOException {
    int position = index.next(index.start(high), high);
    while (position >= 0) {
      long other = index.address(position);
      if (sameKey(address, other)) {
        index.replace(position, high, Math.max(address, other));
        return;
      }
      position = index.next(position + Long.BYTES, high);
    }
    if (index.hasRoom(1) && index.holds(~position)) {
      index.add(~position, high, address);
      return;
    }
    ChangeIndex full = index;
    index = full.copy(2L * full.keys() + 1, kept -> kept, this::high);
    full.close();
    put(high, address);
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
