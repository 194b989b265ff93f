package io.bsdb.format.block;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.ZstdCompressCtx;
import io.bsdb.format.FileHeader;
import io.bsdb.format.KeyStorage;
import io.bsdb.format.PartitionProperties;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class BlockWriterTest {
  /** Keeps nothing. */
  private static final class Discarded implements BlockOutput {
    private final ByteBuffer buffer;
    private long length;

    Discarded(int capacity) {
      buffer = ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public ByteBuffer reserve(int reserved) {
      length += buffer.position();
      return buffer.clear();
    }

    @Override
    public long length() {
      return length + buffer.position();
    }
  }

  @Test
  void aLongFrameIsWrittenBeforeTheNextIsCompressed() throws Exception {
    int valueLength = 16 << 20;
    ByteBuffer source = ByteBuffer.allocate(1 + valueLength).order(ByteOrder.LITTLE_ENDIAN);
    new Random(1).nextBytes(source.array());
    BlockShape shape =
        new BlockShape(4096, 1, KeyStorage.STORED, 1, PartitionProperties.VARYING, 1, 1024);
    FileHeader header = new FileHeader(new UUID(1, 2), 64);
    Discarded output = new Discarded(valueLength + (1 << 16));
    long before = DirectMemory.used();
    try (ZstdCompressCtx compressor = new ZstdCompressCtx()) {
      BlockWriter blocks = new BlockWriter(header, shape, output, compressor, null);
      for (int i = 0; i < 3; i++) {
        blocks.add(source, 0, 1, valueLength);
      }
      assertThat(DirectMemory.used() - before).isLessThan(4 << 20);
      blocks.finish();
      assertThat(blocks.index().encode(3, output.length()).limit()).isPositive();
    }
    assertThat(output.length()).isGreaterThan(3L * valueLength);
  }
}
