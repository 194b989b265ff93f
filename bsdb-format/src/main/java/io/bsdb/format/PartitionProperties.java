package io.bsdb.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The properties section of a partition file: what a reader must know to decode its blocks, and the
 * totals that an overview shows.
 *
 * @param recordCount records in the partition
 * @param keyStorage whether records hold their keys
 * @param keyLength length in bytes of every key, or {@link #VARYING}
 * @param valueLength length in bytes of every value, or {@link #VARYING}
 * @param signatureBits bits per signature, 0 to 32
 * @param blockSize length in bytes that blocks aim at
 * @param alignment what block offsets and lengths are multiples of: 1 or {@link
 *     SnapshotFormat#PAGE}
 * @param codec how records are encoded
 * @param maxFrameLength longest frame in bytes, decompressed; of records that are encoded singly,
 *     the longest one, decoded; 0 for others
 * @param maxBlockLength longest block in bytes, padding included
 * @param keyBytes sum of key lengths
 * @param valueBytes sum of value lengths
 * @hidden
 */
@Internal
public record PartitionProperties(
    int recordCount,
    KeyStorage keyStorage,
    int keyLength,
    int valueLength,
    int signatureBits,
    int blockSize,
    int alignment,
    Codec codec,
    int maxFrameLength,
    int maxBlockLength,
    long keyBytes,
    long valueBytes) {

  /** Stands for a length that differs from record to record. */
  public static final int VARYING = -1;

  private static final int RECORD_COUNT = 0;
  private static final int KEY_STORAGE = 4;
  private static final int KEY_LENGTH = 8;
  private static final int VALUE_LENGTH = 12;
  private static final int SIGNATURE_BITS = 16;
  private static final int BLOCK_SIZE = 20;
  private static final int ALIGNMENT = 24;
  private static final int CODEC = 28;
  private static final int MAX_FRAME_LENGTH = 32;
  private static final int MAX_BLOCK_LENGTH = 36;
  private static final int KEY_BYTES = 40;
  private static final int VALUE_BYTES = 48;

  /** Length of the section in bytes. Later versions may append to it. */
  public static final int LENGTH = 64;

  /**
   * Encoding of the records of a partition.
   *
   * @hidden
   */
  public enum Codec {
    /** Blocks hold records as they are. */
    NONE(0),
    /**
     * Blocks hold magicless zstd frames, compressed with the dictionary section if there is one.
     */
    ZSTD(1),
    /** Each record is encoded by itself, with the tables of the symbols section. */
    SYMBOLS(2);

    private final int id;

    Codec(int id) {
      this.id = id;
    }

    private static Codec of(int id, String file) throws CorruptSnapshotException {
      for (Codec codec : values()) {
        if (codec.id == id) {
          return codec;
        }
      }
      throw outOfRange(file, "codec", id);
    }
  }

  /**
   * Returns whether all records of the partition have one encoded length, so that blocks need no
   * slots.
   */
  public boolean hasFixedRecords() {
    return codec != Codec.SYMBOLS
        && valueLength != VARYING
        && (keyStorage == KeyStorage.OMITTED || keyLength != VARYING);
  }

  /** Returns the encoded length of every record in bytes. Only if {@link #hasFixedRecords}. */
  public int fixedRecordLength() {
    return valueLength + (keyStorage == KeyStorage.OMITTED ? 0 : keyLength);
  }

  public ByteBuffer encode() {
    ByteBuffer buffer = ByteBuffer.allocate(LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    buffer.putInt(RECORD_COUNT, recordCount);
    buffer.putInt(KEY_STORAGE, keyStorage.id);
    buffer.putInt(KEY_LENGTH, keyLength);
    buffer.putInt(VALUE_LENGTH, valueLength);
    buffer.putInt(SIGNATURE_BITS, signatureBits);
    buffer.putInt(BLOCK_SIZE, blockSize);
    buffer.putInt(ALIGNMENT, alignment);
    buffer.putInt(CODEC, codec.id);
    buffer.putInt(MAX_FRAME_LENGTH, maxFrameLength);
    buffer.putInt(MAX_BLOCK_LENGTH, maxBlockLength);
    buffer.putLong(KEY_BYTES, keyBytes);
    buffer.putLong(VALUE_BYTES, valueBytes);
    return buffer;
  }

  /**
   * Decodes and range-checks the section.
   *
   * @param section its bytes, little-endian
   * @param file named in errors
   */
  public static PartitionProperties decode(ByteBuffer section, String file)
      throws CorruptSnapshotException {
    if (section.limit() < LENGTH) {
      throw new CorruptSnapshotException(
          "properties section too short: file=%s expected>=%d actual=%d"
              .formatted(file, LENGTH, section.limit()));
    }
    int keyStorage = section.getInt(KEY_STORAGE);
    check(keyStorage == 0 || keyStorage == 1, file, "key storage", keyStorage);
    PartitionProperties properties =
        new PartitionProperties(
            section.getInt(RECORD_COUNT),
            keyStorage == KeyStorage.STORED.id ? KeyStorage.STORED : KeyStorage.OMITTED,
            section.getInt(KEY_LENGTH),
            section.getInt(VALUE_LENGTH),
            section.getInt(SIGNATURE_BITS),
            section.getInt(BLOCK_SIZE),
            section.getInt(ALIGNMENT),
            Codec.of(section.getInt(CODEC), file),
            section.getInt(MAX_FRAME_LENGTH),
            section.getInt(MAX_BLOCK_LENGTH),
            section.getLong(KEY_BYTES),
            section.getLong(VALUE_BYTES));
    properties.check(file);
    return properties;
  }

  private void check(String file) throws CorruptSnapshotException {
    check(
        recordCount >= 0 && recordCount <= SnapshotFormat.MAX_PARTITION_RECORDS,
        file,
        "record count",
        recordCount);
    check(
        keyLength >= VARYING
            && keyLength <= SnapshotFormat.MAX_KEY_LENGTH
            && (keyLength != 0 || recordCount == 0),
        file,
        "key length",
        keyLength);
    check(
        valueLength >= VARYING && valueLength <= SnapshotFormat.MAX_VALUE_LENGTH,
        file,
        "value length",
        valueLength);
    check(signatureBits >= 0 && signatureBits <= 32, file, "signature bits", signatureBits);
    check(blockSize > 0, file, "block size", blockSize);
    check(alignment == 1 || alignment == SnapshotFormat.PAGE, file, "alignment", alignment);
    int longest = SnapshotFormat.MAX_VALUE_LENGTH + (1 << 20);
    check(maxFrameLength >= 0 && maxFrameLength <= longest, file, "longest frame", maxFrameLength);
    check(maxBlockLength >= 0 && maxBlockLength <= longest, file, "longest block", maxBlockLength);
    check(keyBytes >= 0, file, "key bytes", keyBytes);
    check(valueBytes >= 0, file, "value bytes", valueBytes);
  }

  private static void check(boolean sound, String file, String what, long actual)
      throws CorruptSnapshotException {
    if (!sound) {
      throw outOfRange(file, what, actual);
    }
  }

  private static CorruptSnapshotException outOfRange(String file, String what, long actual) {
    return new CorruptSnapshotException(
        "properties section out of range: file=%s %s=%d".formatted(file, what, actual));
  }
}
