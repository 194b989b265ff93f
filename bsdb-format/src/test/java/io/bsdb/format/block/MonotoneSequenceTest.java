package io.bsdb.format.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class MonotoneSequenceTest {
  static Stream<Arguments> sequences() {
    return Stream.of(
        Arguments.of("nothing", new long[0]),
        Arguments.of("one zero", new long[] {0}),
        Arguments.of("one number", new long[] {7}),
        Arguments.of("one huge number", new long[] {1L << 55}),
        Arguments.of("two equal", new long[] {5, 5}),
        Arguments.of("two far apart", new long[] {0, 1L << 55}),
        Arguments.of("63 in a row", LongStream.range(0, 63).toArray()),
        Arguments.of("64 in a row", LongStream.range(0, 64).toArray()),
        Arguments.of("65 in a row", LongStream.range(0, 65).toArray()),
        Arguments.of("128 in a row", LongStream.range(0, 128).toArray()),
        Arguments.of("129 in a row", LongStream.range(0, 129).toArray()),
        Arguments.of("all zero", new long[300]),
        Arguments.of("all equal", LongStream.generate(() -> 1_000_003).limit(300).toArray()),
        Arguments.of("one step at the end", stepAtTheEnd()),
        Arguments.of("one step at the start", stepAtTheStart()),
        Arguments.of("steps of 64", LongStream.range(0, 500).map(i -> i * 64).toArray()),
        Arguments.of("runs of 64", LongStream.range(0, 640).map(i -> i / 64 * 1000).toArray()),
        Arguments.of("squares", LongStream.range(0, 1000).map(i -> i * i).toArray()),
        Arguments.of("powers of two", LongStream.range(0, 55).map(i -> 1L << i).toArray()));
  }

  private static long[] stepAtTheEnd() {
    long[] values = new long[400];
    values[399] = 1L << 40;
    return values;
  }

  private static long[] stepAtTheStart() {
    long[] values = new long[400];
    Arrays.fill(values, 1, 400, 1L << 40);
    return values;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("sequences")
  void givesBackEveryValue(String name, long[] values) throws Exception {
    assertSame(values, new Random(1), name);
  }

  @Test
  void givesBackRandomSequences() throws Exception {
    for (int seed = 0; seed < 400; seed++) {
      Random random = new Random(seed);
      int count = random.nextInt(700);
      int bits = random.nextInt(45);
      int equalOfTen = random.nextInt(11);
      long[] values = new long[count];
      long value = random.nextInt(5);
      for (int i = 0; i < count; i++) {
        value += random.nextInt(10) < equalOfTen ? 0 : random.nextLong() >>> 1 >>> (63 - bits);
        values[i] = value;
      }
      assertSame(values, random, "seed=" + seed);
    }
  }

  private static void assertSame(long[] values, Random random, String name) throws Exception {
    ByteBuffer bytes = MonotoneSequence.encode(values, values.length);
    MonotoneSequence sequence = MonotoneSequence.open(followed(bytes, random), "f");
    assertThat(sequence.count()).as(name).isEqualTo(values.length);
    assertThat(sequence.length()).as(name).isEqualTo(bytes.limit());
    for (int i = 0; i < values.length; i++) {
      assertThat(sequence.get(i)).as("%s, value %d", name, i).isEqualTo(values[i]);
    }
  }

  /** The same bytes with foreign ones after them, as another sequence would be. */
  private static ByteBuffer followed(ByteBuffer bytes, Random random) {
    byte[] all = new byte[bytes.limit() + 9];
    random.nextBytes(all);
    bytes.get(0, all, 0, bytes.limit());
    return ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Test
  void takesNoMoreThanItsBoundOfBits() throws Exception {
    long[] values = LongStream.range(0, 10_000).map(i -> i * 4096 + i % 7).toArray();
    int length = MonotoneSequence.encode(values, values.length).limit();
    // low bits, the unary high part of up to three bits, samples of half a bit per one and zero
    assertThat(length * 8.0 / values.length).isLessThan(11 + 3 + 1.6);
  }

  @Test
  void refusesEveryTruncation() {
    long[] values = LongStream.range(0, 200).map(i -> i * 37).toArray();
    ByteBuffer bytes = MonotoneSequence.encode(values, values.length);
    for (int length = 0; length < bytes.limit(); length++) {
      ByteBuffer part = bytes.slice(0, length).order(ByteOrder.LITTLE_ENDIAN);
      assertThatThrownBy(() -> MonotoneSequence.open(part, "part-7"))
          .as("length %d", length)
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessageStartingWith("block index ")
          .hasMessageContaining("file=part-7");
    }
  }

  @Test
  void refusesImpossibleFigures() {
    assertRefused(0, -1, "count=-1");
    assertRefused(0, Integer.MAX_VALUE, "count=2147483647");
    assertRefused(0, 201, "sequence");
    assertRefused(0, 199, "sequence does not fit");
    assertRefused(4, -1, "low bits=-1");
    assertRefused(4, 57, "low bits=57");
    assertRefused(4, Integer.MIN_VALUE, "low bits=-2147483648");
    assertRefused(12, -1, "maximum=-");
    assertRefused(12, Integer.MAX_VALUE, "maximum=9223372");
  }

  private static void assertRefused(int offset, int figure, String message) {
    long[] values = LongStream.range(0, 200).map(i -> i * 37).toArray();
    ByteBuffer bytes = MonotoneSequence.encode(values, values.length);
    bytes.putInt(offset, figure);
    assertThatThrownBy(() -> MonotoneSequence.open(bytes, "part-7"))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining(message)
        .hasMessageContaining("file=part-7");
  }

  /** The section has a checksum; after it, damage may cost right answers but nothing else. */
  @Test
  void everyChangedByteLeadsToNumbersOrToAnException() {
    long[] values = LongStream.range(0, 150).map(i -> i * i).toArray();
    ByteBuffer sound = MonotoneSequence.encode(values, values.length);
    int answered = 0;
    for (int position = 0; position < sound.limit(); position++) {
      for (int change : new int[] {1, 0x10, 0x80, 0xFF}) {
        byte[] damaged = new byte[sound.limit()];
        sound.get(0, damaged);
        damaged[position] ^= (byte) change;
        answered += answers(damaged) ? 1 : 0;
      }
    }
    assertThat(answered).isPositive();
  }

  private static boolean answers(byte[] damaged) {
    try {
      MonotoneSequence sequence =
          MonotoneSequence.open(ByteBuffer.wrap(damaged).order(ByteOrder.LITTLE_ENDIAN), "f");
      for (int i = 0; i < sequence.count(); i++) {
        sequence.get(i);
      }
      return true;
    } catch (CorruptSnapshotException | IndexOutOfBoundsException expected) {
      return false;
    }
  }
}
