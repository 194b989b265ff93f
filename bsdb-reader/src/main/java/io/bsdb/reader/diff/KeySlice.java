package io.bsdb.reader.diff;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.Internal;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.table.manifest.Bound;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.RecordOrder;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A part of all keys that stays the same whichever partitions the versions of a table have: a range
 * of hashes, or of keys. Immutable.
 *
 * @hidden
 */
@Internal
public final class KeySlice {
  /** All keys. */
  public static final KeySlice ALL = ofHashes(KeyShare.ALL);

  private static final String KEYS = "keys ";
  private static final String TO = " to ";

  /** {@link KeyShare#ALL} for a range of keys. */
  private final KeyShare share;

  private final long firstHash;
  private final long lastHash;
  private final Bound lower;

  /** Null for none. */
  private final @Nullable Bound upper;

  private KeySlice(
      KeyShare share, long firstHash, long lastHash, Bound lower, @Nullable Bound upper) {
    this.share = share;
    this.firstHash = firstHash;
    this.lastHash = lastHash;
    this.lower = lower;
    this.upper = upper;
  }

  /** Returns the keys of a share. */
  public static KeySlice ofHashes(KeyShare share) {
    Partitioning shares = new Partitioning(share.count());
    return new KeySlice(
        share, shares.firstHash(share.index()), shares.lastHash(share.index()), Bound.FIRST, null);
  }

  /**
   * Returns a range of keys.
   *
   * @param upper not included; null for no bound
   */
  public static KeySlice ofKeys(byte[] lower, byte @Nullable [] upper) {
    return new KeySlice(
        KeyShare.ALL, 0, -1, Bound.of(lower), upper == null ? null : Bound.of(upper));
  }

  /** Returns the keys whose hashes are in the first part of all: a sample of them. */
  static KeySlice sample(double part) {
    return part < 1
        ? new KeySlice(KeyShare.ALL, 0, ((long) (part * 0x1p63) << 1) - 1, Bound.FIRST, null)
        : ALL;
  }

  /** Returns the keys of each partition of a version. */
  public static List<KeySlice> ofPartitions(Manifest manifest) {
    Partitioning partitioning = manifest.partitioning();
    int count = partitioning.count();
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                partitioning.order() == RecordOrder.HASH
                    ? ofHashes(new KeyShare(i, count))
                    : ofKeys(
                        partitioning.lowerBound(i),
                        i + 1 < count ? partitioning.lowerBound(i + 1) : null))
        .toList();
  }

  /**
   * Returns the share of the keys that a reader needs to open to compare this slice: all if it is a
   * range of keys.
   */
  public KeyShare share() {
    return share;
  }

  /** Returns whether the rest of the keys is in other slices, so that those may be compared too. */
  boolean isOneOfSeveral() {
    return !share.equals(KeyShare.ALL) || !lower.equals(Bound.FIRST) || upper != null;
  }

  long firstHash() {
    return firstHash;
  }

  long lastHash() {
    return lastHash;
  }

  /** Returns whether a key is in the slice. */
  public boolean contains(byte[] key) {
    return contains(key, KeyHash.hash(key));
  }

  boolean contains(byte[] key, HashValue128 hash) {
    long high = hash.getMostSignificantBits();
    return Long.compareUnsigned(high, firstHash) >= 0
        && Long.compareUnsigned(high, lastHash) <= 0
        && (lower.equals(Bound.FIRST) || Arrays.compareUnsigned(key, lower.key()) >= 0)
        && (upper == null || Arrays.compareUnsigned(key, upper.key()) < 0);
  }

  /** Returns whether a partition may hold keys of the slice. */
  boolean overlaps(Partitioning partitioning, int partition) {
    if (partitioning.order() == RecordOrder.HASH) {
      return Long.compareUnsigned(partitioning.firstHash(partition), lastHash) <= 0
          && Long.compareUnsigned(partitioning.lastHash(partition), firstHash) >= 0;
    }
    boolean beginsBefore =
        upper == null
            || Arrays.compareUnsigned(partitioning.lowerBound(partition), upper.key()) < 0;
    return beginsBefore
        && (partition + 1 == partitioning.count()
            || Arrays.compareUnsigned(partitioning.lowerBound(partition + 1), lower.key()) > 0);
  }

  /** Returns what {@link #parse} reads: {@code 1 of 4}, or bounds in Base64. */
  @Override
  public String toString() {
    return lower.equals(Bound.FIRST) && upper == null
        ? share.toString()
        : KEYS + lower + TO + (upper == null ? "" : upper);
  }

  /**
   * Reads what {@link #toString} writes.
   *
   * @throws IllegalArgumentException if the text is something else
   */
  public static KeySlice parse(String text) {
    if (!text.startsWith(KEYS)) {
      return ofHashes(KeyShare.parse(text));
    }
    int to = text.indexOf(TO);
    if (to < 0) {
      throw new IllegalArgumentException(
          "expected a range of keys such as 'keys YQ== to Yg==', actual '%s'".formatted(text));
    }
    Base64.Decoder decoder = Base64.getDecoder();
    String upper = text.substring(to + TO.length());
    return ofKeys(
        decoder.decode(text.substring(KEYS.length(), to)),
        upper.isEmpty() ? null : decoder.decode(upper));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof KeySlice slice
        && firstHash == slice.firstHash
        && lastHash == slice.lastHash
        && share.equals(slice.share)
        && lower.equals(slice.lower)
        && Objects.equals(upper, slice.upper);
  }

  @Override
  public int hashCode() {
    return Objects.hash(firstHash, lastHash, lower, upper);
  }
}
