package io.bsdb.writer.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.block.DirectMemory;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
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
          assertThat(spill.records(bucket, bucket + 1)).isEqualTo(1000);
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

  /** Buckets of which none, some, or all have reached the disk. */
  @Test
  void loadsBucketsOneBehindTheOther() throws Exception {
    for (int bufferLength : new int[] {64, 150, 1 << 16}) {
      try (SpillFiles spill = new SpillFiles(directory, "s", 4, bufferLength)) {
        for (int bucket = 0; bucket < 4; bucket++) {
          for (int i = 0; i < 10 * bucket; i++) {
            spill.add(bucket, new byte[] {(byte) (100 * bucket + i)}, 0, 1, new byte[i], 0, i);
          }
        }
        assertThat(keys(spill.load(0, 1))).isEmpty();
        List<Byte> expected = new ArrayList<>();
        for (int bucket = 1; bucket < 4; bucket++) {
          for (int i = 0; i < 10 * bucket; i++) {
            expected.add((byte) (100 * bucket + i));
          }
        }
        assertThat(keys(spill.load(1, 4))).as("buffer %d", bufferLength).isEqualTo(expected);
        spill.release(1, 4);
        assertThat(directory).isEmptyDirectory();
      }
    }
  }

  private static List<Byte> keys(ByteBuffer records) {
    List<Byte> keys = new ArrayList<>();
    for (int position = 0; position < records.limit(); ) {
      long key = SpillFiles.varint(records, position);
      long value = SpillFiles.varint(records, (int) key);
      assertThat(key >>> 32).isEqualTo(1);
      keys.add(records.get((int) value));
      position = (int) value + 1 + (int) (value >>> 32);
    }
    return keys;
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void givesTheSpaceOfLoadedBucketsBackAtOnce() throws Exception {
    try (SpillFiles spill = new SpillFiles(directory, "s", 2, 100)) {
      spill.add(0, new byte[] {1}, 0, 1, new byte[50_000], 0, 50_000);
      spill.add(1, new byte[] {1}, 0, 1, new byte[50_000], 0, 50_000);
      try (FileChannel open = openFilesBelow(directory).get(0)) {
        assertThat(open.size()).isGreaterThan(50_000);
        ByteBuffer mapped = spill.load(0, 2);
        assertThat(mapped.limit()).isEqualTo(2 * 50_005);
        spill.release(0, 2);
        assertThat(open.size()).isZero();
      }
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
      assertThat(spill.bytes(0, 1)).isEqualTo(250 * 11);
    }
  }

  @Test
  void aRecordLongerThanTheBufferGoesToTheDiskAtOnce() throws Exception {
    Path spilled = directory.resolve("spilled");
    try (SpillFiles spill = new SpillFiles(spilled, "s", 1, 100)) {
      spill.add(0, new byte[] {1}, 0, 1, new byte[1000], 0, 1000);
      assertThat(spilled).exists();
    }
  }

  /** The JDK keeps a buffer for each thread, as long as the longest piece read or written. */
  @Test
  void readsAndWritesLongRecordsInPieces() throws Exception {
    int length = 40 << 20;
    long before = DirectMemory.used();
    try (SpillFiles spill = new SpillFiles(directory, "s", 1, 100)) {
      spill.add(0, new byte[] {1}, 0, 1, new byte[length], 0, length);
      assertThat(DirectMemory.used() - before).isLessThan(8 << 20);
      spill.drain(
          0,
          (bytes, keyOffset, keyLength, valueLength) -> assertThat(valueLength).isEqualTo(length));
    }
    assertThat(DirectMemory.used() - before).isLessThan(8 << 20);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aFileThatSomebodyShortenedIsNamed() throws Exception {
    try (SpillFiles spill = new SpillFiles(directory, "s", 1, 100)) {
      spill.add(0, new byte[] {1}, 0, 1, new byte[1000], 0, 1000);
      shortenOpenFilesBelow(directory);
      String expected =
          "temporary file is shorter than what was written to it: directory=%s bucket=0"
                  .formatted(directory)
              + " expected=1004 actual=0; another process has shortened it, build again";
      assertThatThrownBy(() -> spill.load(0, 1))
          .isInstanceOf(EOFException.class)
          .hasMessage(expected);
      assertThatThrownBy(() -> spill.drain(0, (bytes, key, keyLength, valueLength) -> {}))
          .isInstanceOf(EOFException.class)
          .hasMessage(expected);
    }
  }

  private static void shortenOpenFilesBelow(Path directory) throws IOException {
    for (FileChannel file : openFilesBelow(directory)) {
      file.truncate(0).close();
    }
  }

  /** By the descriptors of this process, as the files have no names any more. */
  private static List<FileChannel> openFilesBelow(Path directory) throws IOException {
    List<FileChannel> open = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path file : files) {
        if (Files.isSymbolicLink(file)
            && Files.readSymbolicLink(file).startsWith(directory.toRealPath())) {
          open.add(FileChannel.open(file, StandardOpenOption.WRITE));
        }
      }
    }
    return open;
  }

  @Test
  void aDirectoryThatCannotBeMadeIsNamed() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "");
    try (SpillFiles spill = new SpillFiles(file.resolve("below"), "s", 1, 20)) {
      spill.add(0, new byte[] {1}, 0, 1, new byte[8], 0, 8);
      assertThatThrownBy(() -> spill.add(0, new byte[] {1}, 0, 1, new byte[8], 0, 8))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(file.toString());
    }
  }
}
