package io.bsdb.reader.io;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.reader.NothingLeftOpen;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(NothingLeftOpen.class)
class HugeMemoryTest {
  private static final Path PAGES = Path.of("/proc/self/pagemap");
  private static final int HUGE_PAGE = 2 << 20;

  /** Returns the bytes of pages that are in memory between two addresses. */
  private static long present(long from, long to) throws Exception {
    try (FileChannel channel = FileChannel.open(PAGES)) {
      long first = from / SnapshotFormat.PAGE;
      ByteBuffer entries =
          ByteBuffer.allocate((int) (to / SnapshotFormat.PAGE - first) * Long.BYTES)
              .order(ByteOrder.LITTLE_ENDIAN);
      channel.read(entries, first * Long.BYTES);
      long sum = 0;
      for (int at = 0; at < entries.position(); at += Long.BYTES) {
        sum += entries.getLong(at) < 0 ? SnapshotFormat.PAGE : 0;
      }
      return sum;
    }
  }

  /** Compares the bytes that a limit counts with those that the system gives. */
  @ParameterizedTest
  @ValueSource(ints = {1 << 20, (2 << 20) + 1, 3 << 20, (40 << 20) + 5_000, 64 << 20})
  @EnabledOnOs(OS.LINUX)
  void takesThePagesThatAreCounted(int length) throws Exception {
    HugeMemory memory = HugeMemory.allocate(length);
    try {
      ByteBuffer bytes = memory.buffer(0, length);
      long start = Pointer.nativeValue(Native.getDirectBufferPointer(bytes));
      // What is in front is no part of it; a huge page would reach to the end of this.
      long from = start - SnapshotFormat.PAGE;
      long to = (start + length + HUGE_PAGE - 1) & -HUGE_PAGE;
      long before = present(from, to);
      for (int i = 0; i < length; i += 64) {
        bytes.put(i, (byte) 1);
      }
      bytes.put(length - 1, (byte) 1);
      assertThat(present(from, to)).isGreaterThanOrEqualTo(length);
      assertThat(present(from, to) - before).isLessThanOrEqualTo(HugeMemory.resident(length));
    } finally {
      memory.free();
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void givesBackWhatIsFreedWhateverLiesBetween() throws Exception {
    int length = 8 << 20;
    HugeMemory.allocate(29 << 20).free(); // malloc no longer gives back less than this
    List<HugeMemory> between = new ArrayList<>();
    List<HugeMemory> parts = new ArrayList<>();
    List<Long> starts = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      HugeMemory part = HugeMemory.allocate(length);
      ByteBuffer bytes = part.buffer(0, length);
      for (int at = 0; at < length; at += SnapshotFormat.PAGE) {
        bytes.put(at, (byte) 1);
      }
      parts.add(part);
      starts.add(Pointer.nativeValue(Native.getDirectBufferPointer(bytes)));
      between.add(HugeMemory.allocate(1));
    }
    parts.forEach(HugeMemory::free);
    long present = 0;
    for (long start : starts) {
      present += present(start, start + length);
    }
    between.forEach(HugeMemory::free);
    assertThat(present).isLessThan(4L * length);
  }
}
