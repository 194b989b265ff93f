package io.bsdb.format.hash;

import static io.bsdb.format.hash.PerfectHashSection.require;
import static io.bsdb.format.hash.PerfectHashSection.requireLength;

import io.bsdb.format.CorruptSnapshotException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Evaluates the sux4j kind in place; needs nothing of Sux4J. */
final class Sux4jPerfectHash implements PerfectHash {
  /*
   * Idea. Keys are split into groups of about 1,500 by a SpookyHash of their 128-bit hash. Per group,
   * each key is an equation over F3 in three of 1.1 variables per key: the sum of the three values
   * selects the key's own among the three vertices. All vertices that belong to a key have a
   * nonzero value (3 stands for 0), so the rank is the number of nonzero values before the key's
   * vertex: the directory counts whole groups, and a lookup counts bits from the start of its group.
   *
   * Trade-off. 2.24 bits per key, but a lookup mixes twice, takes four dependent cache misses
   * (directory, then three values next to each other in memory) and counts up to 400 bytes of bits.
   *
   * M. Genuzio, G. Ottaviano, S. Vigna, Fast Scalable Construction of (Minimal Perfect Hash) Functions,
   * SEA 2016. The arithmetic here gives what Sux4J 5.4's GOVMinimalPerfectHashFunction gives. A rank is
   * in range whatever the values are: group and vertex by multiply-and-shift, the count of bits by
   * clamping.
   */

  static final int SEED_OFFSET = 8;
  static final int GROUP_COUNT_OFFSET = 16;
  static final int RESERVED_OFFSET = 20;
  static final int DIRECTORY_OFFSET = 24;

  /** Keys per group on average. */
  static final int GROUP_KEYS = 1_500;

  /** Bounds the cost of a lookup. Chance alone does not get anywhere near it. */
  static final int MAX_GROUP_KEYS = 16_384;

  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** Low bits of a directory entry: keys in the groups before; above them the group's seed. */
  private static final long RANK_MASK = -1L >>> 8;

  private static final long EVERY_SECOND_BIT = 0x5555555555555555L;
  private static final long SPOOKY = 0x9E3779B97F4A7C13L;

  private final ByteBuffer section;
  private final int size;
  private final long seed;
  private final int groupCount;
  private final int valuesOffset;

  private Sux4jPerfectHash(ByteBuffer section, int size, int groupCount) {
    this.section = section;
    this.size = size;
    this.seed = section.getLong(SEED_OFFSET);
    this.groupCount = groupCount;
    this.valuesOffset = valuesOffset(groupCount);
  }

  static int groupCount(int size) {
    return size / GROUP_KEYS + 1;
  }

  static int valuesOffset(int groupCount) {
    return DIRECTORY_OFFSET + (groupCount + 1) * Long.BYTES;
  }

  /**
   * Returns the number of 64-bit words that hold the two-bit values of all vertices, and one more
   * value.
   */
  static int valueWords(int size) {
    return (firstVertex(size) + 1 + 31) >>> 5;
  }

  /** Vertices before those of a key's group, given the keys before it. */
  private static int firstVertex(int firstRank) {
    return (int) ((firstRank * 281L) >> 8);
  }

