package io.bsdb.format.block;

import static io.bsdb.format.SnapshotFormat.BLOCK_CHECKSUM;
import static io.bsdb.format.SnapshotFormat.BLOCK_CONTENT_LENGTH;
import static io.bsdb.format.SnapshotFormat.BLOCK_FIRST_RANK;
import static io.bsdb.format.SnapshotFormat.BLOCK_FLAGS;
import static io.bsdb.format.SnapshotFormat.BLOCK_FLAG_FRAMES;
import static io.bsdb.format.SnapshotFormat.BLOCK_FRAME_PLAIN_LENGTH;
import static io.bsdb.format.SnapshotFormat.BLOCK_FRAME_RECORDS;
import static io.bsdb.format.SnapshotFormat.BLOCK_HEADER_LENGTH;
import static io.bsdb.format.SnapshotFormat.BLOCK_MAX_RECORDS;
import static io.bsdb.format.SnapshotFormat.BLOCK_RECORD_COUNT;
import static io.bsdb.format.SnapshotFormat.SLOT_BYTES;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import io.bsdb.format.FileHeader;
import io.bsdb.format.KeyStorage;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.SectionKind;
import io.bsdb.format.symbols.RecordEncoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Lays records, given in rank order, into blocks. Used by one thread; keeps one block in memory.
 *
 * <p>Records are not copied when they are added: the source buffer must stay as it is until the
 * block is written, at the latest in {@link #finish}.
 */
public final class BlockWriter {
  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  /**
   * Frames of long values are compressed on the heap, as direct memory may be scarce. Others are
   * not, as zstd keeps the garbage collector waiting while it works on arrays.
   */
  private static final int LONGEST_DIRECT = 1 << 20;

  private final PartChecksum checksum;
  private final long dataOffset;
  private final BlockShape shape;
  private final BlockOutput output;
  private final @Nullable ZstdCompressCtx compressor;
  private final BlockIndex.Builder index;
  private final @Nullable RecordEncoder encoder;

  /** Encoded records of the current body. */
  private ByteBuffer staged = NOTHING;

  private int stagedBytes;

  // Records of the current body: the open block, or the open frame.
  private ByteBuffer[] sources = new ByteBuffer[256];
  private int[] starts = new int[256];
  private int[] keyLengths = new int[256];
  private int[] lengths = new int[256];
  private int pending;
  private int pendingBytes;

  // Frames of the open block.
  private ByteBuffer plain = NOTHING;
  private ByteBuffer compressed = NOTHING;
  private int[] frameStarts = new int[64];
  private int frameCount;
  private int framesLength;
  private int framedRecords;
  private int blockPlainLength;

  private int firstRank;
  private int maxFrameLength;
  private int maxBlockLength;

  /**
   * @param header of the file: its id and where blocks start
   * @param compressor compresses frames, dictionary and level set; null if the shape has no frames.
   *     The caller closes it.
   * @param encoder of single records, in blocks without frames; null if they are stored as they are
   */
  public BlockWriter(
      FileHeader header,
      BlockShape shape,
      BlockOutput output,
      @Nullable ZstdCompressCtx compressor,
      @Nullable RecordEncoder encoder) {
    this.checksum = new PartChecksum(header.fileId());
    this.dataOffset = header.dataOffset();
    this.shape = shape;
    this.encoder = encoder;
    this.output = output;
    this.compressor = compressor;
    this.index = new BlockIndex.Builder(shape.alignment());
  }

  /**
   * Adds the record of the next rank: its key at {@code keyOffset} of the source, its value right
   * after.
   */
  public void add(ByteBuffer source, int keyOffset, int keyLength, int valueLength)
      throws IOException {
    boolean stored = shape.keyStorage() == KeyStorage.STORED;
    RecordEncoder symbols = encoder;
    if (symbols == null) {
      int length = stored ? keyLength + valueLength : valueLength;
      put(
          source,
          stored ? keyOffset : keyOffset + keyLength,
          keyLength,
          length,
          reserve(keyLength, length));
      return;
    }
    symbols.encode(source, keyOffset, stored ? keyLength : 0, keyOffset + keyLength, valueLength);
    int length = symbols.keyLength() + symbols.valueLength();
    int encoded = reserve(symbols.keyLength(), length);
    int start = stage(symbols.encoded(), length);
    put(staged, start, symbols.keyLength(), length, encoded);
  }

  /** Copies an encoded record after those of the open block. Returns where it starts. */
  private int stage(byte[] record, int length) {
    int start = pending == 0 ? 0 : stagedBytes;
    if (staged.capacity() < start + length) {
      staged =
          allocate(Math.max(1 << 12, Math.max(start + length, 2 * staged.capacity())), false)
              .put(0, staged, 0, start);
      Arrays.fill(sources, 0, pending, staged);
    }
    staged.put(start, record, 0, length);
    stagedBytes = start + length;
    return start;
  }

  /**
   * Makes room for a record: closes the open body if it is full.
   *
   * @return the bytes that the record takes with its slot
   */
  private int reserve(int keyLength, int length) throws IOException {
    int encoded =
        length
            + (shape.hasKeyPrefix() ? varintLength(keyLength) : 0)
            + (shape.hasSlots() ? SLOT_BYTES : 0);
    int limit = compressor == null ? shape.blockSize() - BLOCK_HEADER_LENGTH : shape.frameLimit();
    if (pending > 0 && (encoded > limit - pendingBytes || pending == BLOCK_MAX_RECORDS)) {
      closeBody();
    }
    return encoded;
  }

  private void put(ByteBuffer source, int start, int keyLength, int length, int encoded)
      throws IOException {
    if (pending == starts.length) {
      sources = Arrays.copyOf(sources, 2 * pending);
      starts = Arrays.copyOf(starts, 2 * pending);
      keyLengths = Arrays.copyOf(keyLengths, 2 * pending);
      lengths = Arrays.copyOf(lengths, 2 * pending);
    }
    sources[pending] = source;
    starts[pending] = start;
    keyLengths[pending] = keyLength;
    lengths[pending++] = length;
    pendingBytes += encoded;
    if (compressor != null && pending == shape.frameRecords()) {
      closeBody();
    }
  }

  /** Writes what is left. */
  public void finish() throws IOException {
    if (pending > 0) {
      closeBody();
    }
    if (frameCount > 0) {
      writeFrames();
    }
  }

  /** Returns the index of the blocks written; complete after {@link #finish}. */
  public BlockIndex.Builder index() {
    return index;
  }

  /** Returns the length of the longest frame so far in bytes, decompressed. */
  public int maxFrameLength() {
    return maxFrameLength;
  }

  /** Returns the length of the longest block so far in bytes, padding included. */
  public int maxBlockLength() {
    return maxBlockLength;
  }

  private void closeBody() throws IOException {
    ZstdCompressCtx zstd = compressor;
    if (zstd == null) {
      writePlain();
    } else {
      closeFrame(zstd);
    }
  }

  private void writePlain() throws IOException {
    int content = BLOCK_HEADER_LENGTH + pendingBytes;
    int length = padded(content);
    index.add(firstRank, output.length());
    ByteBuffer block = output.reserve(length);
    int base = block.position();
    writeBody(block, base + BLOCK_HEADER_LENGTH);
    finishBlock(block, base, content, length, pending, 0, 0, 0);
    pending = 0;
    pendingBytes = 0;
  }

  private void writeBody(ByteBuffer target, int base) {
    int position = shape.hasSlots() ? SLOT_BYTES * pending : 0;
    for (int i = 0; i < pending; i++) {
      if (shape.hasSlots()) {
        target.putShort(base + SLOT_BYTES * i, (short) position);
      }
      if (shape.hasKeyPrefix()) {
        position += putVarint(target, base + position, keyLengths[i]);
      }
      target.put(base + position, sources[i], starts[i], lengths[i]);
      position += lengths[i];
    }
  }

  private void closeFrame(ZstdCompressCtx zstd) throws IOException {
    if (frameCount > 0 && !fits(1)) {
      writeFrames(); // before there must be room for both a long frame and the next
    }
    int bound = Math.toIntExact(Zstd.compressBound(pendingBytes));
    boolean direct = compressed.isDirect() && framesLength + bound <= LONGEST_DIRECT;
    if (plain.capacity() < pendingBytes || plain.isDirect() != direct) {
      int longer = Math.max(pendingBytes, 2 * plain.capacity());
      plain = NOTHING; // not both in memory
      plain = allocate(longer, direct);
    }
    writeBody(plain, 0);
    if (compressed.capacity() < framesLength + bound || compressed.isDirect() != direct) {
      growCompressed(framesLength + bound, direct);
    }
    int length =
        direct
            ? zstd.compressDirectByteBuffer(compressed, framesLength, bound, plain, 0, pendingBytes)
            : zstd.compressByteArray(
                compressed.array(),
                compressed.arrayOffset() + framesLength,
                bound,
                plain.array(),
                plain.arrayOffset(),
                pendingBytes);
    if (frameCount > 0 && !fits(length)) {
      int start = framesLength;
      writeFrames();
      compressed.put(0, compressed, start, length);
    }
    if (frameCount == frameStarts.length) {
      frameStarts = Arrays.copyOf(frameStarts, 2 * frameCount);
    }
    frameStarts[frameCount++] = framesLength;
    framesLength += length;
    framedRecords += pending;
    blockPlainLength = Math.max(blockPlainLength, pendingBytes);
    boolean full = pending == shape.frameRecords();
    pending = 0;
    pendingBytes = 0;
    if (!full || framedRecords + shape.frameRecords() > BLOCK_MAX_RECORDS) {
      writeFrames();
    }
  }

  /** Returns whether the open block has room for another frame. */
  private boolean fits(int frameLength) {
    return BLOCK_HEADER_LENGTH + SLOT_BYTES * (frameCount + 1) + framesLength + frameLength
        <= shape.blockSize();
  }

  private void growCompressed(int length, boolean direct) {
    int longer = Math.max(length, 2 * compressed.capacity());
    byte[] frames = new byte[framesLength];
    compressed.get(0, frames);
    compressed = NOTHING; // not both in memory
    compressed = allocate(longer, direct).put(0, frames);
  }

  private void writeFrames() throws IOException {
    int directory = SLOT_BYTES * frameCount;
    int content = BLOCK_HEADER_LENGTH + directory + framesLength;
    int length = padded(content);
    index.add(firstRank, output.length());
    ByteBuffer block = output.reserve(length);
    int base = block.position();
    for (int i = 0; i < frameCount; i++) {
      block.putShort(base + BLOCK_HEADER_LENGTH + SLOT_BYTES * i, (short) frameStarts[i]);
    }
    block.put(base + BLOCK_HEADER_LENGTH + directory, compressed, 0, framesLength);
    maxFrameLength = Math.max(maxFrameLength, blockPlainLength);
    finishBlock(
        block,
        base,
        content,
        length,
        framedRecords,
        BLOCK_FLAG_FRAMES,
        blockPlainLength,
        shape.frameRecords());
    frameCount = 0;
    framesLength = 0;
    framedRecords = 0;
    blockPlainLength = 0;
  }

  /** Writes the header of the block that starts where the output ends. */
  private void finishBlock(
      ByteBuffer block,
      int base,
      int content,
      int length,
      int records,
      int flags,
      int framePlainLength,
      int frameRecords) {
    block.putInt(base + BLOCK_CONTENT_LENGTH, content);
    block.putInt(base + BLOCK_FIRST_RANK, firstRank);
    block.putInt(
        base + BLOCK_RECORD_COUNT, records | (flags << (8 * (BLOCK_FLAGS - BLOCK_RECORD_COUNT))));
    block.putInt(base + BLOCK_FRAME_PLAIN_LENGTH, framePlainLength);
    block.putInt(base + BLOCK_FRAME_RECORDS, frameRecords);
    for (int i = content; i < length; i++) {
      block.put(base + i, (byte) 0);
    }
    block.putInt(
        base + BLOCK_CHECKSUM,
        checksum.of(
            SectionKind.BLOCKS.id(),
            dataOffset + output.length(),
            block,
            base + BLOCK_CONTENT_LENGTH,
            length - BLOCK_CONTENT_LENGTH));
    block.position(base + length);
    maxBlockLength = Math.max(maxBlockLength, length);
    firstRank += records;
  }

  private int padded(int content) {
    int mask = shape.alignment() - 1;
    return (content + mask) & ~mask;
  }

  private static ByteBuffer allocate(int length, boolean direct) {
    ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(length) : ByteBuffer.allocate(length);
    return buffer.order(ByteOrder.LITTLE_ENDIAN);
  }

  private static int varintLength(int number) {
    return number < 1 << 7 ? 1 : number < 1 << 14 ? 2 : 3;
  }

  private static int putVarint(ByteBuffer target, int position, int number) {
    int rest = number;
    int length = 1;
    for (; rest >= 1 << 7; rest >>>= 7) {
      target.put(position + length++ - 1, (byte) (rest | 0x80));
    }
    target.put(position + length - 1, (byte) rest);
    return length;
  }
}
