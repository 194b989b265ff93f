package io.bsdb.reader.partition;

import com.sun.management.OperatingSystemMXBean;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.FileFooter;
import io.bsdb.format.FileHeader;
import io.bsdb.format.KeyStorage;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.PartitionProperties;
import io.bsdb.format.PartitionProperties.Codec;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.BlockIndex;
import io.bsdb.format.block.BlockReader;
import io.bsdb.format.block.DecoderPool;
import io.bsdb.format.block.DecoderPools;
import io.bsdb.format.block.SymbolDecoder;
import io.bsdb.format.hash.PerfectHash;
import io.bsdb.format.index.HashIndex;
import io.bsdb.format.index.KeyIndex;
import io.bsdb.format.index.OrderIndex;
import io.bsdb.format.index.Positions;
import io.bsdb.format.index.RecordHeads;
import io.bsdb.format.index.Signatures;
import io.bsdb.format.index.TreeIndex;
import io.bsdb.format.symbols.RecordSymbols;
import io.bsdb.reader.block.BlockFile;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.io.MappedFault;
import io.bsdb.reader.io.Thrown;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.SignatureUse;
import io.bsdb.reader.options.Verification;
import io.bsdb.table.Bound;
import io.bsdb.table.Manifest;
import io.bsdb.table.PartitionFile;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Opens partition files: verifies all of a file but its blocks. */
public final class PartitionOpener {
  private static final long LEAST_FOR_HUGE_PAGES = 64 << 20;

  private final Path path;

  /** The whole file; then what lookups use of it. */
  private FileMemory file;

  private final @Nullable DirectFile disk;
  private final PartitionFile expected;
  private final PartChecksum checksum;
  private final DecoderPools pools;

  private PartitionOpener(
      Path path,
      FileMemory file,
      @Nullable DirectFile disk,
      PartitionFile expected,
      DecoderPools pools) {
    this.path = path;
    this.file = file;
    this.disk = disk;
    this.expected = expected;
    this.checksum = new PartChecksum(expected.fileId());
    this.pools = pools;
  }

