package io.bsdb.format.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockIndexTest {
  private static final int BLOCK_COUNT = 0;
  private static final int UNIFORM_RECORDS = 4;
  private static final int UNIFORM_LENGTH = 8;
  private static final int BLOCKS_LENGTH = 16;

  /** Blocks with these record counts and lengths. */
  @SuppressWarnings("ArrayRecordComponent") // compared by content here, never as a record
  private record Model(int[] records, long[] lengths) {
    int recordCount() {
      int sum = 0;
      for (int count : records) {
        sum += count;
      }
      return sum;
    }

    long length() {
      long sum = 0;
      for (long each : lengths) {
        sum += each;
      }
      return sum;
    }

    ByteBuffer encode(int alignment) {
      BlockIndex.Builder builder = new BlockIndex.Builder(alignment);
      int rank = 0;
      long offset = 0;
      for (int i = 0; i < records.length; i++) {
        builder.add(rank, offset);
        rank += records[i];
        offset += lengths[i];
      }
      return builder.encode(rank, offset);
    }

    void assertDescribedBy(BlockIndex index, String name) {
      assertThat(index.blockCount()).as(name).isEqualTo(records.length);
      int rank = 0;
      long offset = 0;
      for (int block = 0; block < records.length; block++) {
        assertThat(index.firstRank(block)).as("%s, block %d", name, block).isEqualTo(rank);
        assertThat(index.offset(block)).as("%s, block %d", name, block).isEqualTo(offset);
        for (int i = 0; i < records[block]; i += Math.max(1, records[block] / 5)) {
          assertThat(index.block(rank + i)).as("%s, rank %d", name, rank + i).isEqualTo(block);
        }
        assertThat(index.block(rank + records[block] - 1)).as(name).isEqualTo(block);
        rank += records[block];
        offset += lengths[block];
      }
      assertThat(index.offset(records.length)).as(name).isEqualTo(offset);
      assertThat(index.firstRank(records.length)).as(name).isEqualTo(rank);
    }
  }

  private static Model random(Random random, int alignment) {
    int blocks = 1 + random.nextInt(random.nextBoolean() ? 5 : 400);
    boolean sameRecords = random.nextBoolean();
    boolean sameLength = random.nextBoolean();
    int usualRecords = 1 + random.nextInt(100);
    long usualLength = (long) alignment * (1 + random.nextInt(20));
    int[] records = new int[blocks];
    long[] lengths = new long[blocks];
    for (int i = 0; i < blocks; i++) {
      boolean last = i == blocks - 1;
      records[i] =
          last || !sameRecords ? 1 + random.nextInt(last ? usualRecords : 200) : usualRecords;
      lengths[i] =
          last || !sameLength ? (long) alignment * (1 + random.nextInt(50_000)) : usualLength;
    }
    return new Model(records, lengths);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4096})
  void findsTheBlockOfEveryRank(int alignment) throws Exception {
    for (int seed = 0; seed < 300; seed++) {
      Model model = random(new Random(seed), alignment);
      BlockIndex index =
          BlockIndex.open(
              model.encode(alignment), model.recordCount(), model.length(), alignment, "f");
      model.assertDescribedBy(index, "seed=" + seed);
    }
  }

  @Test
  void isOnlyAHeaderWhereBlocksAreAlike() throws Exception {
    Model model = new Model(new int[] {40, 40, 40, 3}, new long[] {4096, 4096, 4096, 4096});
    ByteBuffer section = model.encode(4096);
    assertThat(section.limit()).isEqualTo(24);
    BlockIndex index = BlockIndex.open(section, 123, 4 * 4096, 4096, "f");
    assertThat(index.uniformRecords()).isEqualTo(40);
    model.assertDescribedBy(index, "uniform");
  }

  @Test
  void aSingleBlockMayBeShorterThanTheUniformLength() throws Exception {
    Model model = new Model(new int[] {3}, new long[] {100});
    ByteBuffer section = model.encode(1).putLong(UNIFORM_LENGTH, 4096);
    model.assertDescribedBy(BlockIndex.open(section, 3, 100, 1, "f"), "one block");
  }

  @Test
  void aLastBlockWithMoreRecordsThanTheOthersIsFound() throws Exception {
    Model model = new Model(new int[] {3, 3, 9}, new long[] {100, 100, 700});
    BlockIndex index = BlockIndex.open(model.encode(1), 15, 900, 1, "f");
    assertThat(index.uniformRecords()).isZero();
    model.assertDescribedBy(index, "large last block");
  }

  @Test
  void addressesMoreThanFourGibibytes() throws Exception {
    int[] records = new int[3000];
    long[] lengths = new long[3000];
    for (int i = 0; i < 3000; i++) {
      records[i] = 1 + i % 2;
      lengths[i] = (1 + i % 3) * (100L << 20);
    }
    Model model = new Model(records, lengths);
    assertThat(model.length()).isGreaterThan(500L << 30);
    model.assertDescribedBy(
        BlockIndex.open(model.encode(4096), model.recordCount(), model.length(), 4096, "f"),
        "large");
  }

  @Test
  void refusesFiguresThatContradictTheFile() {
    Model model = random(new Random(3), 1);
    int records = model.recordCount();
    long length = model.length();
    assertRefused(model.encode(1), records + 1_000_000, length + 1);
    assertRefused(model.encode(1), records, length - 1);
    assertRefused(model.encode(1), 0, length);
    assertRefused(model.encode(1).putInt(BLOCK_COUNT, -1), records, length);
    assertRefused(model.encode(1).putInt(BLOCK_COUNT, 0), records, length);
    assertRefused(model.encode(1).putInt(BLOCK_COUNT, Integer.MAX_VALUE), records, length);
    assertRefused(model.encode(1).putInt(UNIFORM_RECORDS, -1), records, length);
    assertRefused(model.encode(1).putInt(UNIFORM_RECORDS, 1), records, length);
    assertRefused(model.encode(1).putLong(UNIFORM_LENGTH, -1), records, length);
    assertRefused(model.encode(1).putLong(BLOCKS_LENGTH, length + 1), records, length);
    Model two = new Model(new int[] {3, 3}, new long[] {100, 100});
    assertRefused(two.encode(1).putLong(UNIFORM_LENGTH, 201), 6, 200);
    assertRefused(two.encode(1).putLong(UNIFORM_LENGTH, Long.MAX_VALUE), 6, 200);
  }

  @Test
  void refusesFirstRanksOutOfOrder() {
    int[][] firsts = {{1, 3, 9}, {0, 3, 3}, {0, 3, 10}};
    for (int[] ranks : firsts) {
      BlockIndex.Builder builder = new BlockIndex.Builder(1);
      for (int i = 0; i < 3; i++) {
        builder.add(ranks[i], 100L * i);
      }
      assertThatThrownBy(() -> BlockIndex.open(builder.encode(10, 300), 10, 300, 1, "part-3"))
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessageContaining("first rank out of order: file=part-3");
    }
  }

  @Test
  void findsBlocksWhereRecordsSuddenlyGrow() throws Exception {
    int[] records = new int[2000];
    long[] lengths = new long[2000];
    for (int i = 0; i < 2000; i++) {
      records[i] = i < 100 ? 3000 : i < 1500 ? 1 : 2 + i % 2;
      lengths[i] = 4096;
    }
    Model model = new Model(records, lengths);
    model.assertDescribedBy(
        BlockIndex.open(model.encode(4096), model.recordCount(), model.length(), 4096, "f"),
        "skewed");
  }

  private static void assertRefused(ByteBuffer section, int records, long length) {
    assertThatThrownBy(() -> BlockIndex.open(section, records, length, 1, "part-3"))
        .isInstanceOfAny(CorruptSnapshotException.class, IndexOutOfBoundsException.class)
        .satisfies(
            e -> {
              if (e instanceof CorruptSnapshotException) {
                assertThat(e).hasMessageContaining("file=part-3");
              }
            });
  }

  @Test
  void refusesEveryTruncation() {
    Model model = random(new Random(5), 1);
    ByteBuffer section = model.encode(1);
    for (int end = 0; end < section.limit(); end++) {
      assertRefused(
          section.slice(0, end).order(ByteOrder.LITTLE_ENDIAN),
          model.recordCount(),
          model.length());
    }
  }
}
