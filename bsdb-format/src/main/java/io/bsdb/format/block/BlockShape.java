package io.bsdb.format.block;

import io.bsdb.format.KeyStorage;

/**
 * Arrangement of a partition's records in blocks: the whole difference between layouts.
 *
 * @param blockSize length that blocks aim at, header included, 512 to 65,536 bytes; a record that
 *     does not fit gets a longer block of its own
 * @param alignment what block lengths are padded to: 1 or a page
 * @param keyStorage whether keys are written
 * @param keyLength length of every key in bytes, or {@code VARYING}
 * @param valueLength length of every value in bytes, or {@code VARYING}
 * @param frameRecords records per compressed frame; 0 for blocks without frames
 * @param frameLimit bytes of plain records after which a frame ends early
 */
public record BlockShape(
    int blockSize,
    int alignment,
    KeyStorage keyStorage,
    int keyLength,
    int valueLength,
    int frameRecords,
    int frameLimit) {

  boolean hasKeyPrefix() {
    return keyStorage == KeyStorage.STORED && keyLength < 0;
  }

  boolean hasSlots() {
    return valueLength < 0 || hasKeyPrefix();
  }
}
