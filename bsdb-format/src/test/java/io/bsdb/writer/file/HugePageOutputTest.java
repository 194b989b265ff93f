package io.bsdb.writer.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.storage.TableStorage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class HugePageOutputTest {
  private static final int HUGE_PAGE = 2 << 20;

  /** Keeps what is written, and how; takes a part of it at times. */
  private static final class Kept implements TableStorage.Output {
    final Random random;
    final ByteArrayOutputStream content = new ByteArrayOutputStream();
    int writes;
    boolean committed;

    Kept(Random random) {
      this.random = random;
    }

    @Override
    public int write(ByteBuffer bytes) {
      int length = random.nextInt(8) == 0 ? bytes.remaining() / 2 : bytes.remaining();
      writes++;
      byte[] taken = new byte[length];
      bytes.get(taken);
      content.writeBytes(taken);
      return length;
    }

    @Override
    public void commit() {
      committed = true;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  @Test
  void writesWholeHugePages() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Kept kept = new Kept(random);
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    try (HugePageOutput output = new HugePageOutput(kept)) {
      while (expected.size() < 9 * HUGE_PAGE) {
        byte[] bytes = new byte[random.nextInt(random.nextInt(10) == 0 ? 5_000_000 : 300_000)];
        random.nextBytes(bytes);
        if (random.nextBoolean()) {
          output.write(ByteBuffer.wrap(bytes));
        } else {
          output.reserve(bytes.length).put(bytes);
        }
        expected.writeBytes(bytes);
        assertThat(output.position()).as("seed %d", seed).isEqualTo(expected.size());
        assertThat(kept.content.size() % HUGE_PAGE).as("seed %d", seed).isZero();
      }
      output.commit();
      CRC32C checksum = new CRC32C();
      checksum.update(expected.toByteArray());
      assertThat(output.checksum()).isEqualTo((int) checksum.getValue());
    }
    assertThat(kept.committed).isTrue();
    assertThat(kept.writes).isLessThan(9 * 4);
    assertThat(kept.content.toByteArray()).as("seed %d", seed).isEqualTo(expected.toByteArray());
  }
}
