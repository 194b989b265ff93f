package io.bsdb.writer.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeySorterTest {
  private static final long SEED = 7;

  @ParameterizedTest
  @ValueSource(strings = {"random", "few bytes", "prefixes", "equal", "long ties", "one", "none"})
  void sortsAsAComparisonDoesAndKeepsEqualKeysInTheirOrder(String kind) {
    Random random = new Random(SEED);
    List<byte[]> keys = new ArrayList<>();
    int count =
        switch (kind) {
          case "none" -> 0;
          case "one" -> 1;
          case "prefixes" -> 3000;
          default -> 20_000;
        };
    byte[] tie = new byte[40];
    for (int i = 0; i < count; i++) {
      byte[] key =
          switch (kind) {
            case "equal" -> new byte[20];
            case "prefixes" -> new byte[1 + random.nextInt(3000)];
            case "long ties" -> Arrays.copyOf(tie, 40 + random.nextInt(9));
            default -> new byte[1 + random.nextInt(20)];
          };
      if (kind.equals("random")) {
        random.nextBytes(key);
      } else if (kind.equals("few bytes")) {
        for (int k = 0; k < key.length; k++) {
          key[k] = (byte) -random.nextInt(2);
        }
      }
      keys.add(key);
    }
    byte[] data = new byte[keys.stream().mapToInt(key -> key.length + 12).sum()];
    int[] starts = new int[count];
    int position = 0;
    for (int i = 0; i < count; i++) {
      starts[i] = position;
      byte[] key = keys.get(i);
      position = SpillFiles.putVarint(data, position, key.length);
      position = SpillFiles.putVarint(data, position, 0);
      System.arraycopy(key, 0, data, position, key.length);
      position += key.length;
    }
    int[] sorted = starts.clone();
    KeySorter.sort(data, sorted, count);
    List<Integer> expected = new ArrayList<>(Arrays.stream(starts).boxed().toList());
    expected.sort((a, b) -> Arrays.compareUnsigned(key(data, a), key(data, b)));
    assertThat(Arrays.stream(sorted).boxed().toList()).isEqualTo(expected);
  }

  private static byte[] key(byte[] data, int start) {
    ByteBuffer buffer = ByteBuffer.wrap(data);
    long key = SpillFiles.varint(buffer, start);
    int from = (int) SpillFiles.varint(buffer, (int) key);
    return Arrays.copyOfRange(data, from, from + (int) (key >>> 32));
  }
}
