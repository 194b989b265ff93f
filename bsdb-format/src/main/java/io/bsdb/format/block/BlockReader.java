package io.bsdb.format.block;

import static io.bsdb.format.SnapshotFormat.BLOCK_CHECKSUM;
import static io.bsdb.format.SnapshotFormat.BLOCK_CONTENT_LENGTH;
import static io.bsdb.format.SnapshotFormat.BLOCK_FIRST_RANK;
import static io.bsdb.format.SnapshotFormat.BLOCK_FLAGS;
import static io.bsdb.format.SnapshotFormat.BLOCK_FLAG_FRAMES;
import static io.bsdb.format.SnapshotFormat.BLOCK_FRAME_PLAIN_LENGTH;
import static io.bsdb.format.SnapshotFormat.BLOCK_HEADER_LENGTH;
import static io.bsdb.format.SnapshotFormat.SLOT_BYTES;
import static io.bsdb.format.SnapshotFormat.hex;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.KeyStorage;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.PartitionProperties;
import io.bsdb.format.PartitionProperties.Codec;
import io.bsdb.format.SectionKind;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.symbols.RecordSymbols;
import io.bsdb.format.symbols.SymbolTable;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Finds records in the blocks of one partition. Immutable and safe for many threads; allocates
 * nothing. Buffers are little-endian and addressed absolutely; their position is neither read nor
 * moved. Every length and offset that a block states is checked against the block before use.
 */
public final class BlockReader {
  /** Result of {@link #value} when the record has another key. */
  public static final long ABSENT = -1;

  private static final int FRAME_HEADER_LENGTH = 2;
  private static final int FRAME_BLOCK_HEADER_LENGTH = 3;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final PartChecksum checksum;
  private final String file;
  private final boolean keysStored;
  private final int fixedKeyLength;
  private final int fixedRecordLength;
  private final int minValueLength;
  private final int maxValueLength;
  private final int alignment;
  private final boolean frames;
  private final int maxFrameLength;
  private final int maxStoredKeyLength;
  private final long blocksOffset;

  /** Reads records that are stored as they are, or in frames. */
  public BlockReader(PartitionProperties properties, PartChecksum checksum, String file) {
    this(properties, checksum, file, 0, null);
  }

  /**
   * @param checksum of the file
   * @param file named in messages
   * @param blocksOffset where the blocks start in the file
   * @param symbols with which records are encoded; null if they are not
   */
  public BlockReader(
      PartitionProperties properties,
      PartChecksum checksum,
      String file,
      long blocksOffset,
      @Nullable RecordSymbols symbols) {
    this.blocksOffset = blocksOffset;
    this.checksum = checksum;
    this.file = file;
    keysStored = properties.keyStorage() == KeyStorage.STORED;
    int expansion = symbols == null ? 0 : SymbolTable.MAX_EXPANSION;
    boolean keysEncoded = symbols != null && symbols.encodesKeys();
    fixedKeyLength = keysEncoded ? PartitionProperties.VARYING : properties.keyLength();
    maxStoredKeyLength = SnapshotFormat.MAX_KEY_LENGTH + (keysEncoded ? expansion : 0);
    fixedRecordLength =
        properties.hasFixedRecords() ? properties.fixedRecordLength() : PartitionProperties.VARYING;
    boolean varying = symbols != null || properties.valueLength() == PartitionProperties.VARYING;
    minValueLength = varying ? 0 : properties.valueLength();
    maxValueLength =
        varying ? SnapshotFormat.MAX_VALUE_LENGTH + expansion : properties.valueLength();
    alignment = properties.alignment();
    frames = properties.codec() == Codec.ZSTD;
    maxFrameLength = properties.maxFrameLength();
  }

  /** Returns the name of the partition's file, for messages. */
  public String file() {
    return file;
  }

  /** Returns where the blocks start in the file. */
  public long blocksOffset() {
    return blocksOffset;
  }

  /** Returns whether records hold their keys. */
  boolean storesKeys() {
    return keysStored;
  }

