package io.bsdb.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.PartitionProperties.Codec;
import io.bsdb.format.block.BlockIndex;
import io.bsdb.format.block.BlockReader;
import io.bsdb.format.index.OrderIndex;
import io.bsdb.format.index.OrderVerifier;
import io.bsdb.format.index.Positions;
import io.bsdb.format.index.RecordHeads;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sections of key order, with checksums that are right and contents that are not. */
class OrderSectionsTest {
  private static final int RECORDS = 100;

  /** Blocks of one record each, so that the tree has two levels. */
  private static final List<byte[]> KEYS =
      IntStream.range(0, RECORDS).mapToObj(i -> "key-%03d".formatted(i).getBytes(UTF_8)).toList();

  private static final PartitionProperties PROPERTIES =
      new PartitionProperties(
          RECORDS, KeyStorage.STORED, 7, 0, 8, 4096, 1, Codec.NONE, 0, 4096, 7 * RECORDS, 0);

  private static BlockIndex.Builder blocks() {
    BlockIndex.Builder blocks = new BlockIndex.Builder(1);
    for (int i = 0; i < RECORDS; i++) {
      blocks.add(i, 31L * i);
    }
    return blocks;
  }

  private static BlockIndex index() throws CorruptSnapshotException {
    return BlockIndex.open(
        blocks().encode(RECORDS, 31L * RECORDS), RECORDS, 31L * RECORDS, 1, "file");
  }

  private static OrderIndex open(ByteBuffer section) throws CorruptSnapshotException {
    BlockReader reader = new BlockReader(PROPERTIES, new PartChecksum(new UUID(1, 2)), "file");
    return OrderIndex.open(section, PROPERTIES, index(), reader, null, "file");
  }

  private static ByteBuffer order() {
    return OrderIndex.encode(KEYS::get, RECORDS, blocks());
  }

  @Test
  void aSearchEndsAtTheBlockWithoutAComparison() throws Exception {
    OrderIndex order = open(order());
    assertThat(order.first()).isEqualTo(KEYS.get(0));
    assertThat(order.last()).isEqualTo(KEYS.get(RECORDS - 1));
    for (int i = 0; i < RECORDS; i++) {
      byte[] key = KEYS.get(i);
      assertThat(order.side(key)).isZero();
      OrderIndex.Search search = order.search(key);
      assertThat(search.undecided()).isEqualTo(-1); // heads hold all of the keys
      assertThat(search.block()).isEqualTo(i);
    }
  }

  @Test
  void refusesAnOrderIndexThatContradictsItself() throws Exception {
    int head = 16 + 14 + 2 + 8; // of the second entry of the root
    ByteBuffer descending = order();
    descending.putLong(head, 0);
    assertThatThrownBy(() -> open(descending))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessage("order index descends: file=file");
    ByteBuffer otherKeys = order();
    otherKeys.put(16, (byte) 'z');
    assertThatThrownBy(() -> open(otherKeys)).isInstanceOf(CorruptSnapshotException.class);
    for (int field : new int[] {0, 4, 8}) {
      for (int value : new int[] {0, -1, 99, 65_536, Integer.MAX_VALUE}) {
        ByteBuffer forged = order();
        forged.putInt(field, value);
        assertThatThrownBy(() -> open(forged))
            .as("%d at %d", value, field)
            .isInstanceOf(CorruptSnapshotException.class);
      }
    }
    for (int length = 0; length < order().limit(); length++) {
      ByteBuffer cut = order().slice(0, length);
      assertThatThrownBy(() -> open(cut)).isInstanceOf(CorruptSnapshotException.class);
    }
  }

  @Test
  void refusesPositionsOutOfRange() throws Exception {
    int[] numbers = IntStream.range(0, RECORDS).map(i -> (7 * i) % RECORDS).toArray();
    Positions positions = Positions.open(Positions.encode(numbers, RECORDS), RECORDS, "file");
    for (int rank = 0; rank < RECORDS; rank++) {
      assertThat(positions.get(rank)).isEqualTo(numbers[rank]);
    }
    numbers[41] = RECORDS;
    assertThatThrownBy(() -> Positions.open(Positions.encode(numbers, RECORDS), RECORDS, "file"))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessage("position out of range: file=file rank=41 expected<100 actual=100");
    ByteBuffer one = Positions.encode(new int[1], 1);
    assertThat(Positions.open(one, 1, "file").get(0)).isZero();
    assertThatThrownBy(() -> Positions.open(one, 2, "file"))
        .isInstanceOf(CorruptSnapshotException.class);
  }

