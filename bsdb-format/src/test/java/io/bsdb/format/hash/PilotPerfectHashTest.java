package io.bsdb.format.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PilotPerfectHashTest {

  @Test
  void endsWithAnErrorIfNoSeedHelps() {
    // All inputs fall into one part, under every seed: only 24 bits in the middle of the mix vary.
    long[] high = new long[100_000];
    Arrays.setAll(high, i -> (long) i << 40);
    long[] low = new long[high.length];
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PerfectHashBuilder.of(PerfectHashKind.PILOT).build(high, low, 100_000))
        .withMessage("no perfect hash found: the hashes are far from uniform: size=100000 seeds=8");
  }

  @Test
  void takesAsMuchSpaceAsPromised() throws IOException {
    assertThat(bitsPerKey(PilotDensity.STANDARD)).isBetween(2.6, 2.65);
    assertThat(bitsPerKey(PilotDensity.DENSE)).isBetween(2.3, 2.4);
  }

  private static double bitsPerKey(PilotDensity density) throws IOException {
    HashedKeys keys = HashedKeys.random(600_000, 1);
    byte[] section =
        PerfectHashBuilder.of(PerfectHashKind.PILOT)
            .density(density)
            .build(keys.high(), keys.low(), keys.size());
    return 8.0 * section.length / keys.size();
  }
}