  /** Returns the longest record in bytes, decoded, of records that are encoded singly. */
  int maxRecordLength() {
    return maxFrameLength;
  }

  /** Returns the longest key in bytes, decoded, of records that are encoded singly. */
  int maxKeyLength() {
    return Math.min(maxFrameLength, SnapshotFormat.MAX_KEY_LENGTH);
  }

  /**
   * Says where a record lies that cannot be decoded.
   *
   * @param blockOffset of its block, from the start of the blocks
   */
  public CorruptSnapshotException undecodable(long blockOffset, long rank, Exception cause) {
    return new CorruptSnapshotException(
        "record cannot be decoded: file=%s offset=%d rank=%d: %s"
            .formatted(file, blocksOffset + blockOffset, rank, cause.getMessage()),
        cause);
  }

  /**
   * Checks a block's checksum and header.
   *
   * @param block holds the block at {@code [base, base + length)}
   * @param length the block's length by the index, padding included
   * @param fileOffset where the block lies in its file
   * @param firstRank the rank of its first record by the index
   */
  public void verify(ByteBuffer block, int base, int length, long fileOffset, int firstRank)
      throws CorruptSnapshotException {
    if (length < BLOCK_HEADER_LENGTH) {
      throw new CorruptSnapshotException(
          "block too short: file=%s offset=%d expected>=%d actual=%d"
              .formatted(file, fileOffset, BLOCK_HEADER_LENGTH, length));
    }
    int expected = block.getInt(base + BLOCK_CHECKSUM);
    int actual =
        checksum.of(
            SectionKind.BLOCKS.id(),
            fileOffset,
            block,
            base + BLOCK_CONTENT_LENGTH,
            length - BLOCK_CONTENT_LENGTH);
    if (expected != actual) {
      throw new CorruptSnapshotException(
          "block checksum mismatch: file=%s offset=%d expected=%s actual=%s"
              .formatted(file, fileOffset, hex(expected), hex(actual)));
    }
    int content = block.getInt(base + BLOCK_CONTENT_LENGTH);
    boolean hasFrames = (block.get(base + BLOCK_FLAGS) & BLOCK_FLAG_FRAMES) != 0;
    if (content < BLOCK_HEADER_LENGTH
        || content > length
        || length - content >= alignment
        || block.getInt(base + BLOCK_FIRST_RANK) != firstRank
        || hasFrames != frames
        || (hasFrames && BlockHeader.frameRecords(block, base) == 0)) {
      throw new CorruptSnapshotException(
          "block header contradicts the block index: file=%s offset=%d length=%d content=%d expected first rank=%d actual=%d"
              .formatted(
                  file,
                  fileOffset,
                  length,
                  content,
                  firstRank,
                  block.getInt(base + BLOCK_FIRST_RANK)));
    }
    if (frames) {
      for (int frame = 0; frame < BlockHeader.frameCount(block, base); frame++) {
        long place = frame(block, base, frame);
        requireOneFrame(block, (int) (place >>> 32), (int) place);
      }
    } else {
      verifyBody(
          block,
          base + BLOCK_HEADER_LENGTH,
          content - BLOCK_HEADER_LENGTH,
          BlockHeader.recordCount(block, base));
    }
  }

  /**
   * Checks where the records of a body lie, and the lengths of their keys and values, so that a
   * lookup need not.
   *
   * @param body holds slots, if any, and records at {@code [base, base + length)}
   * @param count how many records the body holds
   */
  void verifyBody(ByteBuffer body, int base, int length, int count)
      throws CorruptSnapshotException {
    int first = fixedRecordLength >= 0 ? 0 : SLOT_BYTES * count;
    boolean filled =
        fixedRecordLength >= 0
            ? length == count * (long) fixedRecordLength
            : count == 0 || (first <= length && start(body, base, 0) == first);
    if (!filled) {
      throw damaged("record", 0, count, first, length, length);
    }
    for (int i = 0; i < count; i++) {
      long record = record(body, base, length, count, i);
      if ((record >>> 32) - base < first) {
        throw damaged("record", i, count, (int) (record >>> 32) - base, first, length);
      }
      long key = key(body, record);
      int valueLength = (int) after(key, record);
      if (keysStored && fixedKeyLength < 0) {
        requireCanonical((int) (key >>> 32) - (int) (record >>> 32), (int) key);
      }
      if (valueLength < minValueLength || valueLength > maxValueLength) {
        throw new CorruptSnapshotException(
            "value has an impossible length: file=%s expected=%d..%d actual=%d"
                .formatted(file, minValueLength, maxValueLength, valueLength));
      }
    }
  }