  @Test
  void refusesHeadsThatDescend() throws Exception {
    BlockIndex.Builder two = new BlockIndex.Builder(1);
    two.add(0, 0);
    two.add(50, 1000);
    BlockIndex index = BlockIndex.open(two.encode(RECORDS, 2000), RECORDS, 2000, 1, "file");
    ByteBuffer section = RecordHeads.encode(KEYS::get, RECORDS, two);
    RecordHeads.open(section, RECORDS, index, "file");
    ByteBuffer descending = RecordHeads.encode(KEYS::get, RECORDS, two);
    descending.put(4, (byte) 0xFF).put(5, (byte) 0xFF);
    assertThatThrownBy(() -> RecordHeads.open(descending, RECORDS, index, "file"))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageStartingWith("heads descend: file=file block=0");
    assertThatThrownBy(
            () -> RecordHeads.open(section.slice(0, section.limit() - 1), RECORDS, index, "file"))
        .isInstanceOf(CorruptSnapshotException.class);
  }

  /** A key that shares much with others: prefixes, zeros at the end, and differences far in. */
  private static byte[] key(Random random, int shared) {
    byte[] key = new byte[shared + 1 + random.nextInt(12)];
    for (int i = shared; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(3) - 1);
    }
    return key;
  }

  /** Full nodes and such of one entry, of one level to three. */
  @ParameterizedTest
  @CsvSource({"1, 0", "2, 65520", "16, 9", "17, 0", "256, 3", "257, 9"})
  void theVerifierAcceptsWhatIsWrittenAndNothingElse(int blockCount, int shared) throws Exception {
    Random random = new Random(blockCount);
    TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
    while (keys.size() < 3 * blockCount - 2) { // one in the last block
      keys.add(key(random, shared));
    }
    List<byte[]> all = List.copyOf(keys);
    int count = all.size();
    BlockIndex.Builder blocks = new BlockIndex.Builder(1);
    for (int i = 0; i < blockCount; i++) {
      blocks.add(3 * i, 90L * i);
    }
    long length = 90L * blockCount;
    BlockIndex index = BlockIndex.open(blocks.encode(count, length), count, length, 1, "file");
    ByteBuffer order = OrderIndex.encode(all::get, count, blocks);
    ByteBuffer heads = RecordHeads.encode(all::get, count, blocks);
    OrderIndex written = verified(order, heads, index, all);
    for (int i = 0; i < 1000; i++) {
      byte[] absent = key(random, shared);
      if (written.side(absent) == 0) {
        OrderIndex.Search search = written.search(absent);
        for (int block = search.undecided(); block >= 0; block = search.undecided()) {
          search.decide(Arrays.compareUnsigned(all.get(3 * block), absent) > 0);
        }
        assertThat(search.block()).isEqualTo((keys.headSet(absent, true).size() - 1) / 3);
      }
    }
    for (int i = 0; i < 200; i++) {
      boolean ofOrder = random.nextBoolean();
      ByteBuffer section = ofOrder ? order : heads;
      int nodes = order.limit() - 2 * ((blockCount + 14) / 15); // skips of at least these
      int at =
          ofOrder
              ? nodes + random.nextInt(order.limit() - nodes)
              : random.nextInt(2 * blockCount + 15 * count / 8);
      byte changed = (byte) (section.get(at) ^ 1 << random.nextInt(8));
      byte sound = section.get(at);
      section.put(at, changed);
      assertThatThrownBy(() -> verified(order, heads, index, all))
          .as("%s at %d", ofOrder ? "order index" : "heads", at)
          .isInstanceOf(CorruptSnapshotException.class);
      section.put(at, sound);
    }
  }

  private static OrderIndex verified(
      ByteBuffer order, ByteBuffer heads, BlockIndex index, List<byte[]> keys)
      throws CorruptSnapshotException {
    PartitionProperties properties =
        new PartitionProperties(
            keys.size(), KeyStorage.STORED, -1, 0, 8, 4096, 1, Codec.ZSTD, 1, 4096, 1, 0);
    BlockReader reader = new BlockReader(properties, new PartChecksum(new UUID(1, 2)), "file");
    RecordHeads opened = RecordHeads.open(heads, keys.size(), index, "file");
    OrderIndex section = OrderIndex.open(order, properties, index, reader, opened, "file");
    OrderVerifier verifier = section.verifier();
    for (byte[] key : keys) {
      verifier.accept(key, 0);
    }
    verifier.end(0);
    return section;
  }
}
