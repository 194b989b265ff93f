package io.bsdb.table;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.hash.KeyHash;
import java.math.BigInteger;

/**
 * Says which partition of a snapshot a key is in: equal ranges of the unsigned 64-bit space of the
 * high words of key hashes. Nothing else computes a partition.
 *
 * @param count number of partitions, 1 to {@link SnapshotFormat#MAX_PARTITIONS}
 */
public record Partitioning(int count) {
  public Partitioning {
    if (count < 1 || count > SnapshotFormat.MAX_PARTITIONS) {
      throw new IllegalArgumentException(
          "partitions out of range: expected 1 to %d, actual %d"
              .formatted(SnapshotFormat.MAX_PARTITIONS, count));
    }
  }

  /** Returns the partition of a key. */
  public int partition(byte[] key) {
    return partition(KeyHash.hash(key).getMostSignificantBits());
  }

  /**
   * Returns the partition of a key whose hash has this high word.
   *
   * @param high from {@link KeyHash}
   */
  public int partition(long high) {
    // The upper word of the unsigned product of both.
    return (int) (Math.multiplyHigh(high, count) + ((high >> 63) & count));
  }

  /** Returns the least high word, unsigned, of the hashes of a partition's keys. */
  public long firstHash(int partition) {
    return partition == 0 ? 0 : lastHash(partition - 1) + 1;
  }

  /** Returns the greatest high word, unsigned, of the hashes of a partition's keys. */
  public long lastHash(int partition) {
    // The least one of the next partition is 2^64 * (partition + 1) / count, rounded up.
    BigInteger next = BigInteger.valueOf(partition + 1L).shiftLeft(Long.SIZE);
    return next.subtract(BigInteger.ONE).divide(BigInteger.valueOf(count)).longValue();
  }
}
