package io.bsdb.format.symbols;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Finds the longest symbol of a table that a string starts with, and encodes with it. */
final class SymbolMatcher {
  /** Returned by {@link #match} where no symbol fits. */
  static final int NONE = -1;

  /** Fewer escaped bytes take no more one by one. */
  private static final int SHORTEST_RUN = 3;

  private static final int LONGEST_RUN = 255;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int BUCKET_BITS = 10;
  private static final int BUCKETS = 1 << BUCKET_BITS;

  private final SymbolTable table;

  /** The symbols of two bytes and more, by bucket, then from the longest to the shortest. */
  private final long[] symbols;

  private final long[] masks;
  private final int[] codes;

  /** By bucket: where its symbols start; they end where those of the next one start. */
  private final int[] starts = new int[BUCKETS + 1];

  /** By byte: the code of the symbol that is this byte, or {@link #NONE}. */
  private final int[] single = new int[256];

  SymbolMatcher(SymbolTable table) {
    this.table = table;
    Arrays.fill(single, NONE);
    int[] order =
        IntStream.range(0, table.count())
            .filter(code -> table.lengths[code] > 1)
            .boxed()
            .sorted(
                Comparator.comparingInt((Integer code) -> bucket(table.symbols[code]))
                    .thenComparingInt(code -> -table.lengths[code]))
            .mapToInt(Integer::intValue)
            .toArray();
    symbols = new long[order.length];
    masks = new long[order.length];
    codes = order;
    int[] counts = new int[BUCKETS];
    for (int i = 0; i < order.length; i++) {
      symbols[i] = table.symbols[order[i]];
      masks[i] = SymbolTable.mask(table.lengths[order[i]]);
      counts[bucket(symbols[i])]++;
    }
    for (int i = 0; i < BUCKETS; i++) {
      starts[i + 1] = starts[i] + counts[i];
    }
    for (int code = table.count() - 1; code >= 0; code--) {
      if (table.lengths[code] == 1) {
        single[(int) table.symbols[code] & 0xFF] = code;
      }
    }
  }

  /** Returns where the symbols are that start with the first two bytes of a word, and others. */
  private static int bucket(long word) {
    return (((int) word & 0xFFFF) * 0x9E3779B1) >>> (Integer.SIZE - BUCKET_BITS);
  }

  /** Returns the length of the symbol with a code. */
  int length(int code) {
    return table.lengths[code];
  }

  /** Returns the 8 bytes from a position on, fewer and zeros at the end of the array. */
  static long word(byte[] source, int from) {
    if (from + Long.BYTES <= source.length) {
      return (long) LONGS.get(source, from);
    }
    int last = source.length - Long.BYTES;
    if (last >= 0) { // without a loop, whose end is hard to predict
      int skipped = from - last;
      return skipped < Long.BYTES ? (long) LONGS.get(source, last) >>> (Byte.SIZE * skipped) : 0;
    }
    long word = 0;
    for (int i = from; i < source.length; i++) {
      word |= (source[i] & 0xFFL) << (8 * (i - from));
    }
    return word;
  }

  /**
   * Returns the code of the longest symbol that starts at {@code from}, or {@link #NONE}.
   *
   * @param end of the string
   */
  int match(byte[] source, int from, int end) {
    long word = word(source, from);
    int bucket = bucket(word);
    for (int i = starts[bucket]; i < starts[bucket + 1]; i++) {
      if (((word ^ symbols[i]) & masks[i]) == 0 && table.lengths[codes[i]] <= end - from) {
        return codes[i];
      }
    }
    return single[(int) word & 0xFF];
  }

  /**
   * Encodes a string.
   *
   * @param target with room for {@code 2 * (end - start)} bytes and 2 more from {@code at} on
   * @return where it ends
   */
  int encode(byte[] source, int start, int end, byte[] target, int at) {
    int to = at;
    int from = start;
    int runStart = start; // bytes from here to from match no symbol
    while (from < end) {
      int code = match(source, from, end);
      if (code == NONE) {
        from++;
        continue;
      }
      if (runStart < from) {
        to = putRaw(source, runStart, from, target, to);
      }
      target[to++] = (byte) code;
      from += table.lengths[code];
      runStart = from;
    }
    if (runStart < end) {
      to = putRaw(source, runStart, end, target, to);
    }
    int plain = end - start;
    if (to - at >= plain + SymbolTable.MAX_EXPANSION) {
      target[at] = (byte) SymbolTable.RAW;
      target[at + 1] = 0;
      System.arraycopy(source, start, target, at + 2, plain);
      return at + SymbolTable.MAX_EXPANSION + plain;
    }
    return to;
  }

  private static int putRaw(byte[] source, int start, int end, byte[] target, int at) {
    int to = at;
    int from = start;
    while (end - from >= SHORTEST_RUN) {
      int length = Math.min(LONGEST_RUN, end - from);
      target[to++] = (byte) SymbolTable.RAW;
      target[to++] = (byte) length;
      System.arraycopy(source, from, target, to, length);
      to += length;
      from += length;
    }
    for (; from < end; from++) {
      target[to++] = (byte) SymbolTable.ESCAPE;
      target[to++] = source[from];
    }
    return to;
  }

  /** Returns the bytes that strings one after the other take, each encoded for itself. */
  static long encodedLength(SymbolMatcher matcher, byte[] source, int[] ends) {
    byte[] target = new byte[256];
    long length = 0;
    int start = 0;
    for (int end : ends) {
      if (target.length < 2 * (end - start) + 2) {
        target = Arrays.copyOf(target, 2 * (end - start) + 2);
      }
      length += matcher.encode(source, start, end, target, 0);
      start = end;
    }
    return length;
  }
}
