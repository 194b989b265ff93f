package io.bsdb.reader.overlay;

import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.segment.Segment;
import java.io.IOException;
import java.util.List;

/**
 * Adds changes to a table, in any order, some tens at a time: first it reads from each record, then
 * from each bucket, then it adds them all, so that what is not in the caches is fetched together.
 * Used by one thread.
 */
final class ChangeFiller {
  private static final int BATCH = 64;

  private final ChangeTable table;
  private final List<OpenSegment> segments;
  private final Overlay.Scope scope;
  private final long[] addresses = new long[BATCH];
  private final long[] highs = new long[BATCH];
  private byte[] key = new byte[64];
  private int pending;
  private long fetched;

  /**
   * @param segments by the numbers in addresses
   */
  ChangeFiller(ChangeTable table, List<OpenSegment> segments, Overlay.Scope scope) {
    this.table = table;
    this.segments = segments;
    this.scope = scope;
  }

  /**
   * Adds a change if it applies.
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

  /** Adds what has not been added yet. */
  void flush() throws IOException {
    int count = pending;
    pending = 0;
    for (int i = 0; i < count; i++) {
      fetched += segment(addresses[i]).segment().body().get(ChangeRecords.offset(addresses[i]));
    }
    int applying = 0;
    for (int i = 0; i < count; i++) {
      OpenSegment segment = segment(addresses[i]);
      int length = readKey(segment.segment(), ChangeRecords.offset(addresses[i]));
      long high = KeyHash.hash(key, 0, length).getMostSignificantBits();
      segment.requireInRange(high);
      if (scope.applies(key, length, high, segment.file().number())) {
        addresses[applying] = addresses[i];
        highs[applying] = high;
        fetched += table.prefetchEntry(high);
        applying++;
      }
    }
    for (int i = 0; i < applying; i++) {
      table.put(ChangeIndex.hash(highs[i]), addresses[i]);
    }
  }

  private OpenSegment segment(long address) {
    return segments.get(ChangeRecords.number(address));
  }

  /** Returns the length. */
  private int readKey(Segment segment, int record) {
    long found = segment.key(record);
    int length = (int) found;
    if (key.length < length) {
      key = new byte[Math.max(length, 2 * key.length)];
    }
    segment.body().get((int) (found >>> 32), key, 0, length);
    return length;
  }

  /** Returns what was read only to have it fetched, so that no compiler leaves the reads out. */
  long fetched() {
    return fetched;
  }
}
