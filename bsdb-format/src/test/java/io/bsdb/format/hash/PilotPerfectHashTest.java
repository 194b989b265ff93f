package io.bsdb.format.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.management.ThreadMXBean;
import io.bsdb.format.PerfectHashConstruction;
import java.io.IOException;
import java.lang.management.ManagementFactory;
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
        .isThrownBy(
            () -> PerfectHashBuilder.build(PerfectHashConstruction.PILOT, null, high, low, 100_000))
        .withMessage("no perfect hash found: the hashes are far from uniform: size=100000 seeds=8");
  }

  @Test
  void takesAsMuchSpaceAsPromised() throws IOException {
    assertThat(bitsPerKey(PerfectHashConstruction.PILOT)).isBetween(2.6, 2.65);
    assertThat(bitsPerKey(PerfectHashConstruction.PILOT_DENSE)).isBetween(2.3, 2.4);
  }

  /** All that a build allocates is more than it ever holds at once. */
  @Test
  void buildsInAsLittleMemoryAsPromised() throws IOException {
    HashedKeys keys = HashedKeys.random(2_000_000, 1);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    byte[] section = build(PerfectHashConstruction.PILOT, keys);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(allocated).isLessThan(8L * keys.size() + section.length + (4 << 20));
  }

  private static double bitsPerKey(PerfectHashConstruction construction) throws IOException {
    HashedKeys keys = HashedKeys.random(600_000, 1);
    return 8.0 * build(construction, keys).length / keys.size();
  }

  private static byte[] build(PerfectHashConstruction construction, HashedKeys keys)
      throws IOException {
    return PerfectHashBuilder.build(construction, null, keys.high(), keys.low(), keys.size());
  }
}
