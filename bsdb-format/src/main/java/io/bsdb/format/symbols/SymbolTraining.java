package io.bsdb.format.symbols;

import java.util.Arrays;

/**
 * Chooses the symbols of a table from a sample of the strings that it will encode.
 *
 * <p>A table starts empty. In each of five generations a part of the sample is encoded with it,
 * counting how often each symbol, each byte without one, and each pair of neighbours comes. The
 * symbols and the joined pairs that cover the most bytes make the next table. Early generations
 * only look for what later ones join, so they see a smaller part.
 */
final class SymbolTraining {
  /** The part of the sample that each generation sees: one in so many strings. */
  private static final int[] GENERATIONS = {16, 8, 4, 2, 1};

  private static final int CODES = 512; // bytes, then symbols
  private static final int SYMBOL = 256;

  /** A single byte that has no symbol takes two. */
  private static final int GAIN_OF_BYTE = 2;

  private final int[] counts = new int[CODES];
  private final int[] pairs = new int[CODES * CODES];

  // Candidates: a hash table of symbols and what they save.
  private static final int SLOT_BITS = 17;
  private static final int SLOTS = 1 << SLOT_BITS;
  private final long[] symbols = new long[SLOTS];
  private final int[] lengths = new int[SLOTS];
  private final long[] gains = new long[SLOTS];
  private final int[] used = new int[SLOTS];
  private int candidates;

  /**
   * Trains a table.
   *
   * @param sample strings one after the other
   * @param ends where each of them ends
   */
  SymbolTable train(byte[] sample, int[] ends) {
    SymbolTable table = new SymbolTable(new long[0], new int[0]);
    for (int generation : GENERATIONS) {
      int step = Math.max(1, Math.min(generation, ends.length / 64));
      SymbolMatcher matcher = new SymbolMatcher(table);
      Arrays.fill(counts, 0);
      Arrays.fill(pairs, 0);
      for (int i = 0; i < ends.length; i += step) {
        count(matcher, sample, i == 0 ? 0 : ends[i - 1], ends[i]);
      }
      table = best(table);
    }
    return table;
  }

  private void count(SymbolMatcher matcher, byte[] sample, int start, int end) {
    int before = -1;
    int from = start;
    while (from < end) {
      int code = matcher.match(sample, from, end);
      int unit = code == SymbolMatcher.NONE ? sample[from] & 0xFF : SYMBOL + code;
      counts[unit]++;
      if (before >= 0) {
        pairs[before * CODES + unit]++;
      }
      if (code == SymbolMatcher.NONE) {
        from++;
      } else {
        int length = matcher.length(code);
        if (length > 1) { // its first byte may be what another one needs
          int first = sample[from] & 0xFF;
          counts[first]++;
          if (before >= 0) {
            pairs[before * CODES + first]++;
          }
        }
        from += length;
      }
      before = unit;
    }
  }

  private SymbolTable best(SymbolTable table) {
    candidates = 0;
    Arrays.fill(lengths, 0);
    int units = SYMBOL + table.count();
    for (int a = 0; a < units; a++) {
      int length = length(table, a);
      add(symbol(table, a), length, (long) counts[a] * (length == 1 ? GAIN_OF_BYTE : length));
    }
    for (int a = 0; a < units; a++) {
      int lengthA = length(table, a);
      for (int b = 0; b < units && lengthA < SymbolTable.MAX_LENGTH && counts[a] > 0; b++) {
        int count = pairs[a * CODES + b];
        if (count > 1) {
          int length = Math.min(SymbolTable.MAX_LENGTH, lengthA + length(table, b));
          long joined = symbol(table, a) | (symbol(table, b) << (8 * lengthA));
          add(joined & SymbolTable.mask(length), length, (long) count * length);
        }
      }
    }
    return choose();
  }

  private static long symbol(SymbolTable table, int unit) {
    return unit < SYMBOL ? unit : table.symbols[unit - SYMBOL];
  }

  private static int length(SymbolTable table, int unit) {
    return unit < SYMBOL ? 1 : table.lengths[unit - SYMBOL];
  }

  private void add(long symbol, int length, long gain) {
    if (gain == 0) {
      return;
    }
    long mixed = (symbol * 0x9E3779B97F4A7C15L + length) * 0xD6E8FEB86659FD93L;
    int slot = (int) (mixed >>> (Long.SIZE - SLOT_BITS));
    while (lengths[slot] != 0 && (symbols[slot] != symbol || lengths[slot] != length)) {
      slot = (slot + 1) & (SLOTS - 1);
    }
    if (lengths[slot] == 0) {
      if (candidates >= SLOTS * 3 / 4) {
        return;
      }
      used[candidates++] = slot;
      symbols[slot] = symbol;
      lengths[slot] = length;
      gains[slot] = 0;
    }
    gains[slot] += gain;
  }

  /** Takes the candidates of the largest gains; of equal ones those that were found first. */
  private SymbolTable choose() {
    long[] ranked = new long[candidates];
    for (int i = 0; i < candidates; i++) {
      ranked[i] = (gains[used[i]] << SLOT_BITS) | (SLOTS - 1 - i);
    }
    Arrays.sort(ranked);
    int count = Math.min(SymbolTable.MAX_SYMBOLS, candidates);
    long[] chosen = new long[count];
    int[] chosenLengths = new int[count];
    for (int i = 0; i < count; i++) {
      int slot = used[SLOTS - 1 - (int) (ranked[candidates - 1 - i] & (SLOTS - 1))];
      chosen[i] = symbols[slot];
      chosenLengths[i] = lengths[slot];
    }
    return new SymbolTable(chosen, chosenLengths);
  }
}
