package io.bsdb.format.hash;

import io.bsdb.format.PerfectHashConstruction;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;

/** Builds sections of the pilot kind. */
final class PilotBuilder {

  /** The fastest to build; see {@link PerfectHashConstruction#PILOT}. */
  static final double KEYS_PER_BUCKET = 3.2;

  /** About as many as can be placed; see {@link PerfectHashConstruction#PILOT_DENSE}. */
  static final double DENSE_KEYS_PER_BUCKET = 3.6;

  /** Seeds tried for the whole, beside the slot seeds tried for each part. */
  private static final int SEEDS = 8;

  private final double keysPerBucket;

  /**
   * @param keysPerBucket how many keys share a pilot: a trade of build time for space
   */
  PilotBuilder(double keysPerBucket) {
    this.keysPerBucket = keysPerBucket;
  }

  /**
   * Returns the number of spare slots, about 1 in 128: with fewer the last keys search long, with
   * more the remap list grows.
   */
  private static int spareSlots(int keys) {
    return (keys + 127) >>> 7;
  }

  byte[] build(long[] high, long[] low, int size)
      throws DuplicateHashException, InterruptedIOException {
    long seed = 0;
    for (int attempt = 0; attempt < SEEDS; attempt++) {
      HashParts parts = HashParts.group(high, low, size, seed);
      if (parts.smallestPart() > 0 && parts.largestPart() <= PilotFormat.MAX_PART_KEYS) {
        Section section = new Section(parts, size, keysPerBucket);
        if (section.fill()) {
          return section.bytes;
        }
      }
      parts.rejectDuplicates();
      seed = seed * 0x5851F42D4C957F2DL + 0x14057B7EF767814FL;
    }
    throw new IllegalArgumentException(
        "no perfect hash found: the hashes are far from uniform: size=" + size + " seeds=" + SEEDS);
  }

  /** The section under construction for one seed. */
  private static final class Section {
    private final HashParts parts;
    private final int bucketsPerPart;
    private final int[] remapStarts;
    private final byte[] bytes;
    private final ByteBuffer fields;
    private final int remapOffset;
    private final int pilotsOffset;

    Section(HashParts parts, int size, double keysPerBucket) {
      this.parts = parts;
      int partCount = parts.partCount();
      int keysPerPart = (size + partCount - 1) / partCount;
      bucketsPerPart = (int) Math.ceil(keysPerPart / keysPerBucket);
      remapStarts = new int[partCount + 1];
      for (int part = 0; part < partCount; part++) {
        int keys = parts.start(part + 1) - parts.start(part);
        remapStarts[part + 1] = remapStarts[part] + spareSlots(keys);
      }
      int remapCount = remapStarts[partCount];
      remapOffset = PilotFormat.remapOffset(partCount);
      pilotsOffset = remapOffset + remapCount * PilotFormat.REMAP_BYTES;
      int length = Math.toIntExact(PilotFormat.length(partCount, bucketsPerPart, remapCount));
      bytes = PerfectHashSection.create(PerfectHashKind.PILOT, size, length);
      fields = PerfectHashSection.littleEndian(bytes);
      fields.putLong(PilotFormat.SEED_OFFSET, parts.seed());
      fields.putInt(PilotFormat.PART_COUNT_OFFSET, partCount);
      fields.putInt(PilotFormat.BUCKETS_PER_PART_OFFSET, bucketsPerPart);
      fields.putInt(PilotFormat.REMAP_COUNT_OFFSET, remapCount);
      fields.putLong(PilotFormat.entryOffset(partCount), PilotFormat.entry(size, remapCount, 0));
    }

    /** Returns whether all parts could be placed. */
    boolean fill() throws InterruptedIOException {
      PilotPlacement placement = new PilotPlacement(parts.partCount(), bucketsPerPart);
      for (int part = 0; part < parts.partCount(); part++) {
        HashParts.requireNotInterrupted();
        if (!fill(part, placement)) {
          return false;
        }
      }
      return true;
    }

    private boolean fill(int part, PilotPlacement placement) {
      int from = parts.start(part);
      int to = parts.start(part + 1);
      int keys = to - from;
      int slots = keys + remapStarts[part + 1] - remapStarts[part];
      placement.load(parts.hashes(), from, to, slots);
      int slotSeed = placement.place();
      if (slotSeed < 0) {
        return false;
      }
      fields.putLong(
          PilotFormat.entryOffset(part), PilotFormat.entry(from, remapStarts[part], slotSeed));
      fields.put(pilotsOffset + part * bucketsPerPart, placement.pilots());
      int free = placement.nextFreeSlot(0);
      for (int slot = keys; slot < slots; slot++) {
        // Slots that no key has, which only absent keys reach, get the next free slot as well.
        int position = remapStarts[part] + slot - keys;
        fields.putShort(
            remapOffset + position * PilotFormat.REMAP_BYTES, (short) Math.min(free, keys - 1));
        if (placement.isTaken(slot)) {
          free = placement.nextFreeSlot(free + 1);
        }
      }
      return true;
    }
  }
}
