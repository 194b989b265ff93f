package io.bsdb.flink.sink.shuffle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeySamplerTest {
  private static final int CAPACITY = 1_024;

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  private static long below(List<byte[]> keys, int bound) {
    return keys.stream().filter(key -> ByteBuffer.wrap(key).getInt() < bound).count();
  }

  @Test
  void everyKeyOfASmallInputIsSampled() {
    KeySampler sampler = new KeySampler(CAPACITY);
    for (int i = 0; i < 5; i++) {
      sampler.add(key(i), 100);
    }

    assertThat(sampler.keys()).containsOnly(key(0), key(1), key(2), key(3), key(4));
    assertThat(sampler.keys().size() * sampler.stride()).isEqualTo(500);
  }

  /** Half of the cost is that of one record in a hundred. */
  @Test
  void keysCountByTheCostOfTheirRecords() {
    KeySampler sampler = new KeySampler(CAPACITY);
    for (int i = 0; i < 1_000_000; i++) {
      sampler.add(key(i), i < 10_000 ? 990 : 10);
    }

    List<byte[]> keys = sampler.keys();
    assertThat(keys).hasSizeBetween(CAPACITY / 2, CAPACITY);
    assertThat(keys.size() * sampler.stride()).isCloseTo(19_800_000, within(sampler.stride()));
    assertThat((double) below(keys, 10_000) / keys.size()).isCloseTo(0.5, within(0.01));
    assertThat((double) below(keys, 505_000) / keys.size()).isCloseTo(0.75, within(0.01));
  }

  @Test
  void longKeysAreFewer() {
    KeySampler sampler = new KeySampler(1 << 16);
    for (int i = 0; i < 3_000; i++) {
      sampler.add(new byte[65_535], 65_600);
    }

    assertThat(sampler.keys()).hasSizeBetween(100, 258);
  }
}
