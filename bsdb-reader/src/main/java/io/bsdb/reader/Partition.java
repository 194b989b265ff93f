package io.bsdb.reader;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.PartitionProperties;
import io.bsdb.format.PartitionProperties.KeyStorage;
import io.bsdb.format.Signatures;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.BlockIndex;
import io.bsdb.format.block.BlockReader;
import io.bsdb.format.hash.PerfectHash;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.io.FileMemory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * One partition file: from a key to its block, and from a block, wherever it was brought to, to the
 * record. Safe for many threads; allocates nothing but values. The owner sees to it that nobody
 * calls it after {@link #close}.
 */
final class Partition implements Closeable {
  private static final int CACHE_LINE = 64;
  private static final int MOST_TOUCHED = 8 * CACHE_LINE;

  private final Path path;
  private final int number;
  private final FileMemory file;
  private final @Nullable DirectFile disk;
  private final PartitionProperties properties;
  private final long blocksOffset;
  private final @Nullable PerfectHash hash;
  private final @Nullable Signatures signatures;
  private final BlockIndex index;
  private final BlockReader blocks;
  private final FrameDecoder.@Nullable Pool decoders;

  /**
   * A bit per block: set once it was found right in memory. A lost update costs a second
   * verification, nothing else.
   */
  private final AtomicLongArray verified;

  /** Records per block where a record's place in it is mere arithmetic; else 0. */
  private final int fixedBlockRecords;

  /**
   * @param checksum of the file
   * @param file the whole file in memory, mapped or copied; or, of a reader that reads blocks from
   *     disk, what comes behind the blocks
   * @param disk the file for reads past the page cache; null if blocks are taken from memory
   * @param hash null if there are no records
   * @param signatures null if the file has none, or if a look at a record costs no more than a look
   *     at its signature
   * @param decoders null if blocks have no frames
   */
  Partition(
      Path path,
      int number,
      PartChecksum checksum,
      FileMemory file,
      @Nullable DirectFile disk,
      PartitionProperties properties,
      long blocksOffset,
      @Nullable PerfectHash hash,
      @Nullable Signatures signatures,
      BlockIndex index,
      FrameDecoder.@Nullable Pool decoders) {
    this.path = path;
    this.number = number;
    this.file = file;
    this.disk = disk;
    this.properties = properties;
    this.blocksOffset = blocksOffset;
    this.hash = hash;
    this.signatures = signatures;
    this.index = index;
    this.decoders = decoders;
    this.blocks = new BlockReader(properties, checksum, path.toString());
    this.verified = new AtomicLongArray((index.blockCount() + 63) >>> 6);
    this.fixedBlockRecords =
        decoders == null && properties.hasFixedRecords() ? index.uniformRecords() : 0;
  }

  /** Which partition of its snapshot this is. */
  int number() {
    return number;
  }

  Path path() {
    return path;
  }

  FileMemory file() {
    return file;
  }

  /** Whether blocks are read from disk. */
  boolean readsFromDisk() {
    return disk != null;
  }

  /** The file for reads past the page cache; only if {@link #readsFromDisk}. */
  DirectFile disk() {
    DirectFile direct = disk;
    if (direct == null) {
      throw new IllegalStateException("not opened for direct reads: " + path);
    }
    return direct;
  }

  PartitionProperties properties() {
    return properties;
  }

  BlockIndex index() {
    return index;
  }

  BlockReader blocks() {
    return blocks;
  }

  /** Whether blocks hold compressed frames. */
  boolean hasFrames() {
    return decoders != null;
  }

  /** Where decoders come from; only if {@link #hasFrames}. */
  FrameDecoder.Pool decoders() {
    FrameDecoder.Pool pool = decoders;
    if (pool == null) {
      throw new IllegalStateException("blocks have no frames: " + path);
    }
    return pool;
  }

  /** The rank of a key, or −1 if it can be told already that it is absent. */
  int rank(long high, long low) {
    PerfectHash perfectHash = hash;
    if (perfectHash == null) {
      return -1;
    }
    int rank = perfectHash.rank(high, low);
    Signatures filter = signatures;
    return filter == null || filter.matches(rank, high) ? rank : -1;
  }

  /**
   * Where a block starts in the file. For {@code block} = the number of blocks: where the last one
   * ends.
   */
  long offset(int block) {
    return blocksOffset + index.offset(block);
  }

  /** Bytes of a block, padding included; range-checked. */
  int length(int block) throws CorruptSnapshotException {
    long start = index.offset(block);
    long end = index.offset(block + 1);
    long length = end - start;
    if (length < SnapshotFormat.BLOCK_HEADER_LENGTH
        || length > properties.maxBlockLength()
        || start < 0
        || end > index.offset(index.blockCount())) {
      throw new CorruptSnapshotException(
          "block has an impossible length or place: file=%s offset=%d expected<=%d actual=%d"
              .formatted(path, blocksOffset + start, properties.maxBlockLength(), length));
    }
    return (int) length;
  }

  /**
   * Checks a block that was just read: checksum, header, and that it is the one that the index
   * means.
   */
  void verify(ByteBuffer buffer, int base, int block) throws CorruptSnapshotException {
    int first = index.firstRank(block);
    blocks.verify(buffer, base, length(block), offset(block), first);
    int count = BlockReader.recordCount(buffer, base);
    int next =
        block + 1 < index.blockCount() ? index.firstRank(block + 1) : properties.recordCount();
    if (first + count != next) {
      throw new CorruptSnapshotException(
          "block has another record count than the block index says: file=%s offset=%d expected=%d actual=%d"
              .formatted(path, offset(block), next - first, count));
    }
  }

  /**
   * A block in the file's memory, verified on first touch: the buffer; it starts at the index of
   * {@link #offset}.
   */
  ByteBuffer inMemory(int block) throws IOException {
    long offset = offset(block);
    ByteBuffer chunk = file.chunk(offset);
    if (((verified.getPlain(block >>> 6) >>> block) & 1) == 0) {
      file.requireWhole(offset + length(block));
      verify(chunk, FileMemory.index(offset), block);
      verified.accumulateAndGet(block >>> 6, 1L << block, (a, b) -> a | b);
    }
    return chunk;
  }

  /** Reads what the perfect hash will read of a key, so that it is on its way. */
  int touchHash(long high, long low) {
    PerfectHash perfectHash = hash;
    return perfectHash == null ? 0 : perfectHash.touch(high, low);
  }

  /**
   * Reads what tells a record's place, if that is not mere arithmetic, so that it is on its way:
   * the header of its block, and its slot.
   */
  int touchPlace(int rank, int block) {
    if (fixedBlockRecords > 0) {
      return 0;
    }
    long offset = offset(block);
    ByteBuffer chunk = file.chunk(offset);
    int header = FileMemory.index(offset);
    int slot = header + SnapshotFormat.BLOCK_HEADER_LENGTH;
    if (decoders == null) {
      slot += SnapshotFormat.SLOT_BYTES * (rank - index.firstRank(block));
    }
    return chunk.get(header) + chunk.get(slot);
  }

  /** Reads a byte of each cache line at a place, so that they are on their way. */
  static int touch(ByteBuffer chunk, long place) {
    int start = (int) (place >>> 32);
    int last = start + Math.min(MOST_TOUCHED, (int) place) - 1;
    int sum = chunk.get(start) + chunk.get(last);
    // Without a loop for most records: what a loop needs around it would keep the next reads back.
    if (start + CACHE_LINE < last) {
      sum += chunk.get(start + CACHE_LINE);
      for (int i = start + 2 * CACHE_LINE; i < last; i += CACHE_LINE) {
        sum += chunk.get(i);
      }
    }
    return sum;
  }

  /**
   * Where a record of a verified block lies, or its frame, if there are frames.
   *
   * @return offset within the buffer in the upper 32 bits, length in the lower
   */
  long place(ByteBuffer buffer, int base, int rank, int block) throws CorruptSnapshotException {
    if (fixedBlockRecords > 0) {
      int length = properties.fixedRecordLength();
      int start =
          base + SnapshotFormat.BLOCK_HEADER_LENGTH + (rank - block * fixedBlockRecords) * length;
      return (long) start << 32 | length;
    }
    int record = rank - BlockReader.firstRank(buffer, base);
    if (decoders != null) {
      return blocks.frame(buffer, base, record);
    }
    return blocks.record(
        buffer,
        base + SnapshotFormat.BLOCK_HEADER_LENGTH,
        BlockReader.bodyLength(buffer, base),
        BlockReader.recordCount(buffer, base),
        record);
  }

  /** The value of {@code key} if it is the one with this rank, or null; from a verified block. */
  byte @Nullable [] value(ByteBuffer buffer, int base, int rank, int block, byte[] key)
      throws CorruptSnapshotException {
    return value(buffer, base, place(buffer, base, rank, block), rank, key);
  }

  /** The same of a record whose {@link #place} is known. */
  byte @Nullable [] value(ByteBuffer buffer, int base, long place, int rank, byte[] key)
      throws CorruptSnapshotException {
    FrameDecoder.Pool pool = decoders;
    if (pool == null) {
      return copy(buffer, blocks.value(buffer, place, key));
    }
    FrameDecoder decoder = pool.take();
    try {
      long found = findInFrame(decoder, buffer, base, place, rank, key);
      return copy(decoder.plain(), found);
    } finally {
      pool.give(decoder);
    }
  }

  /** The same into a buffer of the caller: the length, or NOT_FOUND. */
  int value(ByteBuffer buffer, int base, int rank, int block, byte[] key, ByteBuffer target)
      throws CorruptSnapshotException {
    long place = place(buffer, base, rank, block);
    FrameDecoder.Pool pool = decoders;
    if (pool == null) {
      return copy(buffer, blocks.value(buffer, place, key), target);
    }
    FrameDecoder decoder = pool.take();
    try {
      long found = findInFrame(decoder, buffer, base, place, rank, key);
      return copy(decoder.plain(), found, target);
    } finally {
      pool.give(decoder);
    }
  }

  private long findInFrame(
      FrameDecoder decoder, ByteBuffer buffer, int base, long frame, int rank, byte[] key)
      throws CorruptSnapshotException {
    int record = rank - BlockReader.firstRank(buffer, base);
    int length = decode(decoder, buffer, base, frame);
    return findInBody(
        decoder.plain(),
        0,
        length,
        BlockReader.frameRecordCount(buffer, base, record),
        BlockReader.indexInFrame(buffer, base, record),
        key);
  }

  /** Finds a record in the body of a frame. */
  long findInBody(ByteBuffer body, int base, int length, int count, int record, byte[] key)
      throws CorruptSnapshotException {
    return blocks.value(body, blocks.record(body, base, length, count, record), key);
  }

  /**
   * Decompresses a frame of a verified block.
   *
   * @param frame where it lies, as {@link BlockReader#frame} says
   * @return its length in the decoder's buffer
   */
  int decode(FrameDecoder decoder, ByteBuffer buffer, int base, long frame)
      throws CorruptSnapshotException {
    int limit = blocks.framePlainLength(buffer, base);
    return decoder.decode(buffer, (int) (frame >>> 32), (int) frame, limit, path);
  }

  static byte @Nullable [] copy(ByteBuffer source, long found) {
    if (found == BlockReader.ABSENT) {
      return null;
    }
    byte[] value = new byte[(int) found];
    source.get((int) (found >>> 32), value);
    return value;
  }

  static int copy(ByteBuffer source, long found, ByteBuffer target) {
    if (found == BlockReader.ABSENT) {
      return SnapshotReader.NOT_FOUND;
    }
    int length = (int) found;
    if (length > target.remaining()) {
      throw new BufferOverflowException();
    }
    target.put(target.position(), source, (int) (found >>> 32), length);
    target.position(target.position() + length);
    return length;
  }

  /** Whether records hold their keys. */
  boolean storesKeys() {
    return properties.keyStorage() == KeyStorage.STORED;
  }

  @Override
  public void close() throws IOException {
    try {
      if (disk != null) {
        disk.close();
      }
    } finally {
      file.close();
    }
  }
}
