package io.bsdb.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpillFilesTest {
  @TempDir Path directory;

  private record Entry(ByteBuffer key, ByteBuffer value) {}

  private static Entry add(SpillFiles spill, int bucket, Random random, int valueLength)
      throws IOException {
    byte[] bytes = new byte[40 + valueLength];
    random.nextBytes(bytes);
    int keyLength = 1 + random.nextInt(20);
    spill.add(bucket, bytes, 3, keyLength, bytes, 30, valueLength);
    return new Entry(
        ByteBuffer.wrap(Arrays.copyOfRange(bytes, 3, 3 + keyLength)),
        ByteBuffer.wrap(Arrays.copyOfRange(bytes, 30, 30 + valueLength)));
  }

  @Test
  void givesBackRecordsInOrderWhateverTheBuffer() throws Exception {
    for (int bufferLength : new int[] {1, 50, 64, 1000, 1 << 20}) {
      Random random = new Random(bufferLength);
      List<List<Entry>> expected = List.of(new ArrayList<>(), new ArrayList<>());
      try (SpillFiles spill = new SpillFiles(directory, "s", 2, bufferLength)) {
        for (int i = 0; i < 2000; i++) {
          int length = i % 500 == 7 ? 10_000 : random.nextInt(100);
          expected.get(i % 2).add(add(spill, i % 2, random, length));
        }
        for (int bucket = 0; bucket < 2; bucket++) {
          assertThat(spill.records(bucket)).isEqualTo(1000);
          List<Entry> actual = new ArrayList<>();
          spill.drain(
              bucket,
              (bytes, keyOffset, keyLength, valueLength) -> {
                byte[] copy =
                    Arrays.copyOfRange(bytes, keyOffset, keyOffset + keyLength + valueLength);
                actual.add(
                    new Entry(
                        ByteBuffer.wrap(copy, 0, keyLength).slice(),
                        ByteBuffer.wrap(copy, keyLength, valueLength).slice()));
              });
          assertThat(actual).as("buffer %d", bufferLength).isEqualTo(expected.get(bucket));
        }
      }
      assertThat(directory).isEmptyDirectory();
    }
  }

  /** Records longer than what is read at once, and such as end exactly there. */
  @Test
  void drainsRecordsLongerThanAChunk() throws Exception {
    int chunk = 4 << 20;
    for (int length : new int[] {chunk - 12, chunk - 8, chunk - 5, chunk, chunk + 1, 3 * chunk}) {
      try (SpillFiles spill = new SpillFiles(directory, "s", 1, 100)) {
        byte[] value = new byte[length];
        value[length - 1] = 9;
        spill.add(0, new byte[] {1}, 0, 1, value, 0, length);
        spill.add(0, new byte[] {2}, 0, 1, new byte[] {7}, 0, 1);
        spill.add(0, new byte[] {3}, 0, 1, value, 0, length);
        List<Integer> lengths = new ArrayList<>();
        spill.drain(
            0,
            (bytes, keyOffset, keyLength, valueLength) -> {
              lengths.add(valueLength);
              assertThat(bytes[keyOffset]).isEqualTo((byte) lengths.size());
              assertThat(bytes[keyOffset + valueLength])
                  .isEqualTo((byte) (valueLength > 1 ? 9 : 7));
            });
        assertThat(lengths).containsExactly(length, 1, length);
      }
    }
  }

  @Test
  void takesABucketOnceWithAllItsBytes() throws Exception {
    try (SpillFiles spill = new SpillFiles(directory, "s", 1, 64)) {
      for (int i = 0; i < 100; i++) {
        spill.add(0, new byte[] {(byte) i}, 0, 1, new byte[i], 0, i);
      }
      ByteBuffer target = ByteBuffer.allocateDirect((int) spill.bytes(0) + 5).position(5);
      spill.take(0, target);
      assertThat(target.remaining()).isZero();
      long key = SpillFiles.varint(target, 5);
      assertThat(key >>> 32).isEqualTo(1);
      assertThat(SpillFiles.varint(target, (int) key) >>> 32).isZero();
      assertThat(directory).isEmptyDirectory();
    }
  }

  @Test
  void littleDataNeverReachesTheDisk() throws Exception {
    Path absent = directory.resolve("absent");
    try (SpillFiles spill = new SpillFiles(absent, "s", 4, 1 << 16)) {
      for (int i = 0; i < 1000; i++) {
        spill.add(i % 4, new byte[] {1}, 0, 1, new byte[8], 0, 8);
      }
      assertThat(absent).doesNotExist();
      assertThat(spill.bytes(0)).isEqualTo(250 * 11);
    }
  }

  @Test
  void aDirectoryThatCannotBeMadeIsNamed() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "");
    try (SpillFiles spill = new SpillFiles(file.resolve("below"), "s", 1, 10)) {
      spill.add(0, new byte[] {1}, 0, 1, new byte[8], 0, 8);
      assertThatThrownBy(() -> spill.add(0, new byte[] {1}, 0, 1, new byte[8], 0, 8))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(file.toString());
    }
  }
}
