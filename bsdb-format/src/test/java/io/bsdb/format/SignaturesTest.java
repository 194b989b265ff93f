package io.bsdb.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.index.Signatures;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SignaturesTest {
  @Test
  void matchExactlyWhereTheLowBitsAreThoseOfTheHash() throws Exception {
    for (int bits = 0; bits <= 32; bits++) {
      Random random = new Random(bits);
      long[] hashes = random.longs(130).toArray();
      Signatures.Builder builder = new Signatures.Builder(hashes.length, bits);
      for (int rank = 0; rank < hashes.length; rank++) {
        builder.set(rank, hashes[rank]);
      }
      Signatures signatures = Signatures.open(builder.section(), hashes.length, bits, "f");
      for (int rank = 0; rank < hashes.length; rank++) {
        assertThat(signatures.matches(rank, hashes[rank])).isTrue();
        for (int bit = 0; bit < 64; bit++) {
          assertThat(signatures.matches(rank, hashes[rank] ^ (1L << bit)))
              .as("bit %d of %d", bit, bits)
              .isEqualTo(bit >= bits);
        }
      }
    }
  }

  @Test
  void refuseASectionOfAnotherLength() {
    ByteBuffer section = new Signatures.Builder(100, 9).section();
    for (int count : new int[] {0, 98, 102, 1 << 27}) {
      assertThatThrownBy(() -> Signatures.open(section, count, 9, "part-3"))
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessageStartingWith(
              "length of the signatures does not match their records: file=part-3 expected=");
    }
  }
}
