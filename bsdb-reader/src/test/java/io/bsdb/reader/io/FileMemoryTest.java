package io.bsdb.reader.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.NothingLeftOpen;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(NothingLeftOpen.class)
class FileMemoryTest {
  private static final long GIB = 1L << 30;

  @TempDir Path directory;

  /** Five GiB of holes with a few numbers around the edges of chunks. */
  private Path sparse(long length, long... offsets) throws IOException {
    Path path = directory.resolve("sparse");
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (long offset : offsets) {
        ByteBuffer number = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        channel.write(number.putLong(offset ^ 0x55).flip(), offset);
      }
      channel.write(ByteBuffer.allocate(1), length - 1);
    }
    return path;
  }

  @Test
  void tellsAFileThatIsMissingFromOneThatCannotBeReached() throws Exception {
    Path file = Files.createFile(directory.resolve("file"));
    assertThatThrownBy(() -> FileMemory.map(directory.resolve("none")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> FileMemory.map(file.resolve("below")))
        .isInstanceOf(FileSystemException.class)
        .hasMessage("%s: Not a directory", file.resolve("below"));
  }

  @Test
  void addressesFilesOfManyGibibytes() throws Exception {
    long length = 5 * GIB + 12_345;
    long[] offsets = {
      64,
      GIB - 16,
      GIB - 4,
      GIB + 8,
      2 * GIB - 24,
      2 * GIB - 3,
      2 * GIB + 16,
      3 * GIB - 1,
      4 * GIB,
      5 * GIB - 5,
      5 * GIB + 4_000,
      length - 9
    };
    try (FileMemory file = FileMemory.map(sparse(length, offsets))) {
      assertThat(file.length()).isEqualTo(length);
      for (long offset : offsets) {
        assertThat(file.chunk(offset).getLong(FileMemory.index(offset)))
            .as("number at %d", offset)
            .isEqualTo(offset ^ 0x55);
        assertThat(file.slice(offset, 8).getLong(0)).isEqualTo(offset ^ 0x55);
        assertThat(file.slice(offset, 8).order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
      }
      for (long start : new long[] {0, 1, GIB - 1, GIB, 2 * GIB - 1, 3 * GIB + 77}) {
        assertThat(file.slice(start, (int) GIB).limit()).isEqualTo((int) GIB);
      }
      assertThat(file.slice(length, 0).limit()).isZero();
      assertThatThrownBy(() -> file.slice(length - 7, 8))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> file.slice(-1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> file.slice(7 * GIB, 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void addressesFilesThatEndWhereAChunkEnds() throws Exception {
    long length = 2 * GIB;
    try (FileMemory file = FileMemory.map(sparse(length, GIB - 4, length - 8))) {
      assertThat(file.slice(length - 8, 8).getLong(0)).isEqualTo((length - 8) ^ 0x55);
      assertThat(file.slice(GIB - 4, 8).getLong(0)).isEqualTo((GIB - 4) ^ 0x55);
      assertThatThrownBy(() -> file.slice(length - 8, 9))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void anEmptyFileHasNoBytes() throws Exception {
    Path path = Files.createFile(directory.resolve("empty"));
    try (FileMemory mapped = FileMemory.map(path);
        FileMemory loaded = FileMemory.load(path)) {
      for (FileMemory file : new FileMemory[] {mapped, loaded}) {
        assertThat(file.length()).isZero();
        assertThatThrownBy(() -> file.slice(0, 1)).isInstanceOf(IndexOutOfBoundsException.class);
      }
    }
  }

  @Test
  void loadsWhatIsInTheFile() throws Exception {
    byte[] bytes = new byte[(3 << 20) + 17];
    new Random(1).nextBytes(bytes);
    Path path = Files.write(directory.resolve("file"), bytes);
    try (FileMemory file = FileMemory.load(path)) {
      Files.write(path, new byte[0]);
      assertThat(file.slice(0, bytes.length)).isEqualTo(ByteBuffer.wrap(bytes));
      assertThat(file.slice(5, 8).order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
      assertThatThrownBy(() -> file.slice(bytes.length, 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void closesOnce() throws Exception {
    long open = FileMemory.openCount();
    FileMemory file = FileMemory.map(Files.write(directory.resolve("file"), new byte[9]));
    assertThat(FileMemory.openCount()).isEqualTo(open + 1);
    file.close();
    file.close();
    assertThat(FileMemory.openCount()).isEqualTo(open);
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    Path absent = directory.resolve("absent");
    assertThatThrownBy(() -> FileMemory.map(absent))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessage(absent.toString());
    assertThatThrownBy(() -> FileMemory.load(absent))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessage(absent.toString());
  }
}
