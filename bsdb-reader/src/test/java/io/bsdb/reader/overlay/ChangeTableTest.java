package io.bsdb.reader.overlay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A table that grows and copies of it, compared with a map through random changes. */
class ChangeTableTest {
  private static final int ROUNDS = 40;

  /** The newest change of a key. */
  private record Expected(long address, boolean isDelete) {}

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final Map<ByteBuffer, Expected> model = new HashMap<>();

  private int hashes;
  private int keys;
  private ListedRecords records = new ListedRecords(this::high);

  /** Returns one of a few hashes, spread over all. */
  private long high(byte[] key) {
    long number = Integer.toUnsignedLong(Arrays.hashCode(key) * 0x9E3779B9) % hashes;
    return (((number << 32) / hashes) << 32) | number;
  }

  private byte[] key() {
    return ByteBuffer.allocate(Integer.BYTES).putInt(random.nextInt(keys)).array();
  }

  private void change(ChangeTable table, int count) throws IOException {
    records.addSegment();
    for (int i = 0; i < count; i++) {
      byte[] key = key();
      boolean isDelete = random.nextInt(4) == 0;
      long address = records.add(key, isDelete);
      assertThat(table.put(address)).isEqualTo(high(key));
      model.put(ByteBuffer.wrap(key), new Expected(address, isDelete));
    }
  }

  private void assertSame(ChangeTable table) {
    for (int i = 0; i < keys; i++) {
      byte[] key = ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
      Expected expected = model.get(ByteBuffer.wrap(key));
      long found = Overlay.UNCHANGED;
      if (expected != null) {
        found = expected.isDelete() ? Overlay.DELETED : expected.address();
      }
      assertThat(table.find(key, high(key))).as("seed=%d key=%d", seed, i).isEqualTo(found);
    }
    assertThat(table.keys()).as("seed=%d", seed).isEqualTo(model.size());
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 300, 100_000})
  void growsAsAMap(int someHashes) throws IOException {
    hashes = someHashes;
    keys = someHashes == 3 ? 30 : 5_000; // few buckets follow the last one, and all may be full
    try (ChangeTable table = ChangeTable.growing(records)) {
      for (int round = 0; round < ROUNDS; round++) {
        change(table, random.nextInt(2 * keys / 10));
        assertSame(table);
      }
    }
  }

  /** Without the keys of folded hashes, of segments that are gone, or with all of them. */
  @ParameterizedTest
  @ValueSource(ints = {3, 300, 100_000})
  void isCopiedAsAMap(int someHashes) throws IOException {
    hashes = someHashes;
    keys = someHashes == 3 ? 30 : 5_000;
    ChangeTable table = ChangeTable.of(records, 1);
    for (int round = 0; round < ROUNDS; round++) {
      change(table, random.nextInt(2 * keys / 10));
      ChangeTable before = table;
      table =
          switch (random.nextInt(3)) {
            case 0 ->
                before.copy(
                    records, ChangeTable.Move.NONE, before.keys(), random.nextInt(2 * keys));
            case 1 -> fold(before);
            default -> withoutSegment(before);
          };
      before.close();
      assertSame(table);
    }
    table.close();
  }

  /** In steps it would take a time that grows with the square of the number of keys. */
  @Test
  void hasRoomForAllChangesOfAnotherAtOnce() throws IOException {
    hashes = 100_000;
    keys = 20_000;
    List<ChangeIndex> retired = new ArrayList<>();
    try (ChangeTable other = ChangeTable.growing(records);
        ChangeTable table = ChangeTable.of(records, 1)) {
      change(other, keys);
      table.retireTo(retired::add);
      assertThat(table.addAll(other, new Overlay.Moves(0))).isTrue();
      assertSame(table);
    } finally {
      retired.forEach(ChangeIndex::close);
    }
    assertThat(retired).hasSize(1);
  }

  private ChangeTable fold(ChangeTable table) throws IOException {
    long first = random.nextLong(1L << 32);
    long last = first + random.nextLong((1L << 32) - first);
    int through = random.nextInt(records.count());
    ChangeTable.Move move =
        (hash, address) -> {
          long high = ChangeIndex.leastHigh(hash) >>> 32;
          return high >= first && high <= last && ChangeRecords.number(address) <= through
              ? 0
              : address;
        };
    model
        .entrySet()
        .removeIf(
            entry -> {
              long high = high(entry.getKey().array()) >>> 32;
              int number = ChangeRecords.number(entry.getValue().address());
              return high >= first && high <= last && number <= through;
            });
    return table.copy(records, move, table.keys(), random.nextInt(keys));
  }

  private ChangeTable withoutSegment(ChangeTable table) throws IOException {
    int gone = random.nextInt(records.count());
    int[] left = IntStream.range(0, records.count()).filter(i -> i != gone).toArray();
    records = new ListedRecords(this::high).with(records, left);
    model.values().removeIf(change -> ChangeRecords.number(change.address()) == gone);
    model.replaceAll(
        (key, change) -> new Expected(without(gone, change.address()), change.isDelete()));
    return table.copy(
        records, (hash, address) -> without(gone, address), table.keys(), random.nextInt(keys));
  }

  private static long without(int gone, long address) {
    int number = ChangeRecords.number(address);
    if (number == gone) {
      return 0;
    }
    return ChangeRecords.address(
        number < gone ? number : number - 1, ChangeRecords.offset(address));
  }
}
