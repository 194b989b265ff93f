package io.bsdb.format.hash;

import static org.assertj.core.api.Assertions.assertThat;

import com.dynatrace.hash4j.hashing.Hashing;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeyHashTest {
  static IntStream lengths() {
    return IntStream.rangeClosed(0, 40);
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void isXxh3OfAnyLength(int length) {
    SplittableRandom random = new SplittableRandom(length);
    byte[] bytes = new byte[60];
    for (int i = 0; i < 10_000; i++) {
      random.nextBytes(bytes);
      int offset = random.nextInt(bytes.length - length + 1);

      assertThat(KeyHash.hash(bytes, offset, length))
          .as("offset %d of %s", offset, bytes)
          .isEqualTo(Hashing.xxh3_128().hashBytesTo128Bits(bytes, offset, length));
    }
  }
}
