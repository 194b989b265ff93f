package io.bsdb.table.manifest;

import io.bsdb.format.SnapshotFormat;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The least key that a partition of a table in key order can have. Immutable. */
public final class Bound implements Comparable<Bound> {
  /** No bound: the partition is one of hashes. */
  public static final Bound NONE = new Bound(null);

  /** The bound of the first partition, which no key is below. */
  public static final Bound FIRST = new Bound(new byte[0]);

  private final byte @Nullable [] key;

  private Bound(byte @Nullable [] key) {
    this.key = key;
  }

  /** Creates a bound; the key is copied. */
  public static Bound of(byte[] key) {
    return key.length == 0 ? FIRST : new Bound(key.clone());
  }

  /**
   * Reads what {@link #toString} wrote.
   *
   * @throws IllegalArgumentException if it is not a key in Base64
   */
  public static Bound parse(String base64) {
    byte[] key = Base64.getDecoder().decode(base64);
    Bound bound = of(key);
    if (key.length > SnapshotFormat.MAX_KEY_LENGTH || !bound.toString().equals(base64)) {
      throw new IllegalArgumentException("too long, or not Base64");
    }
    return bound;
  }

  /** Returns whether there is a bound: whether the table is in key order. */
  public boolean isKey() {
    return key != null;
  }

  /**
   * Returns a copy of the key.
   *
   * @throws IllegalStateException if there is no bound
   */
  public byte[] key() {
    if (key == null) {
      throw new IllegalStateException("a partition of hashes has no least key");
    }
    return key.clone();
  }

  /** Compares the keys. */
  @Override
  public int compareTo(Bound other) {
    return Arrays.compareUnsigned(key(), other.key());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Bound bound && Arrays.equals(key, bound.key);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(key);
  }

  /** Returns the key in Base64; nothing if there is no bound. */
  @Override
  public String toString() {
    return key == null ? "" : Base64.getEncoder().encodeToString(key);
  }
}
