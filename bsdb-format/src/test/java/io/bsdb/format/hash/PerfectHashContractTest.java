package io.bsdb.format.hash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.sun.management.ThreadMXBean;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.PerfectHashConstruction;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every construction of a perfect hash promises. */
class PerfectHashContractTest {
  private static final long SEED = Long.getLong("bsdb.test.seed", System.nanoTime());

  @TempDir Path temporaryDirectory;

  @AfterEach
  void leavesNoFiles() throws IOException {
    try (Stream<Path> files = Files.list(temporaryDirectory)) {
      assertThat(files).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void ranksEveryKeyOnceForManySizes(PerfectHashConstruction construction) throws IOException {
    // Sux4J opens 256 files per build.
    int step = construction == PerfectHashConstruction.SUX4J ? 199 : 1;
    for (int size = 1; size <= 1000; size += size < 5 ? 1 : step) {
      requireBijection(construction, HashedKeys.random(size, SEED + size));
    }
  }

  @ParameterizedTest
  @EnumSource
  void ranksEveryKeyOnceWithManyParts(PerfectHashConstruction construction) throws IOException {
    int[] sizes =
        construction == PerfectHashConstruction.SUX4J
            ? new int[] {60_001, 300_007}
            : new int[] {59_999, 60_000, 60_001, 65_536, 65_537, 120_001, 1_000_003};
    for (int size : sizes) {
      requireBijection(construction, HashedKeys.random(size, SEED + size));
    }
  }

  @ParameterizedTest
  @EnumSource
  void ranksHashesOfRegularKeys(PerfectHashConstruction construction) throws IOException {
    requireBijection(construction, HashedKeys.of(256, i -> new byte[] {(byte) i}));
    requireBijection(construction, HashedKeys.of(100_000, i -> intBytes(i)));
    requireBijection(construction, HashedKeys.of(100_000, i -> intBytes(Integer.reverse(i))));
    requireBijection(
        construction, HashedKeys.of(100_000, i -> ("a long common prefix/" + i).getBytes(UTF_8)));
    requireBijection(construction, HashedKeys.of(8 * 1024, differingInOneBit(1024)));
  }

  @ParameterizedTest
  @EnumSource
  void ranksHashesThatAreNotUniform(PerfectHashConstruction construction) throws IOException {
    int size = construction == PerfectHashConstruction.SUX4J ? 20_000 : 100_000;
    long[] same = new long[size];
    long[] sequence = new long[size];
    Arrays.setAll(sequence, i -> i);
    long[] evenSequence = new long[size];
    Arrays.setAll(evenSequence, i -> (long) i << 40);
    long[] random = HashedKeys.random(size, SEED).high();
    requireBijection(construction, new HashedKeys(same, random));
    requireBijection(construction, new HashedKeys(random, same));
    requireBijection(construction, new HashedKeys(same, sequence));
    requireBijection(construction, new HashedKeys(same, evenSequence));
    requireBijection(construction, new HashedKeys(sequence, evenSequence));
  }

  @ParameterizedTest
  @EnumSource
  void ranksKeysOfOnePartitionAndOneSignature(PerfectHashConstruction construction)
      throws IOException {
    HashedKeys keys = HashedKeys.random(100_000, SEED);
    for (int i = 0; i < keys.size(); i++) {
      keys.high()[i] = (keys.high()[i] & 0x0000FFFFFFFF0000L) | 0x1234000000005678L;
    }
    requireBijection(construction, keys);
  }

  @ParameterizedTest
  @EnumSource
  void buildsTheSameBytesAgain(PerfectHashConstruction construction) throws Exception {
    HashedKeys keys = HashedKeys.random(130_000, SEED);
    byte[] section = build(construction, keys);
    assertThat(build(construction, keys)).isEqualTo(section);
  }

  @ParameterizedTest
  @EnumSource
  void ranksBatchesAsSingleKeys(PerfectHashConstruction construction) throws IOException {
    HashedKeys keys = HashedKeys.random(100_000, SEED);
    PerfectHash hash = open(build(construction, keys));
    HashedKeys others = HashedKeys.random(1_000, SEED + 1);
    for (HashedKeys batch : new HashedKeys[] {keys, others}) {
      for (int count : new int[] {0, 1, 2, 255, 256, 257, 513, batch.size()}) {
        int[] ranks = new int[batch.size()];
        Arrays.fill(ranks, -1);
        int[] expected = ranks.clone();
        hash.ranks(batch.high(), batch.low(), count, ranks);
        for (int i = 0; i < count; i++) {
          expected[i] = hash.rank(batch.high()[i], batch.low()[i]);
        }
        assertThat(ranks).isEqualTo(expected);
      }
    }
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> hash.ranks(keys.high(), keys.low(), 3, new int[2]));
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> hash.ranks(keys.high(), keys.low(), -1, new int[2]));
  }

