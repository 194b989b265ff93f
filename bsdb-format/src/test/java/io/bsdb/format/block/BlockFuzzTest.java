package io.bsdb.format.block;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.KeyStorage;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.PartitionProperties;
import io.bsdb.format.PartitionProperties.Codec;
import io.bsdb.format.SectionKind;
import io.bsdb.format.SnapshotFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Block indexes and blocks of whatever bytes: what is found lies within the block, or there is an
 * exception. A reader takes an index that is out of bounds for damage, too.
 */
class BlockFuzzTest {
  private static final PartChecksum CHECKSUM = new PartChecksum(new UUID(1, 2));
  private static final long FILE_OFFSET = 5L << 40;
  private static final int INDEX_PREFIX = 12;
  private static final byte[] KEY = {'k', 'e', 'y'};

  /** How partitions hold their records. */
  private static final List<PartitionProperties> FORMS =
      List.of(
          form(KeyStorage.STORED, 3, 5, Codec.NONE),
          form(KeyStorage.STORED, -1, -1, Codec.NONE),
          form(KeyStorage.STORED, 3, -1, Codec.NONE),
          form(KeyStorage.OMITTED, -1, -1, Codec.NONE),
          form(KeyStorage.STORED, -1, -1, Codec.ZSTD));

  /** The record count, the length of all blocks, the section. */
  static List<byte[]> indexes() {
    List<byte[]> indexes = new ArrayList<>();
    for (int step : new int[] {0, 1, 13}) {
      BlockIndex.Builder builder = new BlockIndex.Builder(1);
      int rank = 0;
      long offset = 0;
      for (int block = 0; block < 200; block++) {
        builder.add(rank, offset);
        rank += 20 + (step == 0 ? 0 : block % step);
        offset += 4096 + (step == 0 ? 0 : block % (3 * step));
      }
      ByteBuffer section = builder.encode(rank, offset);
      byte[] input = new byte[INDEX_PREFIX + section.limit()];
      littleEndian(input).putInt(rank).putLong(offset).put(section);
      indexes.add(input);
    }
    return indexes;
  }

  @MethodSource("indexes")
  @FuzzTest(maxDuration = "3m")
  void index(byte[] bytes) throws IOException {
    if (bytes.length < INDEX_PREFIX) {
      return;
    }
    ByteBuffer input = littleEndian(bytes);
    int records = Math.floorMod(input.getInt(0), SnapshotFormat.MAX_PARTITION_RECORDS);
    long length = input.getLong(4) & Long.MAX_VALUE >>> 1;
    ByteBuffer section = input.slice(INDEX_PREFIX, bytes.length - INDEX_PREFIX);
    try {
      BlockIndex index = BlockIndex.open(section, records, length, 1, "f");
      assertThat(index.blockCount()).isBetween(0, records);
      for (int i = 0; i < 50 && i < records; i++) {
        index.block((int) ((long) i * records / 50));
      }
      for (int block = 0; block < 50 && block < index.blockCount(); block++) {
        index.firstRank(block);
        index.offset(block + 1);
      }
    } catch (CorruptSnapshotException e) {
      assertThat(e).hasMessageContaining("file=f");
    } catch (IndexOutOfBoundsException damage) {
      assertThat(damage).isNotNull();
    }
  }

  private static PartitionProperties form(
      KeyStorage keys, int keyLength, int valueLength, Codec codec) {
    return new PartitionProperties(
        1000, keys, keyLength, valueLength, 8, 4096, 1, codec, 1 << 20, 1 << 20, 0, 0);
  }

  /** The form, then the block from its content length on. */
  static List<byte[]> blocks() {
    List<byte[]> blocks = new ArrayList<>();
    for (int form = 0; form < FORMS.size(); form++) {
      boolean frames = FORMS.get(form).codec() == Codec.ZSTD;
      byte[] input = new byte[1 + 60];
      ByteBuffer block = littleEndian(input);
      block.put((byte) form);
      block.putInt(60).putInt(9).putShort((short) 2).putShort((short) (frames ? 1 : 0));
      block.putInt(frames ? 40 : 0).putShort((short) (frames ? 1 : 0)).putShort((short) 0);
      block.putShort((short) 4).putShort((short) 13);
      block.put((byte) 3).put(KEY).put(new byte[5]).put((byte) 3).put(KEY);
      blocks.add(input);
    }
    return blocks;
  }

  @MethodSource("blocks")
  @FuzzTest(maxDuration = "3m")
  void block(byte[] bytes) {
    if (bytes.length == 0) {
      return;
    }
    PartitionProperties form = FORMS.get(Math.floorMod(bytes[0], FORMS.size()));
    int base = 7;
    int length = SnapshotFormat.BLOCK_CONTENT_LENGTH + bytes.length - 1;
    ByteBuffer block = littleEndian(new byte[base + length + 100]);
    block.put(base + SnapshotFormat.BLOCK_CONTENT_LENGTH, bytes, 1, bytes.length - 1);
    block.putInt(
        base, CHECKSUM.of(SectionKind.BLOCKS.id(), FILE_OFFSET, block, base + 4, length - 4));
    int firstRank = length < 12 ? 0 : block.getInt(base + SnapshotFormat.BLOCK_FIRST_RANK);
    BlockReader reader = new BlockReader(form, CHECKSUM, "f");
    try {
      reader.verify(block, base, length, FILE_OFFSET, firstRank);
    } catch (CorruptSnapshotException e) {
      assertThat(e).hasMessageContaining("file=f");
      return;
    }
    int body = base + SnapshotFormat.BLOCK_HEADER_LENGTH;
    int end = body + BlockHeader.bodyLength(block, base);
    assertThat(end).isBetween(body, base + length);
    int count = BlockHeader.recordCount(block, base);
    for (int i = 0; i < count && i < 300; i++) {
      int index = i;
      if (form.codec() == Codec.ZSTD) {
        assertWithin(
            body,
            end,
            () -> reader.frame(block, base, index / BlockHeader.frameRecords(block, base)));
        continue;
      }
      assertWithin(body, end, () -> reader.record(block, body, end - body, count, index));
      long record;
      try {
        record = reader.record(block, body, end - body, count, index);
      } catch (CorruptSnapshotException | IndexOutOfBoundsException damage) {
        continue; // looked at above
      }
      int start = (int) (record >>> 32);
      int recordEnd = start + (int) record;
      assertWithin(start, recordEnd, () -> reader.key(block, record));
      assertWithin(start, recordEnd, () -> reader.value(block, record));
      assertWithin(start, recordEnd, () -> reader.value(block, record, KEY));
    }
  }

  private interface Place {
    long find() throws CorruptSnapshotException;
  }

  private static void assertWithin(int start, int end, Place place) {
    long found;
    try {
      found = place.find();
    } catch (CorruptSnapshotException e) {
      assertThat(e).hasMessageContaining("file=f");
      return;
    } catch (IndexOutOfBoundsException damage) {
      assertThat(damage).isNotNull();
      return;
    }
    if (found != BlockReader.ABSENT) {
      int offset = (int) (found >>> 32);
      int length = (int) found;
      if (offset < start || length < 0 || offset + length > end) {
        throw new AssertionError(
            "found %d bytes at %d, outside of %d to %d".formatted(length, offset, start, end));
      }
    }
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
