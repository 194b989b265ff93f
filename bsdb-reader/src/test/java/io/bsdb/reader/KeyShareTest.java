package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.options.KeyShare;
import io.bsdb.table.manifest.Partitioning;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyShareTest {
  /** Every hash at and beside an edge of a share or of a partition. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 7, 64, 1000})
  void aShareNeedsThePartitionsOfItsHashes(int partitions) {
    for (int count : new int[] {1, 2, 3, 4, 6, 9, 128}) {
      for (int i = 0; i < count; i++) {
        assertNeedsWhatItsEdgesNeed(i, count, edge(i, count), partitions);
      }
      for (int p = 0; p < partitions; p++) {
        long edge = edge(p, partitions);
        assertNeedsWhatItsEdgesNeed(
            new Partitioning(count).partition(edge), count, edge, partitions);
      }
    }
  }

  /** About {@code 2^64 * i / n}, on the side that is not below it. */
  private static long edge(int i, int n) {
    java.math.BigInteger scaled =
        java.math.BigInteger.ONE.shiftLeft(64).multiply(java.math.BigInteger.valueOf(i));
    java.math.BigInteger size = java.math.BigInteger.valueOf(n);
    return scaled.add(size).subtract(java.math.BigInteger.ONE).divide(size).longValue();
  }

  private static void assertNeedsWhatItsEdgesNeed(int index, int count, long edge, int partitions) {
    for (long hash : new long[] {edge - 1, edge, edge + 1}) {
      KeyShare share = new KeyShare(new Partitioning(count).partition(hash), count);
      int partition = new Partitioning(partitions).partition(hash);
      assertThat(share.needs(partition, partitions))
          .as("share %s, partition %d of %d", share, partition, partitions)
          .isTrue();
    }
    assertThat(new Partitioning(count).partition(edge)).isEqualTo(index);
  }

  @Test
  void sharesThatDivideThePartitionsDoNotOverlap() {
    for (int partition = 0; partition < 8; partition++) {
      for (int index = 0; index < 4; index++) {
        assertThat(new KeyShare(index, 4).needs(partition, 8)).isEqualTo(partition / 2 == index);
      }
    }
    assertThat(KeyShare.ALL.needs(7, 8)).isTrue();
  }

  @Test
  void refusesSharesThatDoNotExist() {
    assertThatThrownBy(() -> new KeyShare(4, 4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("share of keys: expected 0<=index<count, actual index=4 count=4");
    assertThatThrownBy(() -> new KeyShare(-1, 4)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new KeyShare(0, 0)).isInstanceOf(IllegalArgumentException.class);
  }
}