  /**
   * Opens a partition of a snapshot.
   *
   * @param path of the file
   * @param expected what the manifest says of the file
   * @param sources opens the files of readers that read from disk
   * @param pools of the snapshot, to be closed after its partitions
   */
  public static Partition open(
      Path path,
      PartitionFile expected,
      Manifest manifest,
      ReaderOptions options,
      DirectFile.Opener sources,
      DecoderPools pools)
      throws IOException {
    requireLength(
        path,
        expected,
        lengthOfFile(
            path,
            "the manifest names this partition file; the snapshot is incomplete, rebuild it"));
    FileMemory file =
        options.access() == Access.RESIDENT ? FileMemory.load(path) : FileMemory.map(path);
    DirectFile disk;
    try {
      disk = options.access().readsFromDisk() ? DirectFile.open(path, sources) : null;
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
    PartitionOpener opener = new PartitionOpener(path, file, disk, expected, pools);
    try {
      if (options.access() == Access.MAPPED && gainsByHugePages(manifest.length())) {
        file.adviseHugePages();
      }
      if (options.verification() == Verification.FULL) {
        verifyChecksum(path, file, expected);
      }
      return opener.open(options);
    } catch (IndexOutOfBoundsException e) {
      opener.release();
      throw new CorruptSnapshotException(
          "file points outside of its own bytes: file=%s %s".formatted(path, e.getMessage()), e);
    } catch (InternalError e) {
      opener.release();
      throw Thrown.asIs(MappedFault.explained(e, "file=" + path));
    } catch (IOException | RuntimeException | Error e) {
      opener.release();
      throw e;
    }
  }

  /**
   * Returns whether a table is so large that the TLB does not cover it, and so small that all of it
   * will be in memory soon: then to read 2 MiB at a page fault is no waste.
   */
  private static boolean gainsByHugePages(long tableBytes) {
    return tableBytes >= LEAST_FOR_HUGE_PAGES && fitsMemoryTwice(tableBytes);
  }

  /** Returns whether two versions of a table can be in memory at once. */
  public static boolean fitsMemoryTwice(long tableBytes) {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        && tableBytes <= system.getTotalMemorySize() / 2;
  }

  private void release() throws IOException {
    file.close();
    if (disk != null) {
      disk.close();
    }
  }

  /**
   * Returns the length of a regular file. Others are not opened: reading a pipe may never end.
   *
   * @param advice to the user if there is none
   */
  private static long lengthOfFile(Path path, String advice) throws IOException {
    BasicFileAttributes attributes;
    try {
      attributes = Files.readAttributes(path, BasicFileAttributes.class);
    } catch (NoSuchFileException e) {
      throw new NoSuchFileException(path.toString(), null, advice);
    }
    if (!attributes.isRegularFile()) {
      throw new CorruptSnapshotException(
          "not a regular file: file=%s actual=%s"
              .formatted(path, attributes.isDirectory() ? "a directory" : "a pipe or a device"));
    }
    return attributes.size();
  }

  private static void requireLength(Path path, PartitionFile expected, long actual)
      throws CorruptSnapshotException {
    if (actual != expected.length()) {
      throw new CorruptSnapshotException(
          "file has another length than its manifest says: file=%s expected=%d actual=%d"
              .formatted(path, expected.length(), actual));
    }
  }

  /** Checks the checksum of a whole file. Reads it all. */
  public static void verifyChecksum(Path path, FileMemory file, PartitionFile expected)
      throws IOException {
    CRC32C crc = new CRC32C();
    int step = 1 << 20;
    byte[] bytes = new byte[step]; // a copy, as a fault in the checksum itself ends the process
    for (long offset = 0; offset < file.length(); offset += step) {
      int length = (int) Math.min(step, file.length() - offset);
      file.requireWhole(offset + length);
      file.slice(offset, length).get(0, bytes, 0, length);
      crc.update(bytes, 0, length);
    }
    if ((int) crc.getValue() != expected.checksum()) {
      throw new CorruptSnapshotException(
          "file checksum mismatch: file=%s offset=0 length=%d expected=%s actual=%s"
              .formatted(
                  path,
                  file.length(),
                  SnapshotFormat.hex(expected.checksum()),
                  SnapshotFormat.hex((int) crc.getValue())));
    }
  }

  private Partition open(ReaderOptions options) throws IOException {
    requireLength(path, expected, file.length());
    int head = SnapshotFormat.HEADER_LENGTH;
    if (file.length() < head) {
      throw new CorruptSnapshotException(
          "file too short: file=%s expected>=%d actual=%d".formatted(path, head, file.length()));
    }
    FileHeader header = FileHeader.decode(file.slice(0, head), path.toString());
    checkIdentity(header);
    int end = (int) Math.min(file.length(), FileFooter.MAX_LENGTH);
    FileFooter footer =
        FileFooter.decode(
            file.slice(file.length() - end, end), file.length(), checksum, path.toString());
    PartitionProperties properties =
        PartitionProperties.decode(section(footer, SectionKind.PROPERTIES), path.toString());
    requireCount("record count", expected.recordCount(), properties.recordCount());
    requireCount("sum of key lengths", expected.keyBytes(), properties.keyBytes());
    requireCount("sum of value lengths", expected.valueBytes(), properties.valueBytes());
    Section blocks = required(footer, SectionKind.BLOCKS);
    if (blocks.offset() != header.dataOffset()) {
      throw new CorruptSnapshotException(
          "header and footer disagree on where blocks start: file=%s header=%d footer=%d"
              .formatted(path, header.dataOffset(), blocks.offset()));
    }
    if (blocks.offset() % properties.alignment() != 0
        || (properties.recordCount() == 0 && blocks.length() > 0)) {
      throw new CorruptSnapshotException(
          "blocks are not aligned, or are there without records: file=%s offset=%d alignment=%d length=%d records=%d"
              .formatted(
                  path,
                  blocks.offset(),
                  properties.alignment(),
                  blocks.length(),
                  properties.recordCount()));
    }
    if (options.access().readsFromDisk()) {
      // Copied, so that these pages cannot leave memory: a lookup is to read no more than its
      // block.
      FileMemory behindBlocks = FileMemory.load(path, blocks.offset() + blocks.length());
      file.close();
      file = behindBlocks;
    }
    if (properties.recordCount() == 0) {
      BlockIndex none = BlockIndex.empty();
      BlockReader reader = blockReader(properties, blocks, null);
      return new Partition(
          new HashIndex(properties, null, null, null, none, reader),
          null,
          blockFile(properties, blocks, none, reader, null));
    }
    BlockIndex index =
        BlockIndex.open(
            section(footer, SectionKind.BLOCK_INDEX),
            properties.recordCount(),
            blocks.length(),
            properties.alignment(),
            path.toString());
    boolean framed = properties.codec() == Codec.ZSTD;
    SymbolDecoder.Pool symbols =
        properties.codec() == Codec.SYMBOLS
            ? pools.ofSymbols(
                bytes(footer, SectionKind.SYMBOLS),
                path.toString(),
                required(footer, SectionKind.SYMBOLS).offset())
            : null;
    DecoderPool decoders =
        framed ? pools.ofDictionary(dictionary(footer), path.toString()) : symbols;
    BlockReader reader =
        blockReader(properties, blocks, symbols == null ? null : symbols.symbols());
    OrderIndex order = openOrder(footer, properties, index, reader);
    return new Partition(
        openKeys(footer, properties, index, reader, order, options),
        order,
        blockFile(properties, blocks, index, reader, decoders));
  }

  private KeyIndex openKeys(
      FileFooter footer,
      PartitionProperties properties,
      BlockIndex index,
      BlockReader reader,
      @Nullable OrderIndex order,
      ReaderOptions options)
      throws IOException {
    int count = properties.recordCount();
    if (order != null && footer.find(SectionKind.PERFECT_HASH) == null) {
      return new TreeIndex(order, reader);
    }
    boolean filtered =
        properties.signatureBits() > 0
            && (options.signatures() == SignatureUse.ALWAYS
                || properties.codec() == Codec.ZSTD
                || options.access().readsFromDisk()
                || properties.keyStorage() == KeyStorage.OMITTED);
    Signatures signatures =
        filtered
            ? Signatures.open(
                section(footer, SectionKind.SIGNATURES),
                count,
                properties.signatureBits(),
                path.toString())
            : null;
    Positions positions =
        order == null
            ? null
            : Positions.open(section(footer, SectionKind.POSITIONS), count, path.toString());
    return new HashIndex(properties, openHash(footer, count), positions, signatures, index, reader);
  }

  private @Nullable OrderIndex openOrder(
      FileFooter footer, PartitionProperties properties, BlockIndex index, BlockReader reader)
      throws IOException {
    String file = path.toString();
    Bound bound = expected.lowerBound();
    if (!bound.isKey()) {
      if (footer.find(SectionKind.ORDER_INDEX) != null) {
        throw new CorruptSnapshotException(
            "file is in key order, and its table in hash order: file=" + file);
      }
      return null;
    }
    if (properties.keyStorage() == KeyStorage.OMITTED || properties.codec() == Codec.SYMBOLS) {
      throw new CorruptSnapshotException("file in key order stores no plain keys: file=" + file);
    }
    RecordHeads heads =
        properties.codec() == Codec.ZSTD
            ? RecordHeads.open(
                section(footer, SectionKind.HEADS), properties.recordCount(), index, file)
            : null;
    OrderIndex order =
        OrderIndex.open(
            section(footer, SectionKind.ORDER_INDEX), properties, index, reader, heads, file);
    Bound first = Bound.of(order.first());
    if (!bound.equals(Bound.FIRST) && !bound.equals(first)) {
      throw new CorruptSnapshotException(
          "file begins with another key than its manifest says: file=%s expected=%s actual=%s"
              .formatted(file, bound, first));
    }
    return order;
  }

  private BlockReader blockReader(
      PartitionProperties properties, Section blocks, @Nullable RecordSymbols symbols) {
    return new BlockReader(properties, checksum, path.toString(), blocks.offset(), symbols);
  }

  private BlockFile blockFile(
      PartitionProperties properties,
      Section blocks,
      BlockIndex index,
      BlockReader reader,
      @Nullable DecoderPool decoders) {
    return new BlockFile(
        path,
        expected.partition(),
        file,
        disk,
        properties,
        blocks.offset(),
        index,
        reader,
        decoders);
  }

  private void checkIdentity(FileHeader header) throws CorruptSnapshotException {
    if (!header.fileId().equals(expected.fileId())) {
      throw new CorruptSnapshotException(
          "file belongs elsewhere: file=%s offset=0 expected file id=%s actual=%s; copy the file again from where it is sound, or rebuild the table"
              .formatted(path, expected.fileId(), header.fileId()));
    }
  }

  private void requireCount(String what, long inManifest, long actual)
      throws CorruptSnapshotException {
    if (actual != inManifest) {
      throw new CorruptSnapshotException(
          "file has another %s than its manifest says: file=%s expected=%d actual=%d"
              .formatted(what, path, inManifest, actual));
    }
  }

  private Section required(FileFooter footer, SectionKind kind) throws CorruptSnapshotException {
    Section section = footer.find(kind);
    if (section == null) {
      throw new CorruptSnapshotException("file has no section %s: file=%s".formatted(kind, path));
    }
    return section;
  }

  /** Returns a section's bytes, its checksum verified. */
  private ByteBuffer section(FileFooter footer, SectionKind kind) throws IOException {
    Section section = required(footer, kind);
    file.requireWhole(section.offset() + section.length());
    ByteBuffer bytes = file.slice(section.offset(), (int) section.length());
    int actual = checksum.of(kind.id(), section.offset(), bytes, 0, bytes.limit());
    if (actual != section.checksum()) {
      throw new CorruptSnapshotException(
          "section checksum mismatch: file=%s section=%s offset=%d expected=%s actual=%s"
              .formatted(
                  path,
                  kind,
                  section.offset(),
                  SnapshotFormat.hex(section.checksum()),
                  SnapshotFormat.hex(actual)));
    }
    return bytes;
  }

  private PerfectHash openHash(FileFooter footer, int count) throws IOException {
    ByteBuffer bytes = section(footer, SectionKind.PERFECT_HASH);
    PerfectHash hash;
    try {
      hash = PerfectHash.open(bytes);
    } catch (CorruptSnapshotException e) {
      throw new CorruptSnapshotException(
          "perfect hash cannot be used: file=%s: %s".formatted(path, e.getMessage()), e);
    }
    if (hash.size() != count) {
      throw new CorruptSnapshotException(
          "perfect hash is of another size than its partition: file=%s expected=%d actual=%d"
              .formatted(path, count, hash.size()));
    }
    return hash;
  }

  private byte[] dictionary(FileFooter footer) throws IOException {
    if (footer.find(SectionKind.DICTIONARY) == null) {
      return new byte[0];
    }
    return bytes(footer, SectionKind.DICTIONARY);
  }

  private byte[] bytes(FileFooter footer, SectionKind kind) throws IOException {
    ByteBuffer section = section(footer, kind);
    byte[] bytes = new byte[section.limit()];
    section.get(0, bytes);
    return bytes;
  }
}
