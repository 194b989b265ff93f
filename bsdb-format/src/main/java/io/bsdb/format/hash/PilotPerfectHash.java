package io.bsdb.format.hash;

import static io.bsdb.format.hash.PerfectHashSection.require;
import static io.bsdb.format.hash.PerfectHashSection.requireLength;

import io.bsdb.format.CorruptSnapshotException;
import java.nio.ByteBuffer;
import java.util.Objects;

/** Evaluates the pilot kind in place. */
final class PilotPerfectHash implements PerfectHash {
  /*
   * Idea. Keys are split by hash into parts of about 60,000, and a part's keys into buckets of about
   * three. Each bucket has an 8-bit pilot, found by the builder, such that
   *
   *   slot(hash, pilot) = floor(slots * scramble(hash, pilot))
   *
   * sends all keys of the part to different slots. A part of m keys has about m/128 more slots than
   * keys: the last few keys to be placed would otherwise search too long. The keys that land at or
   * above m (under 1%) go through a remap list to the slots below m that stayed free. Ranks of a
   * part follow those of the part before it.
   *
   * Invariants that make a rank an arithmetic consequence of the checked header and directory, whatever
   * pilots and remap entries say: part < partCount, bucket < bucketsPerPart and slot < slots by
   * multiply-and-shift; every part has at least one key; a remap entry is clamped to the last key.
   *
   * Cost. One access to the pilots, which for many keys is the one cache miss. The directory is
   * copied when opened, so what was checked is what is used, and decoded (16 bytes per part, 27 KB at
   * 100 million keys): it stays in the nearest caches, and its loads do not wait for the pilot. Lookups
   * that do not wait for each other have their misses in flight at once, as many as fit the core's
   * reorder window of some hundreds of instructions. So instructions are what lookups are spared, 85
   * each; 20 more cost a quarter of the time at 100 million keys. Buckets are skewed (a
   * few of hundreds of keys, many of one or two), because large buckets are cheap to place while the
   * part is empty and small ones while it is full. Parts bound the builder's working set to the
   * second-level cache and make 16-bit remap entries enough.
   *
   * R. Groot Koerkamp, PtrHash: Minimal Perfect Hashing at RAM Throughput, SEA 2025 (8-bit pilots,
   * parts, eviction, cubic skew); G. E. Pibiri and R. Trani, PTHash: Revisiting FCH Minimal Perfect
   * Hashing, SIGIR 2021 (pilots, remap of the excess slots).
   */

  /** Keys looked up together: few ends of loops, and their hashes still in a near cache. */
  private static final int BATCH = 4096;

  /* A part in the directory: so many numbers, these. */
  private static final int PART = 4;
  private static final int SLOT_SEED = 0;
  private static final int SLOTS = 1;
  private static final int KEYS = 2;
  private static final int FIRST_RANK = 3;

  private final ByteBuffer section;
  private final int size;
  private final long seed;
  private final int[] directory;

  /** By part: where its remap entries begin in the section. */
  private final int[] remaps;

  private final int partCount;
  private final int bucketsPerPart;
  private final int pilotsOffset;

  private PilotPerfectHash(
      ByteBuffer section,
      int size,
      int[] directory,
      int[] remaps,
      int bucketsPerPart,
      int pilotsOffset) {
    this.section = section;
    this.size = size;
    this.seed = section.getLong(PilotFormat.SEED_OFFSET);
    this.directory = directory;
    this.remaps = remaps;
    this.partCount = remaps.length;
    this.bucketsPerPart = bucketsPerPart;
    this.pilotsOffset = pilotsOffset;
  }

