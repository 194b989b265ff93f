package io.bsdb.format.hash;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.format.PerfectHashConstruction;
import it.unimi.dsi.bits.BitVector;
import it.unimi.dsi.bits.LongArrayBitVector;
import it.unimi.dsi.bits.TransformationStrategies;
import it.unimi.dsi.sux4j.io.BucketedHashStore;
import it.unimi.dsi.sux4j.mph.GOVMinimalPerfectHashFunction;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class Sux4jPerfectHashTest {

  private static final long SEED = Long.getLong("bsdb.test.seed", System.nanoTime());

  @TempDir Path temporaryDirectory;

  @Test
  void ranksAsSux4jItself() throws IOException {
    for (int size : new int[] {1, 2, 10, 1_499, 1_500, 100_000}) {
      HashedKeys keys = HashedKeys.random(size, SEED);
      GOVMinimalPerfectHashFunction<BitVector> expected = sux4j(keys);
      PerfectHash actual =
          PerfectHash.open(
              ByteBuffer.wrap(
                  PerfectHashBuilder.build(
                      PerfectHashConstruction.SUX4J,
                      temporaryDirectory,
                      keys.high(),
                      keys.low(),
                      size)));
      for (int i = 0; i < size; i++) {
        long high = keys.high()[i];
        long low = keys.low()[i];
        assertThat(actual.rank(high, low)).isEqualTo((int) expected.getLong(bits(high, low)));
      }
      HashedKeys absent = HashedKeys.random(10_000, SEED + 1);
      for (int i = 0; i < absent.size(); i++) {
        long high = absent.high()[i];
        long low = absent.low()[i];
        int rank = (int) expected.getLong(bits(high, low));
        assertThat(actual.rank(high, low)).isEqualTo(rank < 0 ? size - 1 : rank);
      }
    }
  }

  private GOVMinimalPerfectHashFunction<BitVector> sux4j(HashedKeys keys) throws IOException {
    try (BucketedHashStore<BitVector> store =
        new BucketedHashStore<>(TransformationStrategies.identity(), temporaryDirectory.toFile())) {
      for (int i = 0; i < keys.size(); i++) {
        store.add(bits(keys.high()[i], keys.low()[i]));
      }
      return new GOVMinimalPerfectHashFunction.Builder<BitVector>().store(store).build();
    }
  }

  private static BitVector bits(long high, long low) {
    return LongArrayBitVector.wrap(new long[] {high, low}, 128);
  }
}
