package io.bsdb.reader.overlay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChangeIndexTest {
  private static final long PART = 5;

  /** Returns whether one of the entries with a key's tag has an address. */
  private static boolean has(ChangeIndex index, long hash, long address) {
    int position = index.next(index.start(hash), hash);
    while (position >= 0) {
      if (index.address(position) == address) {
        return true;
      }
      position = index.next(position + Long.BYTES, hash);
    }
    return false;
  }

  /** Returns the hashes of keys, of which the one with the address a is at a - 1. */
  private static long[] hashes(int keys, int partBits, Random random) {
    int bits = ChangeIndex.HASH_BITS - partBits;
    long first = partBits == 0 ? 0 : PART << bits;
    return random.longs(keys, first, first + (1L << bits)).toArray();
  }

  /** Counts keys that are hashed again. */
  private static final class Hashes extends ChangeRecords {
    private final long[] hashes;
    private int asked;

    Hashes(long... hashes) {
      super(List.of());
      this.hashes = hashes;
    }

    @Override
    long high(long address) {
      asked++;
      return ChangeIndex.leastHigh(hashes[(int) address - 1]);
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "50, 0", "3000, 0", "40000, 0", "400000, 0", "50, 6", "3000, 6"})
  void findsTheSameAfterItIsCopiedIntoOthers(int keys, int partBits) throws IOException {
    Random random = new Random(keys); // always the same, as numbers of collisions are asserted
    long[] hashes = hashes(keys, partBits, random);
    Hashes records = new Hashes(hashes);
    ChangeIndex index = ChangeIndex.create(keys / 6, partBits, partBits == 0 ? 0 : PART);
    for (int i = 0; i < keys; i++) {
      if (!index.hasRoom(1)) {
        ChangeIndex full = index;
        index = full.copy(full.keys() + full.keys() / 3 + 1, records, ChangeTable.Move.NONE);
        full.close();
      }
      assertThat(index.add(hashes[i], i + 1)).isTrue();
    }
    records.asked = 0;
    try (ChangeIndex all = index;
        ChangeIndex half =
            all.copy(keys, records, (hash, address) -> address % 2 == 0 ? 0 : address + 7)) {
      assertThat(all.keys()).isEqualTo(keys);
      assertThat(half.keys()).isEqualTo((keys + 1) / 2);
      for (int i = 0; i < keys; i++) {
        assertThat(all.mayContain(hashes[i]) && has(all, hashes[i], i + 1)).isTrue();
        if (i % 2 == 0) {
          assertThat(half.mayContain(hashes[i]) && has(half, hashes[i], i + 8)).isTrue();
        }
      }
      int passed = 0;
      for (long hash : hashes(100_000, partBits, random)) {
        passed += all.mayContain(hash) ? 1 : 0;
      }
      assertThat(passed).as("keys that the filter does not rule out").isLessThan(4_000);
    }
    if (keys == 400_000 || (keys == 3_000 && partBits > 0)) {
      assertThat(records.asked).as("keys hashed again").isLessThan(keys / 100 + 1);
    }
  }
}
