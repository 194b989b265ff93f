package io.bsdb.reader.partition;

import com.sun.management.OperatingSystemMXBean;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.KeyStorage;
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
import io.bsdb.format.io.Thrown;
import io.bsdb.format.symbols.RecordSymbols;
import io.bsdb.reader.block.BlockFile;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.io.MappedFault;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.SignatureUse;
import io.bsdb.reader.options.Verification;
import io.bsdb.table.manifest.Bound;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Opens partition files: verifies all of a file but its blocks. */
public final class PartitionOpener {
  private static final long LEAST_FOR_HUGE_PAGES = 64 << 20;
  private static final String INCOMPLETE =
      "the manifest names this partition file; the snapshot is incomplete, rebuild it";

  private final Path path;
  private final PartitionSections sections;
  private final PartitionProperties properties;
  private final @Nullable DirectFile disk;
  private final PartitionFile expected;
  private final ReaderOptions options;
  private final DecoderPools pools;

  private PartitionOpener(
      Path path,
      PartitionSections sections,
      @Nullable DirectFile disk,
      PartitionFile expected,
      ReaderOptions options,
      DecoderPools pools) {
    this.path = path;
    this.sections = sections;
    this.properties = sections.properties();
    this.disk = disk;
    this.expected = expected;
    this.options = options;
    this.pools = pools;
  }

  /**
   * Returns the memory that a partition will take and not give back. Reads the end of its file.
   *
   * @throws CorruptSnapshotException if that is damaged
   */
  public static long memory(Path path, PartitionFile expected, ReaderOptions options)
      throws IOException {
    if (options.access() == Access.MAPPED) {
      return 0;
    }
    requireLength(path, expected);
    if (options.access() == Access.RESIDENT) {
      return FileMemory.resident(expected.length());
    }
    try (FileMemory file = FileMemory.map(path)) {
      return new PartitionSections(path, file, expected, options).memoryBehindBlocks();
    } catch (IndexOutOfBoundsException | InternalError e) {
      throw explained(path, e);
    }
  }

  private static void requireLength(Path path, PartitionFile expected) throws IOException {
    PartitionSections.requireLength(path, expected, FileMemory.lengthOfFile(path, INCOMPLETE));
  }

  /**
   * Opens a partition of a snapshot.
   *
   * @param path of the file
   * @param expected the file's entry in the manifest
   * @param sources opens the files of readers that read from disk
   * @param pools of the snapshot, shared until the partition is closed
   */
  public static Partition open(
      Path path,
      PartitionFile expected,
      Manifest manifest,
      ReaderOptions options,
      DirectFile.Opener sources,
      DecoderPools pools)
      throws IOException {
    requireLength(path, expected);
    FileMemory file =
        options.access() == Access.RESIDENT ? FileMemory.load(path) : FileMemory.map(path);
    PartitionSections sections = null;
    DirectFile disk = null;
    try {
      disk = options.access().readsFromDisk() ? DirectFile.open(path, sources) : null;
      if (options.access() == Access.MAPPED && gainsByHugePages(manifest.length())) {
        file.adviseHugePages();
      }
      if (options.verification() == Verification.FULL) {
        verifyChecksum(path, file, expected);
      }
      sections = new PartitionSections(path, file, expected, options);
      if (disk != null) {
        sections.copyBehindBlocks();
      }
      return new PartitionOpener(path, sections, disk, expected, options, pools).open();
    } catch (IOException | RuntimeException | Error e) {
      (sections == null ? file : sections.file()).close();
      if (disk != null) {
        disk.close();
      }
      throw explained(path, e);
    }
  }

