package io.bsdb.format.hash;

/**
 * The arithmetic and the section layout that the builder and the evaluator of the pilot kind share.
 * Changing anything here changes the format.
 */
final class PilotFormat {

  /* Header: that of every kind (see PerfectHashSection), then these. */
  static final int SEED_OFFSET = 8;
  static final int PART_COUNT_OFFSET = 16;
  static final int BUCKETS_PER_PART_OFFSET = 20;
  static final int REMAP_COUNT_OFFSET = 24;
  static final int RESERVED_OFFSET = 28;
  static final int DIRECTORY_OFFSET = 32;

  static final int ENTRY_BYTES = Long.BYTES;
  static final int REMAP_BYTES = Short.BYTES;

  /** A remap entry is 16 bits wide, so no part holds more keys than this. */
  static final int MAX_PART_KEYS = 1 << 16;

  static final int MAX_PART_BUCKETS = 1 << 16;

  /** Bits of a directory entry: 32 of rank, 24 of remap position, 8 of slot seed. */
  private static final int REMAP_SHIFT = 32;

  private static final int REMAP_MASK = (1 << 24) - 1;
  private static final int SLOT_SEED_SHIFT = 56;

  /** Number of values of a pilot. */
  static final int PILOTS = 1 << 8;

  /* Odd numbers without structure: the golden ratio's bits, the multipliers of known finalizers. */
  private static final long LOW_MULTIPLIER = 0x9E3779B97F4A7C15L;
  private static final long HIGH_MULTIPLIER = 0xFF51AFD7ED558CCDL;
  private static final long PILOT_MULTIPLIER = 0xC4CEB9FE1A85EC53L;
  private static final long SLOT_MULTIPLIER = 0xBF58476D1CE4E5B9L;

  private PilotFormat() {}

  static int entryOffset(int part) {
    return DIRECTORY_OFFSET + part * ENTRY_BYTES;
  }

  static int remapOffset(int partCount) {
    return entryOffset(partCount + 1);
  }

  static long length(long partCount, int bucketsPerPart, int remapCount) {
    return DIRECTORY_OFFSET
        + (partCount + 1) * ENTRY_BYTES
        + (long) remapCount * REMAP_BYTES
        + partCount * bucketsPerPart;
  }

  /**
   * Returns the 64 bits from which part, bucket and slot are taken. A bijection of {@code low} for
   * a fixed {@code high}, hence uniform and independent of every bit of {@code high} when {@code
   * low} is. The seed enters by exclusive or, before the multiplications: it flips the signs of the
   * terms of the difference of two inputs, so two inputs that meet under one seed part under
   * another. (Multiplying by the seed instead would leave inputs that differ in the top bit only
   * together for ever.)
   */
  static long mix(long high, long low, long seed) {
    return (low ^ seed) * LOW_MULTIPLIER + Long.rotateLeft((high ^ seed) * HIGH_MULTIPLIER, 32);
  }

  /**
   * Returns the part of a hash: {@code floor(partCount * u)}, with u in [0, 1) its upper 32 bits.
   */
  static int part(long hash, int partCount) {
    return (int) (((hash >>> 32) * partCount) >>> 32);
  }

  /**
   * Returns the bucket of a hash among those of all parts, {@code floor(bucketsPerPart * (part +
   * x^2 (1 + x) / 2))}, with x in [0, 1) the fraction that {@link #part} drops, in 31-bit
   * fixed-point arithmetic.
   *
   * @param partCount times {@code bucketsPerPart} less than 2^31
   */
  static int bucket(long hash, int partCount, int bucketsPerPart) {
    long scaled = (hash >>> 32) * partCount;
    long x = (scaled & 0xFFFFFFFFL) >>> 1;
    long skewed = (((x * x) >>> 31) * (x + (1L << 31))) >>> 32;
    return (int) (((((scaled >>> 32) << 31) + skewed) * bucketsPerPart) >>> 31);
  }

  /** Returns what a pilot contributes to the slot of each key of its bucket. */
  static long pilotHash(int pilot, int slotSeed) {
    return (pilot | slotSeed << 8) * PILOT_MULTIPLIER;
  }

  /**
   * Returns what a key contributes to its slot: its hash, folded. Without that, regular hashes (the
   * lattice that {@link #mix} makes of a sequence) would stay regular and collide too often.
   */
  static long slotKey(long hash) {
    return hash ^ hash >>> 32;
  }

  /** Returns the slot of a key in {@code [0, slots)}. */
  static int slot(long slotKey, long pilotHash, int slots) {
    return (int) (((((slotKey ^ pilotHash) * SLOT_MULTIPLIER) >>> 32) * slots) >>> 32);
  }

  static long entry(int rank, int remapPosition, int slotSeed) {
    return rank | (long) remapPosition << REMAP_SHIFT | (long) slotSeed << SLOT_SEED_SHIFT;
  }

  static int entryRank(long entry) {
    return (int) entry;
  }

  static int entryRemapPosition(long entry) {
    return (int) (entry >>> REMAP_SHIFT) & REMAP_MASK;
  }

  static int entrySlotSeed(long entry) {
    return (int) (entry >>> SLOT_SEED_SHIFT);
  }
}
