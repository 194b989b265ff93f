package io.bsdb.format.symbols;

import io.bsdb.format.CorruptSnapshotException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Up to 254 symbols of 1 to 8 bytes; each is written as one byte, its code. Immutable and safe for
 * many threads.
 *
 * <p>The idea is FSST's (Boncz, Neumann, Leis: FSST: Fast Random Access String Compression, VLDB
 * 2020): decoding is a load and a store of 8 bytes per code, and as many of them count as the
 * symbol is long, so that a string of a few bytes can be decoded by itself. Two codes stand for no
 * symbol: {@link #ESCAPE} for one byte as it is, {@link #RAW} for many, so that no string grows by
 * more than 2 bytes.
 */
public final class SymbolTable {
  /** The next byte stands for itself. */
  static final int ESCAPE = 255;

  /** The next byte is the number of bytes that follow as they are; 0: all that are left. */
  static final int RAW = 254;

  /** Maximum number of symbols of a table. */
  public static final int MAX_SYMBOLS = 254;

  /** Longest symbol in bytes; what a decoder may write past its end is one byte less. */
  public static final int MAX_LENGTH = 8;

  /** A string is at most so many bytes longer encoded than plain. */
  public static final int MAX_EXPANSION = 2;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final int count;
  private final int percent;

  /** By code: the symbol's bytes, the first one lowest; bytes after its length are zero. */
  final long[] symbols = new long[256];

  /** By code: the symbol's length in bytes; 0 for codes that are none. */
  final int[] lengths = new int[256];

  /**
   * @param symbols not longer than {@link #MAX_SYMBOLS}
   * @param lengths of the symbols
   */
  SymbolTable(long[] symbols, int[] lengths) {
    this(symbols, lengths, 0);
  }

  private SymbolTable(long[] symbols, int[] lengths, int percent) {
    this.count = symbols.length;
    this.percent = percent;
    for (int i = 0; i < count; i++) {
      this.symbols[i] = symbols[i] & mask(lengths[i]);
      this.lengths[i] = lengths[i];
    }
  }

  /** Returns the bits of the first bytes of a word. */
  static long mask(int length) {
    return -1L >>> (Long.SIZE - Byte.SIZE * length);
  }

  /** Returns this table with what a trial showed; see {@link #percent}. */
  SymbolTable withPercent(int value) {
    return new SymbolTable(
        Arrays.copyOf(symbols, count), Arrays.copyOf(lengths, count), Math.min(255, value));
  }

  /** Returns how many of 100 bytes encoding left in a trial of the writer; for people. */
  public int percent() {
    return percent;
  }

  /** Returns the number of symbols. */
  public int count() {
    return count;
  }

  /** Returns the bytes that the table takes in a file. */
  public int encodedLength() {
    int length = 2 + count;
    for (int i = 0; i < count; i++) {
      length += lengths[i];
    }
    return length;
  }

  /** Writes the result of the trial, the number of symbols, their lengths and their bytes. */
  void encode(ByteBuffer target) {
    target.put((byte) percent);
    target.put((byte) count);
    for (int i = 0; i < count; i++) {
      target.put((byte) lengths[i]);
    }
    for (int i = 0; i < count; i++) {
      for (int k = 0; k < lengths[i]; k++) {
        target.put((byte) (symbols[i] >>> (8 * k)));
      }
    }
  }

  /**
   * Reads a table.
   *
   * @throws CorruptSnapshotException if there are too many symbols, or one has an impossible length
   * @throws java.nio.BufferUnderflowException if it is cut off
   */
  static SymbolTable decode(ByteBuffer source) throws CorruptSnapshotException {
    int percent = source.get() & 0xFF;
    int count = source.get() & 0xFF;
    if (count > MAX_SYMBOLS) {
      throw new CorruptSnapshotException(
          "symbols in a table: expected<=%d actual=%d".formatted(MAX_SYMBOLS, count));
    }
    int[] lengths = new int[count];
    for (int i = 0; i < count; i++) {
      lengths[i] = source.get();
      if (lengths[i] < 1 || lengths[i] > MAX_LENGTH) {
        throw new CorruptSnapshotException(
            "length of symbol %d: expected=1..%d actual=%d".formatted(i, MAX_LENGTH, lengths[i]));
      }
    }
    long[] symbols = new long[count];
    for (int i = 0; i < count; i++) {
      for (int k = 0; k < lengths[i]; k++) {
        symbols[i] |= (source.get() & 0xFFL) << (8 * k);
      }
    }
    return new SymbolTable(symbols, lengths, percent);
  }

  /**
   * Decodes a string. May write up to 7 bytes past its end.
   *
   * @param end of the encoded string in {@code source}
   * @param at where the plain string starts in {@code target}
   * @return where it ends
   * @throws CorruptSnapshotException if the string has a code without a symbol or is cut off
   * @throws IndexOutOfBoundsException if it does not fit the target
   */
  int decode(byte[] source, int start, int end, byte[] target, int at)
      throws CorruptSnapshotException {
    long[] symbolOf = symbols;
    int[] lengthOf = lengths;
    int from = start;
    int to = at;
    while (true) {
      for (; from < end; from++) { // counted, so that the JVM checks the source's bounds once
        int code = source[from] & 0xFF;
        int length = lengthOf[code];
        if (length == 0) {
          break;
        }
        LONGS.set(target, to, symbolOf[code]);
        to += length;
      }
      if (from >= end) {
        return to;
      }
      int code = source[from++] & 0xFF;
      if (code == ESCAPE && from < end) {
        target[to++] = source[from++];
        continue;
      }
      int raw = rawLength(code, source, from, end);
      from += code == RAW ? 1 : 0;
      System.arraycopy(source, from, target, to, raw);
      from += raw;
      to += raw;
    }
  }

  /**
   * Returns whether a string is these bytes, encoded: without writing them, which reading them back
   * would have to wait for.
   *
   * @param end of the encoded string in {@code source}
   * @throws CorruptSnapshotException if the string has a code without a symbol or is cut off
   */
  boolean matches(byte[] source, int start, int end, byte[] plain) throws CorruptSnapshotException {
    int from = start;
    int at = 0;
    while (from < end) {
      int code = source[from++] & 0xFF;
      int length = lengths[code];
      if (length > 0) {
        long difference = SymbolMatcher.word(plain, at) ^ symbols[code];
        if (length > plain.length - at || (difference & mask(length)) != 0) {
          return false;
        }
      } else {
        length = rawLength(code, source, from, end);
        from += code == RAW ? 1 : 0;
        if (length > plain.length - at
            || !Arrays.equals(source, from, from + length, plain, at, at + length)) {
          return false;
        }
        from += length;
      }
      at += length;
    }
    return at == plain.length;
  }

  /** Returns how many bytes follow a code that is no symbol as they are. */
  private int rawLength(int code, byte[] source, int from, int end)
      throws CorruptSnapshotException {
    if (code < RAW) {
      throw new CorruptSnapshotException(
          "code without a symbol: expected<%d actual=%d".formatted(count, code));
    }
    int length = 1;
    int left = end - from;
    if (code == RAW && left > 0) {
      int stated = source[from] & 0xFF;
      left--;
      length = stated == 0 ? left : stated;
    }
    if (length > left || (code == RAW && end == from)) {
      throw new CorruptSnapshotException(
          "string ends within an escape: expected>=%d more bytes actual=%d"
              .formatted(length, left));
    }
    return length;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SymbolTable table
        && count == table.count
        && percent == table.percent
        && Arrays.equals(symbols, table.symbols)
        && Arrays.equals(lengths, table.lengths);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(symbols);
  }
}