  @ParameterizedTest
  @EnumSource
  void ranksAbsentKeysInRangeAndEvenly(PerfectHashConstruction construction) throws IOException {
    int size = 1_000;
    PerfectHash hash = open(build(construction, HashedKeys.random(size, SEED)));
    HashedKeys absent = HashedKeys.random(200 * size, SEED + 1);
    int[] hits = new int[size];
    for (int i = 0; i < absent.size(); i++) {
      hits[hash.rank(absent.high()[i], absent.low()[i])]++;
    }
    assertThat(hits).as("seed %s", SEED).doesNotContain(0);
  }

  @ParameterizedTest
  @EnumSource
  void hasNoRanksIfEmpty(PerfectHashConstruction construction) throws IOException {
    byte[] section = build(construction, HashedKeys.random(0, SEED));
    PerfectHash hash = open(section);
    assertThat(hash.size()).isZero();
    assertThat(section[PerfectHashSection.KIND_OFFSET])
        .isEqualTo((byte) PerfectHashBuilder.kind(construction).id());
    hash.ranks(new long[1], new long[1], 0, new int[1]);
    assertThatIllegalStateException()
        .isThrownBy(() -> hash.rank(1, 2))
        .withMessage("an empty perfect hash has no ranks");
    assertThatIllegalStateException()
        .isThrownBy(() -> hash.ranks(new long[1], new long[1], 1, new int[1]));
  }

  @ParameterizedTest
  @EnumSource
  void namesTwoDuplicates(PerfectHashConstruction construction) {
    for (int size : new int[] {2, 1_000, 300_000}) {
      HashedKeys keys = HashedKeys.random(size, SEED);
      int first = size / 3;
      int second = size - 1;
      keys.high()[second] = keys.high()[first];
      keys.low()[second] = keys.low()[first];
      assertThatExceptionOfType(DuplicateHashException.class)
          .isThrownBy(() -> build(construction, keys))
          .withMessage("duplicate hash: firstIndex=" + first + " secondIndex=" + second)
          .satisfies(e -> assertThat(e.firstIndex()).isEqualTo(first))
          .satisfies(e -> assertThat(e.secondIndex()).isEqualTo(second));
    }
    HashedKeys same = new HashedKeys(new long[200_000], new long[200_000]);
    assertThatExceptionOfType(DuplicateHashException.class)
        .isThrownBy(() -> build(construction, same))
        .withMessage("duplicate hash: firstIndex=0 secondIndex=1");
  }

  @ParameterizedTest
  @EnumSource
  void tellsHashesThatMeetIn64BitsFromDuplicates(PerfectHashConstruction construction)
      throws IOException {
    for (int size : new int[] {2, 3, 1_000, 100_000}) {
      HashedKeys keys = HashedKeys.random(size, SEED + size);
      meetUnderTheFirstSeed(keys, 0, size - 1);
      requireBijection(construction, keys);
    }
    HashedKeys allMeet = HashedKeys.random(1_000, SEED);
    for (int i = 1; i < allMeet.size(); i++) {
      meetUnderTheFirstSeed(allMeet, 0, i);
    }
    requireBijection(construction, allMeet);
    HashedKeys topBits = new HashedKeys(new long[] {0, 1L << 63}, new long[] {0, 1L << 63});
    requireBijection(construction, topBits);
  }