  /** Checks all that a rank relies on; linear in the number of parts. */
  static PerfectHash open(ByteBuffer section, int size) throws CorruptSnapshotException {
    requireLength(section, PilotFormat.DIRECTORY_OFFSET);
    int partCount = section.getInt(PilotFormat.PART_COUNT_OFFSET);
    require("part count", partCount, 1, size);
    int buckets = section.getInt(PilotFormat.BUCKETS_PER_PART_OFFSET);
    require("buckets per part", buckets, 1, PilotFormat.MAX_PART_BUCKETS);
    int remapCount = section.getInt(PilotFormat.REMAP_COUNT_OFFSET);
    require("remap count", remapCount, 0, size);
    require("reserved field", section.getInt(PilotFormat.RESERVED_OFFSET), 0, 0);
    long length = PilotFormat.length(partCount, buckets, remapCount);
    require("length", section.capacity(), length, length);

    int[] directory = new int[partCount * PART];
    int[] remaps = new int[partCount];
    int rank = 0;
    int remapPosition = 0;
    long entry = section.getLong(PilotFormat.entryOffset(0));
    require("first rank", PilotFormat.entryRank(entry), 0, 0);
    require("first remap position", PilotFormat.entryRemapPosition(entry), 0, 0);
    for (int part = 0; part < partCount; part++) {
      long next = section.getLong(PilotFormat.entryOffset(part + 1));
      int keys = PilotFormat.entryRank(next) - rank;
      require("keys in part " + part, keys, 1, Math.min(size - rank, PilotFormat.MAX_PART_KEYS));
      int spare = PilotFormat.entryRemapPosition(next) - remapPosition;
      require("spare slots in part " + part, spare, 0, keys);
      directory[part * PART + SLOT_SEED] = PilotFormat.entrySlotSeed(entry);
      directory[part * PART + SLOTS] = keys + spare;
      directory[part * PART + KEYS] = keys;
      directory[part * PART + FIRST_RANK] = rank;
      remaps[part] = PilotFormat.remapOffset(partCount) + remapPosition * PilotFormat.REMAP_BYTES;
      rank += keys;
      remapPosition += spare;
      entry = next;
    }
    require("last rank", rank, size, size);
    require("last remap position", remapPosition, remapCount, remapCount);
    require("last slot seed", PilotFormat.entrySlotSeed(entry), 0, 0);
    int pilotsOffset = PilotFormat.remapOffset(partCount) + remapCount * PilotFormat.REMAP_BYTES;
    return new PilotPerfectHash(section, size, directory, remaps, buckets, pilotsOffset);
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public int rank(long high, long low) {
    long hash = PilotFormat.mix(high, low, seed);
    return rank(hash, section.get(pilotOffset(hash)));
  }

  @Override
  public int firstRead(long high, long low) {
    return pilotOffset(PilotFormat.mix(high, low, seed));
  }

  @Override
  public ByteBuffer bytes() {
    return section;
  }

  @Override
  public void ranks(long[] high, long[] low, int count, int[] ranks) {
    Objects.checkFromIndexSize(0, count, Math.min(ranks.length, Math.min(high.length, low.length)));
    long[] hashes = new long[Math.min(count, BATCH)];
    for (int from = 0; from < count; from += BATCH) {
      int to = Math.min(count, from + BATCH);
      // The array of ranks serves as scratch: first where each pilot lies, then the pilot. The loop
      // that reads pilots is cache misses and little else, so as many as the core allows are under
      // way. Loops are methods because one with all of them has too few registers for any.
      mix(high, low, from, to, hashes);
      findPilots(hashes, from, to, ranks);
      readPilots(from, to, ranks);
      rank(hashes, from, to, ranks);
    }
  }

  private void mix(long[] high, long[] low, int from, int to, long[] hashes) {
    for (int i = from; i < to; i++) {
      hashes[i - from] = PilotFormat.mix(high[i], low[i], seed);
    }
  }

  private void findPilots(long[] hashes, int from, int to, int[] ranks) {
    for (int i = from; i < to; i++) {
      ranks[i] = pilotOffset(hashes[i - from]);
    }
  }

  private void readPilots(int from, int to, int[] ranks) {
    for (int i = from; i < to; i++) {
      ranks[i] = section.get(ranks[i]);
    }
  }

  private void rank(long[] hashes, int from, int to, int[] ranks) {
    for (int i = from; i < to; i++) {
      ranks[i] = rank(hashes[i - from], ranks[i]);
    }
  }

  private int pilotOffset(long hash) {
    return pilotsOffset + PilotFormat.bucket(hash, partCount, bucketsPerPart);
  }

  private int rank(long hash, int pilot) {
    int part = PilotFormat.part(hash, partCount);
    int slotSeed = directory[part * PART + SLOT_SEED];
    int slots = directory[part * PART + SLOTS];
    int keys = directory[part * PART + KEYS];
    int firstRank = directory[part * PART + FIRST_RANK];
    long pilotHash = PilotFormat.pilotHash(pilot & 0xFF, slotSeed);
    int slot = PilotFormat.slot(PilotFormat.slotKey(hash), pilotHash, slots);
    return firstRank + (slot < keys ? slot : remap(part, slot - keys, keys));
  }

  private int remap(int part, int spareSlot, int keys) {
    int slot = section.getShort(remaps[part] + spareSlot * PilotFormat.REMAP_BYTES) & 0xFFFF;
    return Math.min(slot, keys - 1);
  }
}
