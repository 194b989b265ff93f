package io.bsdb.reader.overlay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChangeIndexTest {
  /** Returns whether one of the entries with a key's tag has an address. */
  private static boolean has(ChangeIndex index, long high, long address) {
    int position = index.next(index.start(high), high);
    while (position >= 0) {
      if (index.address(position) == address) {
        return true;
      }
      position = index.next(position + Long.BYTES, high);
    }
    return false;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 50, 3_000, 40_000, 400_000})
  void findsTheSameAfterItIsCopiedIntoOthers(int keys) throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    long[] highs = random.longs(keys).toArray(); // the key with the address a has highs[a - 1]
    ChangeIndex index = ChangeIndex.create(keys / 6);
    AtomicInteger asked = new AtomicInteger();
    for (int i = 0; i < keys; i++) {
      if (!index.hasRoom(1)) {
        ChangeIndex full = index;
        index =
            full.copy(
                full.keys() + full.keys() / 3 + 1,
                address -> address,
                address -> highs[(int) address - 1]);
        full.close();
      }
      long high = highs[i];
      int position = index.next(index.start(high), high);
      while (position >= 0) { // another key with the same tag
        position = index.next(position + Long.BYTES, high);
      }
      index.add(~position, high, i + 1);
    }
    try (ChangeIndex all = index;
        ChangeIndex half =
            all.copy(
                keys,
                address -> address % 2 == 0 ? 0 : address + 7,
                address -> {
                  asked.incrementAndGet();
                  return highs[(int) address - 1];
                })) {
      assertThat(all.keys()).as("seed %d", seed).isEqualTo(keys);
      assertThat(half.keys()).isEqualTo((keys + 1) / 2);
      for (int i = 0; i < keys; i++) {
        assertThat(all.mayContain(highs[i]) && has(all, highs[i], i + 1)).isTrue();
        if (i % 2 == 0) {
          assertThat(half.mayContain(highs[i]) && has(half, highs[i], i + 8)).isTrue();
        }
      }
      int passed = 0;
      for (int i = 0; i < 100_000; i++) {
        passed += all.mayContain(random.nextLong()) ? 1 : 0;
      }
      assertThat(passed).as("keys that the filter does not rule out").isLessThan(4_000);
    }
    if (keys == 400_000) {
      assertThat(asked.get()).as("records read").isLessThan(keys / 100);
    }
  }
}