  @ParameterizedTest
  @EnumSource
  void survivesAnyFlippedBit(PerfectHashConstruction construction) throws IOException {
    for (int size : new int[] {1, 3, 300}) {
      byte[] section = build(construction, HashedKeys.random(size, SEED));
      for (int bit = 0; bit < 8 * section.length; bit++) {
        byte[] damaged = section.clone();
        damaged[bit >>> 3] ^= (byte) (1 << (bit & 7));
        requireCorruptOrInRange(damaged);
      }
      for (int at = 0; at < section.length; at++) {
        byte[] damaged = section.clone();
        damaged[at] = (byte) ~damaged[at];
        requireCorruptOrInRange(damaged);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void rejectsAnyOtherLength(PerfectHashConstruction construction) throws IOException {
    for (int size : new int[] {0, 1, 300}) {
      byte[] section = build(construction, HashedKeys.random(size, SEED));
      for (int length = 0; length < section.length; length++) {
        byte[] truncated = Arrays.copyOf(section, length);
        assertThatExceptionOfType(CorruptSnapshotException.class)
            .isThrownBy(() -> open(truncated))
            .withMessageContaining("length");
      }
      assertThatExceptionOfType(CorruptSnapshotException.class)
          .isThrownBy(() -> open(Arrays.copyOf(section, section.length + 1)))
          .withMessageContaining("length");
    }
  }

  @ParameterizedTest
  @EnumSource
  void survivesNoise(PerfectHashConstruction construction) throws IOException {
    byte[] section = build(construction, HashedKeys.random(70_000, SEED));
    HashedKeys noise = HashedKeys.random(section.length, SEED);
    // Everything after the directory of either kind.
    for (int at = 1_000; at < section.length; at++) {
      section[at] = (byte) noise.high()[at];
    }
    requireCorruptOrInRange(section);
  }

  @ParameterizedTest
  @EnumSource
  void opensASliceOfADirectBuffer(PerfectHashConstruction construction) throws IOException {
    HashedKeys keys = HashedKeys.random(1_000, SEED);
    byte[] section = build(construction, keys);
    ByteBuffer file = ByteBuffer.allocateDirect(section.length + 20);
    file.put(13, section).position(13).limit(13 + section.length);
    PerfectHash hash = PerfectHash.open(file.asReadOnlyBuffer());
    PerfectHash onHeap = open(section);
    for (int i = 0; i < keys.size(); i++) {
      assertThat(hash.rank(keys.high()[i], keys.low()[i]))
          .isEqualTo(onHeap.rank(keys.high()[i], keys.low()[i]));
    }
  }

  @ParameterizedTest
  @EnumSource
  void allocatesNothingPerLookupAndLittlePerBatch(PerfectHashConstruction construction)
      throws IOException {
    HashedKeys keys = HashedKeys.random(10_000, SEED);
    byte[] section = build(construction, keys);
    PerfectHash hash = PerfectHash.open(ByteBuffer.allocateDirect(section.length).put(0, section));
    int[] ranks = new int[keys.size()];
    int[] batch = new int[keys.size()];
    assertThat(
            leastAllocated(
                () -> {
                  for (int i = 0; i < keys.size(); i++) {
                    ranks[i] = hash.rank(keys.high()[i], keys.low()[i]);
                  }
                }))
        .isZero();
    assertThat(leastAllocated(() -> hash.ranks(keys.high(), keys.low(), keys.size(), batch)))
        .isLessThan(33 << 10);
    assertThat(batch).isEqualTo(ranks);
  }

  private static long leastAllocated(Runnable lookups) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 20 && least > 0; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      lookups.run();
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  @ParameterizedTest
  @EnumSource
  void endsWhenInterrupted(PerfectHashConstruction construction) {
    HashedKeys keys = HashedKeys.random(100_000, SEED);
    Thread.currentThread().interrupt();
    try {
      assertThatExceptionOfType(InterruptedIOException.class)
          .isThrownBy(() -> build(construction, keys))
          .withMessage("interrupted while building a perfect hash");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void rejectsSizesOutOfRange(PerfectHashConstruction construction) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> build(construction, new long[1], new long[1], -1))
        .withMessage("size out of range: expected=0..134217728 actual=-1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> build(construction, new long[1], new long[1], (1 << 27) + 1));
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> build(construction, new long[1], new long[2], 2));
  }

  private void requireBijection(PerfectHashConstruction construction, HashedKeys keys)
      throws IOException {
    byte[] section = build(construction, keys);
    PerfectHash hash = open(section);
    int size = keys.size();
    assertThat(hash.size()).isEqualTo(size);
    assertThat(section[PerfectHashSection.KIND_OFFSET])
        .isEqualTo((byte) PerfectHashBuilder.kind(construction).id());
    BitSet ranks = new BitSet(size);
    for (int i = 0; i < size; i++) {
      ranks.set(hash.rank(keys.high()[i], keys.low()[i]));
    }
    assertThat(ranks.cardinality()).as("distinct ranks, seed %s", SEED).isEqualTo(size);
    assertThat(ranks.length()).as("ranks end, seed %s", SEED).isEqualTo(size);
  }

  private static void requireCorruptOrInRange(byte[] section) {
    PerfectHash hash;
    try {
      hash = open(section);
    } catch (CorruptSnapshotException e) {
      assertThat(e).hasMessageContaining("perfect hash");
      return;
    }
    if (hash.size() == 0) {
      return;
    }
    HashedKeys keys = HashedKeys.random(300, SEED);
    for (int i = 0; i < keys.size(); i++) {
      int rank = hash.rank(keys.high()[i], keys.low()[i]);
      if (rank < 0 || rank >= hash.size()) {
        assertThat(rank).as("seed %s", SEED).isBetween(0, hash.size() - 1);
      }
    }
  }

  /** Changes one key such that its mixed 64 bits under seed 0 equal another's. */
  private static void meetUnderTheFirstSeed(HashedKeys keys, int first, int second) {
    long target = PilotFormat.mix(keys.high()[first], keys.low()[first], 0);
    long rest = target - PilotFormat.mix(keys.high()[second], 0, 0);
    // The inverse of the odd multiplier of the low word, by Newton's method.
    long multiplier = PilotFormat.mix(0, 1, 0);
    long inverse = multiplier;
    for (int i = 0; i < 5; i++) {
      inverse *= 2 - multiplier * inverse;
    }
    keys.low()[second] = rest * inverse;
    assertThat(PilotFormat.mix(keys.high()[second], keys.low()[second], 0)).isEqualTo(target);
  }

  private static IntFunction<byte[]> differingInOneBit(int length) {
    return bit -> {
      byte[] key = new byte[length];
      key[bit >>> 3] = (byte) (1 << (bit & 7));
      return key;
    };
  }

  private static byte[] intBytes(int value) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
  }

  private byte[] build(PerfectHashConstruction construction, HashedKeys keys) throws IOException {
    return build(construction, keys.high(), keys.low(), keys.size());
  }

  private byte[] build(PerfectHashConstruction construction, long[] high, long[] low, int size)
      throws IOException {
    return PerfectHashBuilder.build(construction, temporaryDirectory, high, low, size);
  }

  private static PerfectHash open(byte[] section) throws CorruptSnapshotException {
    return PerfectHash.open(ByteBuffer.wrap(section));
  }
}
