package io.bsdb.reader.diff;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.reader.overlay.ChangeCursor;
import io.bsdb.reader.overlay.Overlay;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Changed keys in the order of their hashes, a range of these at a time. */
final class ChangedKeys implements KeySource {
  private static final int BATCH = 256;

  /** Keys that are sorted at a time. For each such range all entries of the index are read. */
  private static final int SORTED = 1 << 15;

  private static final Comparator<Place> BY_HASH =
      Comparator.comparing(Place::high, Long::compareUnsigned)
          .thenComparing(Place::low, Long::compareUnsigned);

  private final Overlay overlay;
  private final long after;
  private final long lastHash;
  private final Filter filter;
  private final Owner owner;

  /** How many hashes each range has. */
  private final long width;

  private long next;
  private List<Candidate> sorted = List.of();
  private int handedOut;
  private @Nullable Place skipped;
  private boolean ended;

  /** Who closes the changes. */
  enum Owner {
    READER,
    THIS
  }

  /**
   * @param after number of the last segment whose changes are not wanted
   * @param slice whose keys are wanted
   */
  ChangedKeys(Overlay overlay, long after, KeySlice slice, Filter filter, Owner owner) {
    this.overlay = overlay;
    this.after = after;
    this.next = slice.firstHash();
    this.lastHash = slice.lastHash();
    this.filter = filter;
    this.owner = owner;
    this.width = Long.divideUnsigned(-1, overlay.maxChangedKeys(after) / SORTED + 1);
  }

  @Override
  public void skipThrough(Place place) {
    skipped = place;
    next = place.high();
    sorted = List.of();
    handedOut = 0;
  }

  @Override
  public @Nullable List<Candidate> next() {
    while (handedOut == sorted.size()) {
      if (ended) {
        return null;
      }
      sorted = nextRange();
      handedOut = 0;
    }
    int from = handedOut;
    handedOut = Math.min(from + BATCH, sorted.size());
    return sorted.subList(from, handedOut);
  }

  private List<Candidate> nextRange() {
    long last = next + width - 1;
    if (Long.compareUnsigned(last, lastHash) >= 0 || Long.compareUnsigned(last, next) < 0) {
      last = lastHash;
      ended = true;
    }
    List<Candidate> keys = new ArrayList<>();
    ChangeCursor cursor = overlay.changes(next, last, after);
    while (cursor.next()) {
      byte[] key = cursor.key();
      HashValue128 hash = KeyHash.hash(key);
      Place place = new Place(hash.getMostSignificantBits(), hash.getLeastSignificantBits());
      boolean isLeft = skipped == null || BY_HASH.compare(place, skipped) > 0;
      if (isLeft && filter.test(key, hash)) {
        keys.add(new Candidate(key, null, place));
      }
    }
    next = last + 1;
    keys.sort(Comparator.comparing(Candidate::place, BY_HASH));
    return keys;
  }

  @Override
  public void close() throws IOException {
    ended = true;
    if (owner == Owner.THIS) {
      overlay.close();
    }
  }
}
