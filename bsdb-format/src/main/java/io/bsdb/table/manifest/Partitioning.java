package io.bsdb.table.manifest;

import io.bsdb.format.Internal;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.hash.KeyHash;
import java.io.Serializable;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Says which partition of a snapshot a key is in. Nothing else computes a partition.
 *
 * <p>In hash order partitions are equal ranges of the unsigned 64-bit space of the high words of
 * key hashes; in key order they are ranges of keys. Immutable and safe for many threads.
 *
 * @hidden
 */
@Internal
public final class Partitioning implements Serializable {
  private static final long serialVersionUID = 1L;

  private final int count;

  /** The least key of each partition but the first; empty in hash order. */
  private final byte[][] bounds;

  private final RecordOrder order;

  /**
   * Divides by hash.
   *
   * @param count number of partitions, 1 to {@link SnapshotFormat#MAX_PARTITIONS}
   */
  public Partitioning(int count) {
    this(count, new byte[0][], RecordOrder.HASH);
  }

  private Partitioning(int count, byte[][] bounds, RecordOrder order) {
    if (count < 1 || count > SnapshotFormat.MAX_PARTITIONS) {
      throw new IllegalArgumentException(
          "partitions out of range: expected 1 to %d, actual %d"
              .formatted(SnapshotFormat.MAX_PARTITIONS, count));
    }
    this.count = count;
    this.bounds = bounds;
    this.order = order;
  }

  /**
   * Divides by key.
   *
   * @param bounds the least key of each partition but the first, ascending
   */
  public static Partitioning byKey(List<byte[]> bounds) {
    return new Partitioning(bounds.size() + 1, bounds.toArray(byte[][]::new), RecordOrder.KEY);
  }

  /** Returns the number of partitions. */
  public int count() {
    return count;
  }

  /** Returns what partitions are ranges of. */
  public RecordOrder order() {
    return order;
  }

  /** Returns the partition of a key. */
  public int partition(byte[] key) {
    return order == RecordOrder.KEY
        ? partitionByKey(key, key.length)
        : partition(KeyHash.hash(key).getMostSignificantBits());
  }

  /**
   * Returns the partition of a key.
   *
   * @param high upper word of the key's hash
   */
  public int partition(byte[] key, long high) {
    return partition(key, key.length, high);
  }

  /**
   * Returns the partition of a key.
   *
   * @param key begins with the key
   * @param length of the key
   * @param high upper word of the key's hash
   */
  public int partition(byte[] key, int length, long high) {
    return order == RecordOrder.KEY ? partitionByKey(key, length) : partition(high);
  }

  /**
   * Returns the partitions that may hold keys whose hashes have high words in a range: in key
   * order, all.
   *
   * @param firstHash unsigned
   * @param lastHash unsigned, included
   */
  public IntStream partitions(long firstHash, long lastHash) {
    return order == RecordOrder.KEY
        ? IntStream.range(0, count)
        : IntStream.rangeClosed(partition(firstHash), partition(lastHash));
  }

  /**
   * Returns the partition of a key whose hash has this high word. In hash order only.
   *
   * @param high from {@link KeyHash}
   */
  public int partition(long high) {
    requireHash();
    // The upper word of the unsigned product of both.
    return (int) (Math.multiplyHigh(high, count) + ((high >> 63) & count));
  }

  private int partitionByKey(byte[] key, int length) {
    int low = 0;
    int high = bounds.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      byte[] bound = bounds[middle];
      if (Arrays.compareUnsigned(bound, 0, bound.length, key, 0, length) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns the least key of a partition; empty for the first. In key order only. */
  public byte[] lowerBound(int partition) {
    return partition == 0 ? new byte[0] : bounds[partition - 1].clone();
  }

  /** Returns the least high word, unsigned, of the hashes of a partition's keys. */
  public long firstHash(int partition) {
    return partition == 0 ? 0 : lastHash(partition - 1) + 1;
  }

  /** Returns the greatest high word, unsigned, of the hashes of a partition's keys. */
  public long lastHash(int partition) {
    requireHash();
    // The least one of the next partition is 2^64 * (partition + 1) / count, rounded up.
    BigInteger next = BigInteger.valueOf(partition + 1L).shiftLeft(Long.SIZE);
    return next.subtract(BigInteger.ONE).divide(BigInteger.valueOf(count)).longValue();
  }

  private void requireHash() {
    if (order != RecordOrder.HASH) {
      throw new IllegalStateException("partitions are ranges of keys, not of hashes");
    }
  }
}
