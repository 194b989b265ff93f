package io.bsdb.reader.block;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.PartitionProperties;
import io.bsdb.format.PartitionProperties.Codec;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.Block;
import io.bsdb.format.block.BlockHeader;
import io.bsdb.format.block.BlockIndex;
import io.bsdb.format.block.BlockReader;
import io.bsdb.format.block.DecoderPool;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.io.FileMemory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of one partition file: where each lies, and how it is verified. Safe for many threads.
 * The owner ensures that nothing is fetched after {@link #close}.
 */
public final class BlockFile implements Closeable {
  private final Path path;
  private final int number;
  private final FileMemory memory;
  private final @Nullable DirectFile disk;
  private final PartitionProperties properties;
  private final long blocksOffset;
  private final BlockIndex index;
  private final BlockReader reader;
  private final @Nullable DecoderPool decoders;

  /**
   * A bit per block: set once it was found sound in memory. A lost update costs a second
   * verification, nothing else.
   */
  private final AtomicLongArray verified;

  /** Stand for the blocks that start in each chunk of the memory; safe for many threads. */
  private final Block[] chunks;

  /**
   * @param number of the partition in its snapshot
   * @param memory the whole file, mapped or copied; or, if blocks are read from disk, what comes
   *     after them
   * @param disk the file for reads past the page cache; null if blocks are in memory
   * @param decoders of frames or records; null if records are stored as they are
   */
  public BlockFile(
      Path path,
      int number,
      FileMemory memory,
      @Nullable DirectFile disk,
      PartitionProperties properties,
      BlockIndex index,
      BlockReader reader,
      @Nullable DecoderPool decoders) {
    this.path = path;
    this.number = number;
    this.memory = memory;
    this.disk = disk;
    this.properties = properties;
    this.blocksOffset = reader.blocksOffset();
    this.index = index;
    this.reader = reader;
    this.decoders = decoders;
    this.verified = new AtomicLongArray((index.blockCount() + 63) >>> 6);
    this.chunks = new Block[disk == null ? memory.chunkCount() : 0];
    for (int i = 0; i < chunks.length; i++) {
      chunks[i] = new Chunk(memory.chunk(FileMemory.chunkStart(i)));
    }
  }

  /** The blocks that start in a chunk of the memory. */
  private final class Chunk extends Block {
    private final ByteBuffer bytes;

    Chunk(ByteBuffer bytes) {
      this.bytes = bytes;
    }

    @Override
    public ByteBuffer bytes() {
      return bytes;
    }

    @Override
    public int base(int number) {
      return FileMemory.index(offset(number));
    }

    @Override
    public boolean isMapped() {
      return true;
    }
  }

  /** Returns the chunk of memory that a block starts in: in most files there is but one. */
  Block chunk(int block) {
    return chunks[chunks.length == 1 ? 0 : FileMemory.chunkIndex(offset(block))];
  }

  public Path path() {
    return path;
  }

  /** Returns which partition of its snapshot this is. */
  public int number() {
    return number;
  }

  public FileMemory memory() {
    return memory;
  }

  public PartitionProperties properties() {
    return properties;
  }

  public BlockIndex index() {
    return index;
  }

  public BlockReader reader() {
    return reader;
  }

  /** Returns whether blocks hold compressed frames. */
  public boolean hasFrames() {
    return properties.codec() == Codec.ZSTD;
  }

  /** Returns whether records can be read in memory, mapped or copied, until this is closed. */
  public boolean staysInMemory() {
    return disk == null && decoders == null && !hasFrames();
  }

  /** Returns what decodes frames or records; null if records are stored as they are. */
  public @Nullable DecoderPool decoders() {
    return decoders;
  }

  /** Returns the file for reads past the page cache. */
  DirectFile disk() {
    DirectFile direct = disk;
    if (direct == null) {
      throw new IllegalStateException("not opened for direct reads: " + path);
    }
    return direct;
  }

  /**
   * Returns where a block starts in the file; for {@code block} = the number of blocks, where the
   * last one ends.
   */
  public long offset(int block) {
    return blocksOffset + index.offset(block);
  }

  /** Returns the bytes of a block, padding included; range-checked. */
  int length(int block) throws CorruptSnapshotException {
    long start = index.offset(block);
    long end = index.offset(block + 1);
    long length = end - start;
    if (length < SnapshotFormat.BLOCK_HEADER_LENGTH
        || length > properties.maxBlockLength()
        || start < 0
        || end > index.offset(index.blockCount())) {
      throw new CorruptSnapshotException(
          "block has an impossible length or offset: file=%s offset=%d expected<=%d actual=%d"
              .formatted(path, blocksOffset + start, properties.maxBlockLength(), length));
    }
    return (int) length;
  }

  /**
   * Checks a block that was just read: checksum, header, and that it is the block that was
   * requested.
   */
  void verify(ByteBuffer buffer, int base, int block) throws CorruptSnapshotException {
    int first = index.firstRank(block);
    reader.verify(buffer, base, length(block), offset(block), first);
    int count = BlockHeader.recordCount(buffer, base);
    int next = index.firstRank(block + 1);
    if (first + count != next) {
      throw new CorruptSnapshotException(
          "record count of a block differs from the block index: file=%s offset=%d expected=%d actual=%d"
              .formatted(path, offset(block), next - first, count));
    }
  }

  /** Returns whether a block in memory has been found sound. */
  boolean isVerified(int block) {
    return ((verified.getPlain(block >>> 6) >>> block) & 1) != 0;
  }

  /**
   * Verifies blocks in memory, and remembers it.
   *
   * @param end the number after that of the last block
   */
  public void verifyInMemory(int from, int end) throws IOException {
    memory.requireWhole(Math.min(offset(end), memory.length()));
    for (int block = from; block < end; block++) {
      long offset = offset(block);
      verify(memory.chunk(offset), FileMemory.index(offset), block);
      verified.accumulateAndGet(block >>> 6, 1L << block, (a, b) -> a | b);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      if (disk != null) {
        disk.close();
      }
    } finally {
      memory.close();
    }
  }
}
