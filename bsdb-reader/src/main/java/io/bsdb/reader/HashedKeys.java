package io.bsdb.reader;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.Internal;
import io.bsdb.format.hash.KeyHash;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one lookup with their hashes, and the answers as far as they are known: each layer of
 * a table answers what it can. Used by one thread at a time.
 *
 * @hidden
 */
@Internal
public final class HashedKeys {
  private final byte[][] keys;
  private final long[] high;
  private final long[] low;
  private final boolean[] answered;
  private final byte[] @Nullable [] values;

  /** Hashes keys; neither the list nor one of them may be null. */
  public HashedKeys(List<byte[]> keys) {
    requireNonNull(keys);
    int count = keys.size();
    this.keys = keys.toArray(byte[][]::new);
    this.high = new long[count];
    this.low = new long[count];
    this.answered = new boolean[count];
    this.values = new byte[count] @Nullable [];
    for (int i = 0; i < count; i++) {
      HashValue128 hash = KeyHash.hash(this.keys[i]);
      high[i] = hash.getMostSignificantBits();
      low[i] = hash.getLeastSignificantBits();
    }
  }

  /** Checks that neither the list nor one of its keys is null. */
  private static void requireNonNull(List<byte[]> keys) {
    Objects.requireNonNull(keys, "keys");
    int index = 0;
    for (byte[] key : keys) {
      if (key == null) {
        throw new NullPointerException("keys[%d]".formatted(index));
      }
      index++;
    }
  }

  /** Returns the number of keys. */
  public int size() {
    return values.length;
  }

  /** Returns a key. */
  public byte[] key(int index) {
    return keys[index];
  }

  /** Returns the high word of the hash of a key. */
  public long high(int index) {
    return high[index];
  }

  long low(int index) {
    return low[index];
  }

  /** Returns whether a key has been answered: the layers below need not look for it. */
  boolean isAnswered(int index) {
    return answered[index];
  }

  /**
   * Answers a key.
   *
   * @param value null: absent
   */
  public void answer(int index, byte @Nullable [] value) {
    answered[index] = true;
    values[index] = value;
  }

  /** Returns the answers, in the order of the keys; null for absent keys. */
  public List<byte @Nullable []> values() {
    return Arrays.asList(values);
  }

  /** Returns how many keys have a value. */
  int hits() {
    int hits = 0;
    for (byte[] value : values) {
      hits += value == null ? 0 : 1;
    }
    return hits;
  }
}