  /**
   * Checks that the bytes are one frame whose header has nothing but the window: zstd would also
   * take several frames, and others. Follows the headers of the frame's blocks (RFC 8878, 3.1.1.2).
   */
  private void requireOneFrame(ByteBuffer source, int offset, int length)
      throws CorruptSnapshotException {
    int end = offset + length;
    int next = offset + FRAME_HEADER_LENGTH;
    int last = 0;
    while (last == 0 && end - next >= FRAME_BLOCK_HEADER_LENGTH) {
      int header = (source.getShort(next) & 0xFFFF) | (source.get(next + 2) & 0xFF) << 16;
      boolean repeatsOneByte = ((header >> 1) & 3) == 1;
      last = header & 1;
      next += FRAME_BLOCK_HEADER_LENGTH + (repeatsOneByte ? 1 : header >> 3);
    }
    if (last == 0 || next != end || source.get(offset) != 0) {
      throw new CorruptSnapshotException(
          "not one frame without content size, checksum and dictionary id: file=%s length=%d"
              .formatted(file, length));
    }
  }

  private void requireCanonical(int prefixLength, int keyLength) throws CorruptSnapshotException {
    int expected = keyLength < 1 << 7 ? 1 : keyLength < 1 << 14 ? 2 : 3;
    if (keyLength < 1 || keyLength > maxStoredKeyLength || prefixLength != expected) {
      throw new CorruptSnapshotException(
          "key length is out of range or has more bytes than it needs: file=%s expected=1..%d actual=%d in %d bytes"
              .formatted(file, maxStoredKeyLength, keyLength, prefixLength));
    }
  }

  /** Returns the length of the block's longest frame in bytes, decompressed. */
  public int framePlainLength(ByteBuffer block, int base) throws CorruptSnapshotException {
    int length = block.getInt(base + BLOCK_FRAME_PLAIN_LENGTH);
    if (length < 0 || length > maxFrameLength) {
      throw new CorruptSnapshotException(
          "frame longer than its partition allows: file=%s expected<=%d actual=%d"
              .formatted(file, maxFrameLength, length));
    }
    return length;
  }

  /**
   * Returns where a frame lies.
   *
   * @param frame its number within the block
   * @return offset within the buffer in the upper 32 bits, length in the lower
   */
  public long frame(ByteBuffer block, int base, int frame) throws CorruptSnapshotException {
    int content = block.getInt(base + BLOCK_CONTENT_LENGTH);
    int frameCount = BlockHeader.frameCount(block, base);
    int entry = base + BLOCK_HEADER_LENGTH + SLOT_BYTES * frame;
    int first = BLOCK_HEADER_LENGTH + SLOT_BYTES * frameCount;
    int start = first + (block.getShort(entry) & 0xFFFF);
    int end =
        frame + 1 < frameCount ? first + (block.getShort(entry + SLOT_BYTES) & 0xFFFF) : content;
    if (frame < 0
        || frame >= frameCount
        || (frame == 0 && start != first)
        || start > end
        || end > content) {
      throw damaged("frame", frame, frameCount, start, end, content);
    }
    return ((long) (base + start) << 32) | (end - start);
  }

  /**
   * Returns where record {@code index} of a body lies.
   *
   * @param body holds slots, if any, and records at {@code [base, base + length)}
   * @param count how many records the body holds
   * @return offset within the buffer in the upper 32 bits, length in the lower
   */
  public long record(ByteBuffer body, int base, int length, int count, int index)
      throws CorruptSnapshotException {
    int start = start(body, base, index);
    int end = end(body, base, length, count, index);
    if (index < 0 || index >= count || start > end || end > length) {
      throw damaged("record", index, count, start, end, length);
    }
    return ((long) (base + start) << 32) | (end - start);
  }