  /** Checks all that a rank relies on; linear in the number of groups. */
  static PerfectHash open(ByteBuffer section, int size) throws CorruptSnapshotException {
    requireLength(section, DIRECTORY_OFFSET);
    int groupCount = section.getInt(GROUP_COUNT_OFFSET);
    require("group count", groupCount, groupCount(size), groupCount(size));
    require("reserved field", section.getInt(RESERVED_OFFSET), 0, 0);
    long length = valuesOffset(groupCount) + (long) valueWords(size) * Long.BYTES;
    require("length", section.capacity(), length, length);
    long first = section.getLong(DIRECTORY_OFFSET) & RANK_MASK;
    require("first rank", first, 0, 0);
    for (int group = 0; group < groupCount; group++) {
      long next = section.getLong(DIRECTORY_OFFSET + (group + 1) * Long.BYTES) & RANK_MASK;
      require("keys of group " + group, next - first, 0, MAX_GROUP_KEYS);
      first = next;
    }
    require("last rank", first, size, size);
    return new Sux4jPerfectHash(section, size, groupCount);
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public int rank(long high, long low) {
    // SpookyHash of the 16 bytes (four words of state): the key's group, and what its edge is made
    // of.
    long s0 = seed;
    long s1 = seed;
    long s2 = SPOOKY + high;
    long s3 = SPOOKY + low;
    s2 = Long.rotateLeft(s2, 50) + s3;
    s0 ^= s2;
    s3 = Long.rotateLeft(s3, 52) + s0;
    s1 ^= s3;
    s0 = Long.rotateLeft(s0, 30) + s1;
    s2 ^= s0;
    s1 = Long.rotateLeft(s1, 41) + s2;
    s3 ^= s1;
    s2 = Long.rotateLeft(s2, 54) + s3;
    s0 ^= s2;
    s3 = Long.rotateLeft(s3, 48) + s0;
    s1 ^= s3;
    s0 = Long.rotateLeft(s0, 38) + s1;
    s2 ^= s0;
    s1 = Long.rotateLeft(s1, 37) + s2;
    s3 ^= s1;
    s2 = Long.rotateLeft(s2, 62) + s3;
    s0 ^= s2;
    s3 = Long.rotateLeft(s3, 34) + s0;
    s1 ^= s3;
    s0 = Long.rotateLeft(s0, 5) + s1;
    s2 ^= s0;
    s1 = Long.rotateLeft(s1, 36) + s2;
    s3 ^= s1;
    s0 += 128;
    s2 += SPOOKY;
    s3 += SPOOKY;
    s3 ^= s2;
    s2 = Long.rotateLeft(s2, 15);
    s3 += s2;
    s0 ^= s3;
    s3 = Long.rotateLeft(s3, 52);
    s0 += s3;
    s1 ^= s0;
    s0 = Long.rotateLeft(s0, 26);
    s1 += s0;
    s2 ^= s1;
    s1 = Long.rotateLeft(s1, 51);
    s2 += s1;
    s3 ^= s2;
    s2 = Long.rotateLeft(s2, 28);
    s3 += s2;
    s0 ^= s3;
    s3 = Long.rotateLeft(s3, 9);
    s0 += s3;
    s1 ^= s0;
    s0 = Long.rotateLeft(s0, 47);
    s1 += s0;
    s2 ^= s1;
    s1 = Long.rotateLeft(s1, 54);
    s2 += s1;
    s3 ^= s2;
    s2 = Long.rotateLeft(s2, 32);
    s3 += s2;
    s0 ^= s3;
    s3 = Long.rotateLeft(s3, 25);
    s0 += s3;
    s1 ^= s0;
    s0 = Long.rotateLeft(s0, 63);
    s1 += s0;

    int entryOffset =
        DIRECTORY_OFFSET + (int) Math.multiplyHigh(s0 >>> 1, 2L * groupCount) * Long.BYTES;
    long entry = (long) LONG.get(section, entryOffset);
    int firstRank = (int) (entry & RANK_MASK);
    int nextRank = (int) ((long) LONG.get(section, entryOffset + Long.BYTES) & RANK_MASK);
    int start = firstVertex(firstRank);
    int vertices = firstVertex(nextRank) - start;

    // A short SpookyHash of the first two words with the group's seed: three vertices.
    long t0 = entry & ~RANK_MASK;
    long t1 = SPOOKY + s0;
    long t2 = SPOOKY + s1;
    long t3 = SPOOKY;
    t2 = Long.rotateLeft(t2, 50) + t3;
    t0 ^= t2;
    t3 = Long.rotateLeft(t3, 52) + t0;
    t1 ^= t3;
    t0 = Long.rotateLeft(t0, 30) + t1;
    t2 ^= t0;
    t1 = Long.rotateLeft(t1, 41) + t2;
    t3 ^= t1;
    t2 = Long.rotateLeft(t2, 54) + t3;
    t0 ^= t2;
    t3 = Long.rotateLeft(t3, 48) + t0;
    t1 ^= t3;
    t0 = Long.rotateLeft(t0, 38) + t1;
    t2 ^= t0;
    t1 = Long.rotateLeft(t1, 37) + t2;
    t3 ^= t1;
    t2 = Long.rotateLeft(t2, 62) + t3;
    t0 ^= t2;
    t3 = Long.rotateLeft(t3, 34) + t0;
    t1 ^= t3;
    t0 = Long.rotateLeft(t0, 5) + t1;
    t2 ^= t0;
    t1 = Long.rotateLeft(t1, 36) + t2;
    t3 ^= t1;
    int vertex0 = vertex(t0, vertices);
    int vertex1 = vertex(t1, vertices);
    int vertex2 = vertex(t2, vertices);

    int vertex =
        switch ((value(start + vertex0) + value(start + vertex1) + value(start + vertex2)) % 3) {
          case 0 -> vertex0;
          case 1 -> vertex1;
          default -> vertex2;
        };
    return Math.min(firstRank + nonzeroValues(start, start + vertex), size - 1);
  }

  /**
   * Scales a word to {@code [0, vertices)} by as many of its low bits as leave room for the
   * product.
   */
  private static int vertex(long word, int vertices) {
    int bits = Long.numberOfLeadingZeros(vertices);
    return (int) (((word & ((1L << bits) - 1)) * vertices) >>> bits);
  }

  private int value(int vertex) {
    return (int) (word(vertex >>> 5) >>> (vertex << 1)) & 3;
  }

  private long word(int index) {
    return (long) LONG.get(section, valuesOffset + index * Long.BYTES);
  }

  /** Returns the number of vertices in {@code [from, to)} whose value is not 0. */
  private int nonzeroValues(int from, int to) {
    int first = from >>> 5;
    int last = to >>> 5;
    long before = (1L << (from << 1)) - 1;
    long until = (1L << (to << 1)) - 1;
    if (first == last) {
      return nonzeroPairs(word(first) & until & ~before);
    }
    int count = nonzeroPairs(word(first) & ~before);
    for (int i = first + 1; i < last; i++) {
      count += nonzeroPairs(word(i));
    }
    return count + nonzeroPairs(word(last) & until);
  }

  private static int nonzeroPairs(long word) {
    return Long.bitCount((word | word >>> 1) & EVERY_SECOND_BIT);
  }
}
