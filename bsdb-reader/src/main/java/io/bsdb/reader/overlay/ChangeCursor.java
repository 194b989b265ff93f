package io.bsdb.reader.overlay;

import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.segment.Segment;

/** Goes through the changed keys in a range of hashes, in no particular order. */
public final class ChangeCursor {
  /** Treatment of keys that were deleted. */
  enum Deleted {
    INCLUDED,
    SKIPPED
  }

  private final Overlay overlay;
  private final ChangeIndex index;
  private final Deleted deleted;
  private final long firstHash;
  private final long lastHash;
  private final int end;
  private int position;
  private byte[] key = new byte[0];
  private long address;

  ChangeCursor(Overlay overlay, long firstHash, long lastHash, Deleted deleted) {
    this.overlay = overlay;
    this.index = overlay.index();
    this.deleted = deleted;
    this.firstHash = firstHash;
    this.lastHash = lastHash;
    this.position = index.start(firstHash) - Long.BYTES;
    this.end = index.start(lastHash) + Long.BYTES;
  }

  /** Moves to the next key; returns false if there is none. */
  public boolean next() {
    while (true) {
      position += Long.BYTES;
      if (!index.holds(position)) {
        return false;
      }
      address = index.address(position);
      if (address == 0) {
        if (position >= end) {
          return false;
        }
        continue;
      }
      Segment segment = overlay.segment(address);
      if (deleted == Deleted.INCLUDED || !segment.isDelete(Overlay.offset(address))) {
        key = Overlay.copy(segment, segment.key(Overlay.offset(address)));
        long high = KeyHash.hash(key).getMostSignificantBits();
        if (Long.compareUnsigned(high, firstHash) >= 0
            && Long.compareUnsigned(high, lastHash) <= 0) {
          return true;
        }
      }
    }
  }

  /** Returns the current key; not to be changed. */
  public byte[] key() {
    return key;
  }

  /** Returns whether the current key has been deleted. */
  public boolean isDeleted() {
    return overlay.segment(address).isDelete(Overlay.offset(address));
  }

  /** Returns a copy of the current value. */
  public byte[] value() {
    return overlay.copy(address);
  }
}
