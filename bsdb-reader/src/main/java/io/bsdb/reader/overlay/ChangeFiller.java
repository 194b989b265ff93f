package io.bsdb.reader.overlay;

import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.segment.Segment;
import java.io.IOException;

/**
 * Adds the changes of one segment to a table, in any order, some tens at a time: nothing else is
 * done between them, so that processors fetch several buckets that are not in the caches at once.
 * Used by one thread.
 */
final class ChangeFiller {
  private static final int BATCH = 64;

  private final ChangeTable table;
  private final OpenSegment segment;
  private final int number;
  private final Overlay.Scope scope;
  private final long[] addresses = new long[BATCH];
  private final long[] highs = new long[BATCH];
  private byte[] key = new byte[64];
  private int pending;

  /**
   * @param number of the segment in addresses
   */
  ChangeFiller(ChangeTable table, OpenSegment segment, int number, Overlay.Scope scope) {
    this.table = table;
    this.segment = segment;
    this.number = number;
    this.scope = scope;
  }

  /** Adds a change if it applies. */
  void add(int record) throws IOException {
    int length = readKey(segment.segment(), record);
    long high = KeyHash.hash(key, 0, length).getMostSignificantBits();
    segment.requireInRange(high);
    if (!scope.applies(key, length, high, segment.file().number())) {
      return;
    }
    addresses[pending] = ChangeRecords.address(number, record);
    highs[pending] = high;
    pending++;
    if (pending == BATCH) {
      flush();
    }
  }

  /** Adds what has not been added yet. */
  void flush() throws IOException {
    for (int i = 0; i < pending; i++) {
      table.put(ChangeIndex.hash(highs[i]), addresses[i]);
    }
    pending = 0;
  }

  /** Returns the length. */
  private int readKey(Segment records, int record) {
    long found = records.key(record);
    int length = (int) found;
    if (key.length < length) {
      key = new byte[Math.max(length, 2 * key.length)];
    }
    records.body().get((int) (found >>> 32), key, 0, length);
    return length;
  }
}
