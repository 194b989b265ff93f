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
   * Cost. One access to the pilots, which for many keys is the one cache miss. The directory (8 bytes
   * per part, 13 KB at 100 million keys) stays in the nearest caches, and its loads do not wait for
   * the pilot; it is copied when opened, so what was checked is what is used. Buckets are skewed (a
   * few of hundreds of keys, many of one or two), because large buckets are cheap to place while the
   * part is empty and small ones while it is full. Parts bound the builder's working set to the
   * second-level cache and make 16-bit remap entries enough.
   *
   * R. Groot Koerkamp, PtrHash: Minimal Perfect Hashing at RAM Throughput, SEA 2025 (8-bit pilots,
   * parts, eviction, cubic skew); G. E. Pibiri and R. Trani, PTHash: Revisiting FCH Minimal Perfect
   * Hashing, SIGIR 2021 (pilots, remap of the excess slots).
   */

  /** Keys looked up together: many misses in a row, and their words still in the first cache. */
  private static final int BATCH = 1024;

  private final ByteBuffer section;
  private final int size;
  private final long seed;
  private final long[] directory;
  private final int partCount;
  private final int bucketsPerPart;
  private final int remapOffset;
  private final int pilotsOffset;

  private PilotPerfectHash(
      ByteBuffer section, int size, long[] directory, int bucketsPerPart, int remapCount) {
    this.section = section;
    this.size = size;
    this.seed = section.getLong(PilotFormat.SEED_OFFSET);
    this.directory = directory;
    this.partCount = directory.length - 1;
    this.bucketsPerPart = bucketsPerPart;
    this.remapOffset = PilotFormat.remapOffset(partCount);
    this.pilotsOffset = remapOffset + remapCount * PilotFormat.REMAP_BYTES;
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

    long[] directory = new long[partCount + 1];
    int rank = 0;
    int remapPosition = 0;
    for (int part = 0; part <= partCount; part++) {
      long entry = section.getLong(PilotFormat.entryOffset(part));
      int leastKeys = part == 0 ? 0 : 1;
      int mostKeys = part == 0 ? 0 : Math.min(size - rank, PilotFormat.MAX_PART_KEYS);
      int keys = PilotFormat.entryRank(entry) - rank;
      require("keys before part " + part, keys, leastKeys, mostKeys);
      int spare = PilotFormat.entryRemapPosition(entry) - remapPosition;
      require("spare slots before part " + part, spare, 0, keys);
      directory[part] = entry;
      rank += keys;
      remapPosition += spare;
    }
    require("last rank", rank, size, size);
    require("last remap position", remapPosition, remapCount, remapCount);
    return new PilotPerfectHash(section, size, directory, buckets, remapCount);
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public PerfectHashKind kind() {
    return PerfectHashKind.PILOT;
  }

  @Override
  public int rank(long high, long low) {
    long hash = PilotFormat.mix(high, low, seed);
    return rank(hash, section.get(pilotOffset(hash)));
  }

  @Override
  public int touch(long high, long low) {
    return section.get(pilotOffset(PilotFormat.mix(high, low, seed)));
  }

  @Override
  public void ranks(long[] high, long[] low, int count, int[] ranks) {
    Objects.checkFromIndexSize(0, count, Math.min(ranks.length, Math.min(high.length, low.length)));
    for (int from = 0; from < count; from += BATCH) {
      int to = Math.min(count, from + BATCH);
      // The array of ranks serves as scratch: first where each pilot lies, then the pilot. The loop
      // between is cache misses and little else, so as many as the core allows are under way.
      for (int i = from; i < to; i++) {
        ranks[i] = pilotOffset(PilotFormat.mix(high[i], low[i], seed));
      }
      for (int i = from; i < to; i++) {
        ranks[i] = section.get(ranks[i]);
      }
      for (int i = from; i < to; i++) {
        ranks[i] = rank(PilotFormat.mix(high[i], low[i], seed), ranks[i]);
      }
    }
  }

  private int pilotOffset(long hash) {
    return pilotsOffset
        + PilotFormat.part(hash, partCount) * bucketsPerPart
        + PilotFormat.bucket(hash, partCount, bucketsPerPart);
  }

  private int rank(long hash, int pilot) {
    int part = PilotFormat.part(hash, partCount);
    long entry = directory[part];
    long next = directory[part + 1];
    int keys = PilotFormat.entryKeys(entry, next);
    int slots = keys + PilotFormat.entrySpareSlots(entry, next);
    long pilotHash = PilotFormat.pilotHash(pilot & 0xFF, PilotFormat.entrySlotSeed(entry));
    int slot = PilotFormat.slot(PilotFormat.slotKey(hash), pilotHash, slots);
    if (slot >= keys) {
      slot = remap(PilotFormat.entryRemapPosition(entry) + slot - keys, keys);
    }
    return PilotFormat.entryRank(entry) + slot;
  }

  private int remap(int position, int keys) {
    int slot = section.getShort(remapOffset + position * PilotFormat.REMAP_BYTES) & 0xFFFF;
    return Math.min(slot, keys - 1);
  }
}
