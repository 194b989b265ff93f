package io.bsdb.reader;

import io.bsdb.reader.overlay.ChangeWalk;
import io.bsdb.reader.overlay.SortedChanges;
import io.bsdb.reader.snapshot.OpenSnapshot;
import io.bsdb.reader.snapshot.OrderedSeek;
import io.bsdb.reader.snapshot.OrderedSeek.Target;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A range of keys in their order, and the direction in which it is read: {@code
 * KeyRange.all().from(a).before(b)}, {@code KeyRange.prefix(p).reversed()}. Immutable.
 */
public final class KeyRange {
  private static final KeyRange ALL = new KeyRange(null, true, null, false, false);

  private final byte @Nullable [] lower;
  private final boolean lowerIncluded;
  private final byte @Nullable [] upper;
  private final boolean upperIncluded;
  private final boolean reversed;

  private KeyRange(
      byte @Nullable [] lower,
      boolean lowerIncluded,
      byte @Nullable [] upper,
      boolean upperIncluded,
      boolean reversed) {
    this.lower = lower;
    this.lowerIncluded = lowerIncluded;
    this.upper = upper;
    this.upperIncluded = upperIncluded;
    this.reversed = reversed;
  }

  /** Returns the range of all keys, ascending. */
  public static KeyRange all() {
    return ALL;
  }

  /** Returns the range of the keys that begin with some bytes; all keys if there are none. */
  public static KeyRange prefix(byte[] prefix) {
    return ALL.from(prefix).throughPrefix(prefix);
  }

  /** Returns this range without the keys below one. */
  public KeyRange from(byte[] key) {
    return withLower(key, true);
  }

  /** Returns this range without one key and those below it. */
  public KeyRange after(byte[] key) {
    return withLower(key, false);
  }

  private KeyRange withLower(byte[] key, boolean included) {
    Objects.requireNonNull(key, "key");
    int comparison = lower == null ? 1 : Arrays.compareUnsigned(key, lower);
    return comparison < 0 || (comparison == 0 && included)
        ? this
        : new KeyRange(key.clone(), included, upper, upperIncluded, reversed);
  }

  /** Returns this range without one key and those above it. */
  public KeyRange before(byte[] key) {
    return withUpper(key, false);
  }

  /** Returns this range without the keys above one. */
  public KeyRange through(byte[] key) {
    return withUpper(key, true);
  }

  private KeyRange withUpper(byte[] key, boolean included) {
    Objects.requireNonNull(key, "key");
    int comparison = upper == null ? -1 : Arrays.compareUnsigned(key, upper);
    return comparison > 0 || (comparison == 0 && included)
        ? this
        : new KeyRange(lower, lowerIncluded, key.clone(), included, reversed);
  }

  /** Returns this range without the keys above all that begin with some bytes. */
  public KeyRange throughPrefix(byte[] prefix) {
    int length = prefix.length;
    while (length > 0 && prefix[length - 1] == -1) {
      length--;
    }
    if (length == 0) {
      return this; // nothing is above it
    }
    byte[] next = Arrays.copyOf(prefix, length);
    next[length - 1]++;
    return before(next);
  }

  /** Returns this range in the other direction. */
  public KeyRange reversed() {
    return new KeyRange(lower, lowerIncluded, upper, upperIncluded, !reversed);
  }

  boolean isReversed() {
    return reversed;
  }

  /** Returns where reading begins: the bound on that side; null for none. */
  private byte @Nullable [] start() {
    return reversed ? upper : lower;
  }

  /** Returns what to look for at the start. */
  private Target startTarget() {
    if (reversed) {
      return upperIncluded ? Target.FLOOR : Target.LOWER;
    }
    return lowerIncluded ? Target.CEILING : Target.HIGHER;
  }

  /** Begins to search for where the range starts in the base. */
  OrderedSeek seek(OpenSnapshot snapshot) {
    return OrderedSeek.start(snapshot, start(), startTarget());
  }

  /** Returns the bound at which reading ends; null for none. */
  byte @Nullable [] end() {
    return reversed ? lower : upper;
  }

  /** Returns a walk through the changes in the range. */
  ChangeWalk walk(SortedChanges changes) {
    byte[] first = start();
    byte[] last = end();
    int open = reversed ? changes.size() : 0;
    return changes.walk(
        first == null ? open : changes.count(first, startTarget().isBehindEqual()),
        last == null
            ? changes.size() - open
            : changes.count(last, reversed ? !lowerIncluded : upperIncluded),
        reversed);
  }

  /**
   * Returns whether a key is still in the range.
   *
   * @param comparison of the key with {@link #end}
   */
  boolean holds(int comparison) {
    int towardsEnd = reversed ? -comparison : comparison;
    return towardsEnd < 0 || (towardsEnd == 0 && (reversed ? lowerIncluded : upperIncluded));
  }
}
