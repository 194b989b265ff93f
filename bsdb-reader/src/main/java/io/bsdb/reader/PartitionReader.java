package io.bsdb.reader;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.FileFooter;
import io.bsdb.format.FileHeader;
import io.bsdb.format.Manifest;
import io.bsdb.format.PartitionFile;
import io.bsdb.format.PartitionProperties;
import io.bsdb.format.PartitionProperties.Codec;
import io.bsdb.format.PartitionProperties.KeyStorage;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.format.Signatures;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.BlockIndex;
import io.bsdb.format.block.BlockReader;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.hash.PerfectHash;
import io.bsdb.reader.io.MappedFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * One partition file, mapped. Safe for many threads; allocates nothing but values. The owner sees
 * to it that nobody calls it after {@link #close}.
 */
final class PartitionReader implements Closeable {
  private final MappedFile file;
  private final String name;
  private final PartitionProperties properties;
  private final long blocksOffset;
  private final @Nullable PerfectHash hash;
  private final @Nullable Signatures signatures;
  private final @Nullable BlockIndex index;
  private final BlockReader blocks;
  private final FrameDecoder.@Nullable Pool decoders;

  /**
   * A bit per block: set once its checksum was found right. A lost update costs a second
   * verification, nothing else.
   */
  private final AtomicLongArray verified;

  /**
   * Records per block and encoded record length where a record's place is mere arithmetic; else 0.
   */
  private final int fixedBlockRecords;

  private PartitionReader(MappedFile file, String name, FileFooter footer) throws IOException {
    this.file = file;
    this.name = name;
    properties = PartitionProperties.decode(section(footer, SectionKind.PROPERTIES), name);
    Section blocksSection = required(footer, SectionKind.BLOCKS);
    blocksOffset = blocksSection.offset();
    blocks = new BlockReader(properties, name);
    int count = properties.recordCount();
    if (count == 0) {
      hash = null;
      signatures = null;
      index = null;
      decoders = null;
      verified = new AtomicLongArray(0);
      fixedBlockRecords = 0;
      return;
    }
    hash = openHash(footer, count);
    boolean approximate = properties.keyStorage() == KeyStorage.OMITTED;
    boolean framed = properties.codec() == Codec.ZSTD;
    signatures =
        properties.signatureBits() > 0 && (approximate || framed)
            ? Signatures.open(
                section(footer, SectionKind.SIGNATURES), count, properties.signatureBits(), name)
            : null;
    index =
        BlockIndex.open(
            section(footer, SectionKind.BLOCK_INDEX),
            count,
            blocksSection.length(),
            properties.alignment(),
            name);
    decoders = framed ? new FrameDecoder.Pool(dictionary(footer), name) : null;
    verified = new AtomicLongArray((index.blockCount() + 63) >>> 6);
    fixedBlockRecords = !framed && properties.hasFixedRecords() ? index.uniformRecords() : 0;
  }

  /**
   * Opens a file and verifies all but its blocks.
   *
   * @param expected what the manifest says of the file
   */
  static PartitionReader open(Path path, PartitionFile expected, Manifest manifest)
      throws IOException {
    String name = path.toString();
    if (!Files.exists(path)) {
      throw new NoSuchFileException(
          name,
          null,
          "the manifest names this partition file; the snapshot is incomplete, rebuild it");
    }
    MappedFile file = MappedFile.open(path);
    try {
      if (file.length() != expected.length()) {
        throw new CorruptSnapshotException(
            "file has another length than its manifest says: file=%s expected=%d actual=%d"
                .formatted(name, expected.length(), file.length()));
      }
      int head = SnapshotFormat.HEADER_LENGTH;
      if (file.length() < head) {
        throw new CorruptSnapshotException(
            "file too short: file=%s expected>=%d actual=%d".formatted(name, head, file.length()));
      }
      FileHeader header = FileHeader.decode(file.slice(0, head), name);
      checkIdentity(header, expected, manifest, name);
      int footerLength = (int) Math.min(file.length(), FileFooter.MAX_LENGTH);
      FileFooter footer =
          FileFooter.decode(
              file.slice(file.length() - footerLength, footerLength), file.length(), name);
      PartitionReader reader = new PartitionReader(file, name, footer);
      if (reader.properties.recordCount() != expected.recordCount()) {
        reader.close();
        throw new CorruptSnapshotException(
            "file has another record count than its manifest says: file=%s expected=%d actual=%d"
                .formatted(name, expected.recordCount(), reader.properties.recordCount()));
      }
      return reader;
    } catch (IndexOutOfBoundsException e) {
      file.close();
      throw new CorruptSnapshotException(
          "file is damaged: file=%s %s".formatted(name, e.getMessage()), e);
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  private static void checkIdentity(
      FileHeader header, PartitionFile expected, Manifest manifest, String name)
      throws CorruptSnapshotException {
    if (!header.snapshotId().equals(manifest.snapshotId())
        || header.partition() != expected.partition()
        || header.partitionCount() != manifest.partitions().size()) {
      throw new CorruptSnapshotException(
          "file belongs elsewhere: file=%s expected snapshot=%s partition=%d of %d actual snapshot=%s partition=%d of %d"
              .formatted(
                  name,
                  manifest.snapshotId(),
                  expected.partition(),
                  manifest.partitions().size(),
                  header.snapshotId(),
                  header.partition(),
                  header.partitionCount()));
    }
  }

  private Section required(FileFooter footer, SectionKind kind) throws CorruptSnapshotException {
    Section section = footer.find(kind);
    if (section == null) {
      throw new CorruptSnapshotException("file has no section %s: file=%s".formatted(kind, name));
    }
    return section;
  }

  /** A section's bytes, its checksum verified. */
  private ByteBuffer section(FileFooter footer, SectionKind kind) throws CorruptSnapshotException {
    Section section = required(footer, kind);
    ByteBuffer bytes = file.slice(section.offset(), (int) section.length());
    int actual = SnapshotFormat.checksum(bytes, 0, bytes.limit());
    if (actual != section.checksum()) {
      throw new CorruptSnapshotException(
          "section checksum mismatch: file=%s section=%s offset=%d expected=%s actual=%s"
              .formatted(
                  name,
                  kind,
                  section.offset(),
                  SnapshotFormat.hex(section.checksum()),
                  SnapshotFormat.hex(actual)));
    }
    return bytes;
  }

  private PerfectHash openHash(FileFooter footer, int count) throws CorruptSnapshotException {
    PerfectHash opened = PerfectHash.open(section(footer, SectionKind.PERFECT_HASH));
    if (opened.size() != count) {
      throw new CorruptSnapshotException(
          "perfect hash is of another size than its partition: file=%s expected=%d actual=%d"
              .formatted(name, count, opened.size()));
    }
    return opened;
  }

  private byte[] dictionary(FileFooter footer) throws CorruptSnapshotException {
    if (footer.find(SectionKind.DICTIONARY) == null) {
      return new byte[0];
    }
    ByteBuffer section = section(footer, SectionKind.DICTIONARY);
    byte[] bytes = new byte[section.limit()];
    section.get(0, bytes);
    return bytes;
  }

  PartitionProperties properties() {
    return properties;
  }

  String name() {
    return name;
  }

  /** The rank of a key, or −1 if a signature tells that it is absent. */
  int rank(long high, long low) {
    PerfectHash perfectHash = hash;
    if (perfectHash == null) {
      return -1;
    }
    int rank = perfectHash.rank(high, low);
    Signatures filter = signatures;
    return filter == null || filter.matches(rank, high) ? rank : -1;
  }

  /** The index; only if there are records. */
  BlockIndex index() {
    if (index == null) {
      throw new IllegalStateException("no records");
    }
    return index;
  }

  /**
   * Where the block of a rank starts in the file, without reading it. For {@link #touch} and the
   * {@code get} methods.
   *
   * @param rank of {@code [0, count)}
   */
  int block(int rank) {
    return index().block(rank);
  }

  /**
   * Reads a byte near the record of a rank, so that its page and cache line are on the way before
   * {@link #get} wants them.
   */
  int touch(int rank, int block) {
    long offset = blocksOffset + index().offset(block);
    int position = MappedFile.index(offset);
    if (fixedBlockRecords > 0) {
      position += place(rank, block);
    }
    return file.chunk(offset).get(position);
  }

  /** Where a record starts within its block, where that is mere arithmetic. */
  private int place(int rank, int block) {
    return SnapshotFormat.BLOCK_HEADER_LENGTH
        + (rank - block * fixedBlockRecords) * properties.fixedRecordLength();
  }

  /** The value of {@code key} if it is the one at this rank, or null. */
  byte @Nullable [] get(int rank, int block, byte[] key) throws IOException {
    long offset = blocksOffset + index().offset(block);
    ByteBuffer chunk = verifiedBlock(block, offset);
    int base = MappedFile.index(offset);
    FrameDecoder.Pool pool = decoders;
    if (pool == null) {
      long found = find(chunk, base, rank, block, key);
      return found == BlockReader.ABSENT ? null : copy(chunk, found);
    }
    FrameDecoder decoder = pool.take();
    try {
      long found = findInFrame(decoder, chunk, base, rank, key);
      return found == BlockReader.ABSENT ? null : copy(decoder.plain(), found);
    } finally {
      pool.give(decoder);
    }
  }

  /** The same into a buffer of the caller. */
  int get(int rank, int block, byte[] key, ByteBuffer target) throws IOException {
    long offset = blocksOffset + index().offset(block);
    ByteBuffer chunk = verifiedBlock(block, offset);
    int base = MappedFile.index(offset);
    FrameDecoder.Pool pool = decoders;
    if (pool == null) {
      return copy(chunk, find(chunk, base, rank, block, key), target);
    }
    FrameDecoder decoder = pool.take();
    try {
      long found = findInFrame(decoder, chunk, base, rank, key);
      return copy(decoder.plain(), found, target);
    } finally {
      pool.give(decoder);
    }
  }

  private long find(ByteBuffer chunk, int base, int rank, int block, byte[] key)
      throws CorruptSnapshotException {
    if (fixedBlockRecords > 0) {
      return blocks.findFixed(chunk, base + place(rank, block), key);
    }
    int first = BlockReader.firstRank(chunk, base);
    int body = base + SnapshotFormat.BLOCK_HEADER_LENGTH;
    return blocks.find(
        chunk,
        body,
        BlockReader.bodyLength(chunk, base),
        BlockReader.recordCount(chunk, base),
        rank - first,
        key);
  }

  private long findInFrame(FrameDecoder decoder, ByteBuffer chunk, int base, int rank, byte[] key)
      throws CorruptSnapshotException {
    int record = rank - BlockReader.firstRank(chunk, base);
    int length = decode(decoder, chunk, base, record);
    return blocks.find(
        decoder.plain(),
        0,
        length,
        BlockReader.frameRecordCount(chunk, base, record),
        BlockReader.indexInFrame(chunk, base, record),
        key);
  }

  private int decode(FrameDecoder decoder, ByteBuffer chunk, int base, int record)
      throws CorruptSnapshotException {
    long frame = blocks.frame(chunk, base, record);
    return decoder.decode(
        chunk, (int) (frame >>> 32), (int) frame, blocks.framePlainLength(chunk, base), name);
  }

  private ByteBuffer verifiedBlock(int block, long offset) throws CorruptSnapshotException {
    ByteBuffer chunk = file.chunk(offset);
    if (((verified.getPlain(block >>> 6) >>> block) & 1) == 0) {
      verify(block, offset, chunk);
    }
    return chunk;
  }

  private void verify(int block, long offset, ByteBuffer chunk) throws CorruptSnapshotException {
    BlockIndex blockIndex = index();
    long length = blockIndex.offset(block + 1) - blockIndex.offset(block);
    if (length < 0 || length > properties.maxBlockLength()) {
      throw new CorruptSnapshotException(
          "block has an impossible length: file=%s offset=%d expected<=%d actual=%d"
              .formatted(name, offset, properties.maxBlockLength(), length));
    }
    int first = blockIndex.firstRank(block);
    blocks.verify(chunk, MappedFile.index(offset), (int) length, offset, first);
    int count = BlockReader.recordCount(chunk, MappedFile.index(offset));
    int next =
        block + 1 < blockIndex.blockCount()
            ? blockIndex.firstRank(block + 1)
            : properties.recordCount();
    if (first + count != next) {
      throw new CorruptSnapshotException(
          "block has another record count than the block index says: file=%s offset=%d expected=%d actual=%d"
              .formatted(name, offset, next - first, count));
    }
    verified.accumulateAndGet(block >>> 6, 1L << block, (a, b) -> a | b);
  }

  private static byte[] copy(ByteBuffer source, long found) {
    byte[] value = new byte[(int) found];
    source.get((int) (found >>> 32), value);
    return value;
  }

  private static int copy(ByteBuffer source, long found, ByteBuffer target) {
    if (found == BlockReader.ABSENT) {
      return SnapshotReader.NOT_FOUND;
    }
    int length = (int) found;
    if (length > target.remaining()) {
      throw new java.nio.BufferOverflowException();
    }
    target.put(target.position(), source, (int) (found >>> 32), length);
    target.position(target.position() + length);
    return length;
  }

  /** Walks over the records. The caller keeps the reader open meanwhile. */
  Walk walk() {
    return new Walk();
  }

  /** A position in the records, in rank order. Used by one thread. */
  final class Walk implements Closeable {
    private final @Nullable FrameDecoder decoder = decoders == null ? null : decoders.take();
    private int block = -1;
    private int record;
    private int recordsInBlock;
    private ByteBuffer body = ByteBuffer.allocate(0);
    private int bodyBase;
    private int bodyLength;
    private int bodyRecords;
    private int recordInBody;

    boolean next() throws IOException {
      record++;
      recordInBody++;
      if (record >= recordsInBlock) {
        if (properties.recordCount() == 0 || block + 1 >= index().blockCount()) {
          return false;
        }
        block++;
        record = 0;
        recordInBody = 0;
        bodyRecords = 0;
      }
      if (recordInBody >= bodyRecords) {
        openBody();
      }
      return true;
    }

    private void openBody() throws IOException {
      long offset = blocksOffset + index().offset(block);
      ByteBuffer chunk = verifiedBlock(block, offset);
      int base = MappedFile.index(offset);
      recordsInBlock = BlockReader.recordCount(chunk, base);
      recordInBody = 0;
      if (decoder == null) {
        body = chunk;
        bodyBase = base + SnapshotFormat.BLOCK_HEADER_LENGTH;
        bodyLength = BlockReader.bodyLength(chunk, base);
        bodyRecords = recordsInBlock;
      } else {
        bodyLength = decode(decoder, chunk, base, record);
        body = decoder.plain();
        bodyBase = 0;
        bodyRecords = BlockReader.frameRecordCount(chunk, base, record);
      }
    }

    byte[] key() throws IOException {
      if (properties.keyStorage() == KeyStorage.OMITTED) {
        throw new UnsupportedOperationException("an approximate snapshot stores no keys: " + name);
      }
      return copy(body, blocks.key(body, bodyBase, bodyLength, bodyRecords, recordInBody));
    }

    byte[] value() throws IOException {
      return copy(body, blocks.value(body, bodyBase, bodyLength, bodyRecords, recordInBody));
    }

    /** The block that the current record is in. */
    int block() {
      return block;
    }

    @Override
    public void close() {
      if (decoder != null && decoders != null) {
        decoders.give(decoder);
      }
    }
  }

  /** Whether records hold their keys. */
  boolean storesKeys() {
    return properties.keyStorage() == KeyStorage.STORED;
  }

  /** Checks that the record at {@code rank} would be found by its key. */
  void requireFound(byte[] key, int rank, int partitionCount, int partition)
      throws CorruptSnapshotException {
    HashValue128 keyHash = KeyHash.hash(key);
    long high = keyHash.getMostSignificantBits();
    int actualPartition = SnapshotFormat.partition(high, partitionCount);
    int actual = actualPartition == partition ? rank(high, keyHash.getLeastSignificantBits()) : -1;
    if (actual != rank) {
      throw new CorruptSnapshotException(
          "a record cannot be found by its key: file=%s offset=%d rank=%d partition of key=%d rank of key=%d"
              .formatted(
                  name, blocksOffset + index().offset(block(rank)), rank, actualPartition, actual));
    }
  }

  /** The CRC-32C of the whole file. Reads it all. */
  int checksum() {
    java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
    int step = 1 << 24;
    for (long offset = 0; offset < file.length(); offset += step) {
      crc.update(file.slice(offset, (int) Math.min(step, file.length() - offset)));
    }
    return (int) crc.getValue();
  }

  @Override
  public void close() {
    if (decoders != null) {
      decoders.close();
    }
    file.close();
  }
}
