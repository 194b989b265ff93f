package io.bsdb.format.block;

import io.bsdb.format.CorruptSnapshotException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A non-decreasing sequence of non-negative numbers in Elias–Fano form, read from its own bytes.
 *
 * <p>Each of the m values is cut at bit l = floor(log2(max / m)). The low l bits stand packed in an
 * array. The high parts are written in unary into a bit vector: for each value a one, and for each
 * step of the high part a zero, so value i is at the i-th one and its high part is the number of
 * zeros before. That takes at most l + 3 bits per value. Samples of every 64th one and every 64th
 * zero, 32 bits each, make both directions (the i-th value; the last value not above x) a jump and
 * a short scan. Only the first direction is used here. (P. Elias, "Efficient storage and retrieval
 * by content and address of static files", J. ACM 1974; R. M. Fano, 1971.)
 *
 * <p>Immutable and safe for many threads; allocates nothing per call.
 */
final class MonotoneSequence {
  private static final int COUNT = 0;
  private static final int LOW_BITS = 4;
  private static final int MAX = 8;
  private static final int HEADER_LENGTH = 16;
  private static final int SAMPLE_RATE_BITS = 6;
  private static final long EACH_BYTE = 0x0101010101010101L;
  private static final long TOP_BITS = 0x8080808080808080L;

  private final ByteBuffer bytes;
  private final int count;
  private final int lowBits;
  private final long lowMask;
  private final long maxHigh;
  private final int highOffset;
  private final int highWords;
  private final int onesOffset;
  private final int zerosOffset;
  private final int length;

  private MonotoneSequence(ByteBuffer bytes, int count, int lowBits, long max) {
    this.bytes = bytes;
    this.count = count;
    this.lowBits = lowBits;
    this.lowMask = (1L << lowBits) - 1;
    this.maxHigh = max >>> lowBits;
    this.highOffset = HEADER_LENGTH + 8 * (words((long) count * lowBits) + 1);
    this.highWords = words(count + maxHigh + 1);
    this.onesOffset = highOffset + 8 * highWords;
    this.zerosOffset = onesOffset + 4 * samples(count);
    this.length = zerosOffset + 4 * samples(maxHigh + 1);
  }

  private static int words(long bits) {
    return (int) ((bits + 63) >>> 6);
  }

  private static int samples(long count) {
    return (int) ((count + (1 << SAMPLE_RATE_BITS) - 1) >>> SAMPLE_RATE_BITS);
  }

  /** Encodes {@code values[0..count)}, which must be non-decreasing and not negative. */
  static ByteBuffer encode(long[] values, int count) {
    long max = count == 0 ? 0 : values[count - 1];
    int lowBits = count == 0 || max / count == 0 ? 0 : 63 - Long.numberOfLeadingZeros(max / count);
    MonotoneSequence shape = new MonotoneSequence(ByteBuffer.allocate(0), count, lowBits, max);
    ByteBuffer bytes = ByteBuffer.allocate(shape.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(COUNT, count).putInt(LOW_BITS, lowBits).putLong(MAX, max);
    int zeros = 0;
    for (int i = 0; i < count; i++) {
      long high = values[i] >>> lowBits;
      for (; zeros < high; zeros++) {
        shape.sample(bytes, shape.zerosOffset, zeros, i + zeros);
      }
      putLow(bytes, i, lowBits, values[i] & shape.lowMask);
      int position = i + zeros;
      int word = shape.highOffset + 8 * (position >>> 6);
      bytes.putLong(word, bytes.getLong(word) | (1L << position));
      shape.sample(bytes, shape.onesOffset, i, position);
    }
    for (; zeros <= shape.maxHigh; zeros++) {
      shape.sample(bytes, shape.zerosOffset, zeros, count + zeros);
    }
    return bytes;
  }

  private void sample(ByteBuffer target, int offset, int index, int position) {
    if ((index & ((1 << SAMPLE_RATE_BITS) - 1)) == 0) {
      target.putInt(offset + 4 * (index >>> SAMPLE_RATE_BITS), position);
    }
  }

  private static void putLow(ByteBuffer bytes, int index, int lowBits, long low) {
    long bit = (long) index * lowBits;
    int word = HEADER_LENGTH + 8 * (int) (bit >>> 6);
    int shift = (int) bit & 63;
    bytes.putLong(word, bytes.getLong(word) | (low << shift));
    if (shift + lowBits > 64) {
      bytes.putLong(word + 8, low >>> (64 - shift));
    }
  }

  /**
   * Opens the sequence that starts at {@code bytes[0]}, a little-endian buffer that may go on after
   * it.
   *
   * @throws CorruptSnapshotException if its own figures do not fit the buffer or its bits
   */
  static MonotoneSequence open(ByteBuffer bytes, String file) throws CorruptSnapshotException {
    if (bytes.limit() < HEADER_LENGTH) {
      throw new CorruptSnapshotException(
          "block index ends inside of a sequence header: file=" + file);
    }
    int count = bytes.getInt(COUNT);
    int lowBits = bytes.getInt(LOW_BITS);
    long max = bytes.getLong(MAX);
    if (count < 0
        || lowBits < 0
        || lowBits > 56
        || max < 0
        || (max >>> lowBits) > 8L * bytes.limit()
        || count > 8L * bytes.limit()
        || ((long) count * lowBits + count) / 8 > bytes.limit()) {
      throw new CorruptSnapshotException(
          "block index has an impossible sequence: file=%s count=%d low bits=%d maximum=%d length=%d"
              .formatted(file, count, lowBits, max, bytes.limit()));
    }
    MonotoneSequence sequence = new MonotoneSequence(bytes, count, lowBits, max);
    if (sequence.length > bytes.limit() || sequence.ones() != count) {
      throw new CorruptSnapshotException(
          "block index sequence does not fit its section: file=%s count=%d expected length>=%d actual=%d"
              .formatted(file, count, sequence.length, bytes.limit()));
    }
    return sequence;
  }

  private long ones() {
    long ones = 0;
    for (int i = 0; i < highWords; i++) {
      ones += Long.bitCount(bytes.getLong(highOffset + 8 * i));
    }
    return ones;
  }

  /** Returns how many values. */
  int count() {
    return count;
  }

  /** Returns the bytes that the sequence takes. */
  int length() {
    return length;
  }

  /** Returns value {@code index}, of {@code [0, count)}. */
  long get(int index) {
    int position = bytes.getInt(onesOffset + 4 * (index >>> SAMPLE_RATE_BITS));
    int rest = index & ((1 << SAMPLE_RATE_BITS) - 1);
    int word = position >>> 6;
    long bits = bytes.getLong(highOffset + 8 * word) & (-1L << position);
    for (int ones = Long.bitCount(bits); ones <= rest; ones = Long.bitCount(bits)) {
      rest -= ones;
      bits = bytes.getLong(highOffset + 8 * ++word);
    }
    long high = 64L * word + select(bits, rest) - index;
    return (high << lowBits) | low(index);
  }

  private long low(int index) {
    long bit = (long) index * lowBits;
    return (bytes.getLong(HEADER_LENGTH + (int) (bit >>> 3)) >>> (bit & 7)) & lowMask;
  }

  /**
   * Returns the position of the one with this rank (from 0) in a word that has more than {@code
   * rank} ones. Without branches, which could not be predicted: counts the ones up to each byte in
   * that byte, finds the byte by comparing all counts at once, then halves it. (S. Vigna,
   * "Broadword implementation of rank/select queries", WEA 2008.)
   */
  private static int select(long bits, int rank) {
    long counts = bits - ((bits >>> 1) & 0x5555555555555555L);
    counts = (counts & 0x3333333333333333L) + ((counts >>> 2) & 0x3333333333333333L);
    counts = ((counts + (counts >>> 4)) & 0x0F0F0F0F0F0F0F0FL) * EACH_BYTE;
    long notAbove = ((rank * EACH_BYTE | TOP_BITS) - counts) & TOP_BITS;
    int position = Long.bitCount(notAbove) << 3;
    int rest = rank - (int) ((counts << 8 >>> position) & 0xFF);
    int part = (int) (bits >>> position) & 0xFF;
    for (int width = 4; width > 0; width >>>= 1) {
      int ones = Integer.bitCount(part & ((1 << width) - 1));
      int upper = ~((rest - ones) >> 31);
      rest -= ones & upper;
      part >>>= width & upper;
      position += width & upper;
    }
    return position;
  }
}