  /**
   * Returns the key in a record; empty if keys are not stored.
   *
   * @param record where it lies, returned by {@link #record}
   * @return offset within the buffer in the upper 32 bits, length in the lower
   */
  public long key(ByteBuffer body, long record) throws CorruptSnapshotException {
    int start = (int) (record >>> 32);
    if (!keysStored) {
      return (long) start << 32;
    }
    int keyLength = fixedKeyLength;
    int end = start + (int) record;
    if (keyLength < 0) {
      long prefix = varint(body, start, end);
      keyLength = (int) prefix;
      start += (int) (prefix >>> 32);
    }
    if (start + keyLength > end) {
      throw new CorruptSnapshotException(
          "key is longer than its record: file=%s key length=%d record length=%d"
              .formatted(file, keyLength, (int) record));
    }
    return ((long) start << 32) | keyLength;
  }

  /** Returns the value in a record; as {@link #key}. */
  public long value(ByteBuffer body, long record) throws CorruptSnapshotException {
    return after(key(body, record), record);
  }

  /**
   * Returns the value in a record with this key.
   *
   * @return as {@link #key}, or {@link #ABSENT} if the record has another key. A partition without
   *     keys compares nothing.
   */
  public long value(ByteBuffer body, long record, byte[] key) throws CorruptSnapshotException {
    if (!keysStored) {
      return record;
    }
    long stored = key(body, record);
    if ((int) stored != key.length || !equal(body, (int) (stored >>> 32), key)) {
      return ABSENT;
    }
    return after(stored, record);
  }

  /** Returns the range after a key up to its record's end. */
  static long after(long key, long record) {
    int start = (int) (key >>> 32) + (int) key;
    int end = (int) (record >>> 32) + (int) record;
    return ((long) start << 32) | (end - start);
  }

  private int start(ByteBuffer body, int base, int index) {
    return fixedRecordLength >= 0
        ? index * fixedRecordLength
        : body.getShort(base + SLOT_BYTES * index) & 0xFFFF;
  }

  private int end(ByteBuffer body, int base, int length, int count, int index) {
    if (fixedRecordLength >= 0) {
      return (index + 1) * fixedRecordLength;
    }
    return index + 1 < count ? start(body, base, index + 1) : length;
  }

  private CorruptSnapshotException damaged(
      String part, int index, int count, int start, int end, int length) {
    return new CorruptSnapshotException(
        "%s lies outside of its block: file=%s %s=%d of %d start=%d end=%d length=%d"
            .formatted(part, file, part, index, count, start, end, length));
  }

  /**
   * Returns the length of a number in the upper 32 bits, the number (up to 21 bits) in the lower.
   */
  private long varint(ByteBuffer body, int position, int limit) throws CorruptSnapshotException {
    int number = 0;
    for (int i = 0; i < 3 && position + i < limit; i++) {
      int octet = body.get(position + i);
      number |= (octet & 0x7F) << (7 * i);
      if (octet >= 0) {
        return ((i + 1L) << 32) | number;
      }
    }
    throw new CorruptSnapshotException("key length does not end within its record: file=" + file);
  }

  /**
   * Returns whether {@code key} stands at {@code offset}; the caller has checked that so many bytes
   * do.
   */
  public static boolean equal(ByteBuffer buffer, int offset, byte[] key) {
    int length = key.length;
    if (length < 8) {
      for (int i = 0; i < length; i++) {
        if (buffer.get(offset + i) != key[i]) {
          return false;
        }
      }
      return true;
    }
    for (int i = 0; i < length - 8; i += 8) {
      if (buffer.getLong(offset + i) != (long) LONGS.get(key, i)) {
        return false;
      }
    }
    return buffer.getLong(offset + length - 8) == (long) LONGS.get(key, length - 8);
  }
}