  /** Returns the exception for the caller; see {@link Thrown#asIs}. */
  private static IOException explained(Path path, Throwable thrown) {
    if (thrown instanceof IndexOutOfBoundsException e) {
      return new CorruptSnapshotException(
          "file points outside of its own bytes: file=%s: %s".formatted(path, e), e);
    }
    return Thrown.asIs(
        thrown instanceof InternalError e ? MappedFault.explained(e, "file=" + path) : thrown);
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

  private Partition open() throws IOException {
    Section blocks = sections.blocks();
    if (properties.recordCount() == 0) {
      BlockIndex none = BlockIndex.empty();
      BlockReader reader = blockReader(blocks, null);
      return new Partition(
          new HashIndex(properties, null, null, null, none, reader),
          null,
          blockFile(none, reader, null),
          null,
          pools);
    }
    BlockIndex index =
        BlockIndex.open(
            sections.section(SectionKind.BLOCK_INDEX),
            properties.recordCount(),
            blocks.length(),
            properties.alignment(),
            path.toString());
    boolean framed = properties.codec() == Codec.ZSTD;
    SymbolDecoder.Pool symbols =
        properties.codec() == Codec.SYMBOLS
            ? pools.ofSymbols(
                sections.bytes(SectionKind.SYMBOLS),
                path.toString(),
                sections.required(SectionKind.SYMBOLS).offset())
            : null;
    DecoderPool decoders = framed ? pools.ofDictionary(dictionary(), path.toString()) : symbols;
    BlockReader reader = blockReader(blocks, symbols == null ? null : symbols.symbols());
    OrderIndex order = openOrder(index, reader);
    KeyIndex keys = openKeys(index, reader, order);
    return new Partition(
        keys, order, blockFile(index, reader, decoders), elasticSignatures(keys), pools);
  }

  private @Nullable ElasticSignatures elasticSignatures(KeyIndex keys)
      throws CorruptSnapshotException {
    Section section = sections.elasticSignatures();
    if (section == null || disk == null || !(keys instanceof HashIndex index)) {
      return null;
    }
    int count = properties.recordCount();
    int bits = properties.signatureBits();
    Signatures.requireLength(section.length(), count, bits, path.toString());
    return new ElasticSignatures(
        path, disk, section, sections.checksum(), index, count, bits, options.memory());
  }

  private KeyIndex openKeys(BlockIndex index, BlockReader reader, @Nullable OrderIndex order)
      throws IOException {
    int count = properties.recordCount();
    if (order != null && !sections.has(SectionKind.PERFECT_HASH)) {
      return new TreeIndex(order, reader);
    }
    boolean filtered =
        properties.signatureBits() > 0
            && sections.elasticSignatures() == null
            && (options.signatures() == SignatureUse.ALWAYS
                || properties.codec() == Codec.ZSTD
                || options.access().readsFromDisk()
                || properties.keyStorage() == KeyStorage.OMITTED);
    Signatures signatures =
        filtered
            ? Signatures.open(
                sections.section(SectionKind.SIGNATURES),
                count,
                properties.signatureBits(),
                path.toString())
            : null;
    Positions positions =
        order == null
            ? null
            : Positions.open(sections.section(SectionKind.POSITIONS), count, path.toString());
    return new HashIndex(properties, openHash(count), positions, signatures, index, reader);
  }

  private @Nullable OrderIndex openOrder(BlockIndex index, BlockReader reader) throws IOException {
    String file = path.toString();
    Bound bound = expected.lowerBound();
    if (!bound.isKey()) {
      if (sections.has(SectionKind.ORDER_INDEX)) {
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
                sections.section(SectionKind.HEADS), properties.recordCount(), index, file)
            : null;
    OrderIndex order =
        OrderIndex.open(
            sections.section(SectionKind.ORDER_INDEX), properties, index, reader, heads, file);
    Bound first = Bound.of(order.first());
    if (!bound.equals(Bound.FIRST) && !bound.equals(first)) {
      throw new CorruptSnapshotException(
          "first key of a file differs from the manifest: file=%s expected=%s actual=%s"
              .formatted(file, bound, first));
    }
    return order;
  }

  private BlockReader blockReader(Section blocks, @Nullable RecordSymbols symbols) {
    return new BlockReader(
        properties, sections.checksum(), path.toString(), blocks.offset(), symbols);
  }

  private BlockFile blockFile(
      BlockIndex index, BlockReader reader, @Nullable DecoderPool decoders) {
    return new BlockFile(
        path, expected.partition(), sections.file(), disk, properties, index, reader, decoders);
  }

  private PerfectHash openHash(int count) throws IOException {
    ByteBuffer bytes = sections.section(SectionKind.PERFECT_HASH);
    PerfectHash hash;
    try {
      hash = PerfectHash.open(bytes);
    } catch (CorruptSnapshotException e) {
      throw new CorruptSnapshotException(
          "perfect hash cannot be used: file=%s: %s".formatted(path, e.getMessage()), e);
    }
    if (hash.size() != count) {
      throw new CorruptSnapshotException(
          "size of the perfect hash does not match its partition: file=%s expected=%d actual=%d"
              .formatted(path, count, hash.size()));
    }
    return hash;
  }

  private byte[] dictionary() throws IOException {
    if (!sections.has(SectionKind.DICTIONARY)) {
      return new byte[0];
    }
    return sections.bytes(SectionKind.DICTIONARY);
  }
}
