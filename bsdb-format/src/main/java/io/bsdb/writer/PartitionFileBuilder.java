package io.bsdb.writer;

import com.github.luben.zstd.ZstdCompressCtx;
import io.bsdb.format.FileHeader;
import io.bsdb.format.KeyStorage;
import io.bsdb.format.PartitionProperties;
import io.bsdb.format.PartitionProperties.Codec;
import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.format.SectionKind;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.BlockShape;
import io.bsdb.format.block.BlockWriter;
import io.bsdb.format.hash.DuplicateHashException;
import io.bsdb.format.hash.PerfectHash;
import io.bsdb.format.hash.PerfectHashBuilder;
import io.bsdb.format.index.OrderIndex;
import io.bsdb.format.index.Positions;
import io.bsdb.format.index.RecordHeads;
import io.bsdb.format.index.Signatures;
import io.bsdb.format.io.IOFunction;
import io.bsdb.format.symbols.RecordEncoder;
import io.bsdb.format.symbols.RecordSymbols;
import io.bsdb.table.manifest.Bound;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.storage.TableStorage;
import io.bsdb.writer.file.PartitionFileOutput;
import io.bsdb.writer.options.Duplicates;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Turns the records of one partition, in memory, into its file. Used by one thread. */
final class PartitionFileBuilder {
  private final IOFunction<String, TableStorage.Output> outputs;
  private final WriterOptions options;
  private final FrameCompression compression;
  private final RecordCompression recordCompression;
  private final @Nullable Path temporaryDirectory;
  private final boolean inKeyOrder;

  /** In hash order, where the record of each rank starts; in key order, its number. */
  private int[] byRank = new int[0];

  /**
   * @param temporaryDirectory for the files of a perfect hash under construction; null if there
   *     will be no records
   */
  PartitionFileBuilder(
      IOFunction<String, TableStorage.Output> outputs,
      WriterOptions options,
      FrameCompression compression,
      RecordCompression recordCompression,
      @Nullable Path temporaryDirectory) {
    this.outputs = outputs;
    this.options = options;
    this.inKeyOrder = options.order() == RecordOrder.KEY;
    this.compression = compression;
    this.recordCompression = recordCompression;
    this.temporaryDirectory = temporaryDirectory;
  }

  /** Writes the file {@code name} of the snapshot, durably. */
  PartitionFile build(int partition, String name, PartitionRecords records) throws IOException {
    if (!inKeyOrder) {
      return build(partition, name, records, compression);
    }
    // A range of keys is no sample of the others.
    try (FrameCompression own = new FrameCompression(options)) {
      return build(partition, name, records, own);
    }
  }

  private PartitionFile build(
      int partition, String name, PartitionRecords records, FrameCompression compression)
      throws IOException {
    if (options.duplicates() != Duplicates.FAIL && !inKeyOrder) {
      records.resolve(options.duplicates());
    }
    int count = records.count();
    Map<SectionKind, ByteBuffer> pointIndex = pointIndex(records);
    records.measure();
    Codec chosen = options.layout().codec();
    RecordSymbols symbols = chosen == Codec.SYMBOLS ? recordCompression.symbols(records) : null;
    boolean compressed = chosen == Codec.ZSTD && count > 0;
    BlockShape shape = shape(records, compressed, symbols);
    byte[] dictionary =
        compressed ? compression.dictionary(records, shape.frameRecords()) : new byte[0];
    FileHeader header =
        new FileHeader(
            UUID.randomUUID(),
            Math.max(SnapshotFormat.HEADER_LENGTH, options.layout().alignment()));
    try (PartitionFileOutput output = new PartitionFileOutput(outputs.apply(name), header);
        ZstdCompressCtx compressor = compressed ? compression.compressor() : null) {
      BlockWriter blocks = writeBlocks(header, records, shape, output, compressor, symbols);
      long blocksLength = output.length();
      output.endBlocks();
      if (count > 0) {
        for (Map.Entry<SectionKind, ByteBuffer> section : pointIndex.entrySet()) {
          output.section(section.getKey(), section.getValue());
        }
        output.section(SectionKind.BLOCK_INDEX, blocks.index().encode(count, blocksLength));
        if (inKeyOrder) {
          output.section(
              SectionKind.ORDER_INDEX, OrderIndex.encode(records::key, count, blocks.index()));
          if (compressed) {
            output.section(
                SectionKind.HEADS, RecordHeads.encode(records::key, count, blocks.index()));
          }
        }
        if (dictionary.length > 0) {
          output.section(SectionKind.DICTIONARY, ByteBuffer.wrap(dictionary));
        }
        if (symbols != null) {
          output.section(SectionKind.SYMBOLS, symbols.encode());
        }
      }
      PartitionProperties properties =
          new PartitionProperties(
              count,
              options.keyStorage(),
              records.keyLength(),
              records.valueLength(),
              options.signatureBits(),
              options.blockSize(),
              options.layout().alignment(),
              compressed || symbols != null ? chosen : Codec.NONE,
              symbols != null ? records.longestRecord() : blocks.maxFrameLength(),
              blocks.maxBlockLength(),
              records.keyBytes(),
              records.valueBytes());
      output.section(SectionKind.PROPERTIES, properties.encode());
      long length = output.commit();
      PartitionFile file =
          new PartitionFile(
              name,
              header.fileId(),
              length,
              output.checksum(),
              count,
              records.keyBytes(),
              records.valueBytes(),
              new PartitionFile.Place(partition));
      return inKeyOrder
          ? file.ordered(partition, records.count() == 0 ? Bound.FIRST : Bound.of(records.key(0)))
          : file;
    }
  }

  private ByteBuffer perfectHash(PartitionRecords records) throws IOException {
    if (options.perfectHash() == PerfectHashConstruction.SUX4J && temporaryDirectory != null) {
      Files.createDirectories(temporaryDirectory);
    }
    try {
      return ByteBuffer.wrap(
          PerfectHashBuilder.build(
              options.perfectHash(),
              temporaryDirectory,
              records.high(),
              records.low(),
              records.count()));
    } catch (DuplicateHashException e) {
      throw records.duplicate(e);
    }
  }

  /** Makes the sections by which single keys are found, and orders the records by rank. */
  private Map<SectionKind, ByteBuffer> pointIndex(PartitionRecords records) throws IOException {
    Map<SectionKind, ByteBuffer> sections = new EnumMap<>(SectionKind.class);
    if (records.count() > 0 && options.pointIndex()) {
      ByteBuffer hash = perfectHash(records);
      sections.put(SectionKind.PERFECT_HASH, hash);
      ByteBuffer signatures = order(records, PerfectHash.open(hash));
      if (options.signatureBits() > 0) {
        sections.put(SectionKind.SIGNATURES, signatures);
      }
      if (inKeyOrder) {
        sections.put(SectionKind.POSITIONS, Positions.encode(byRank, records.count()));
      }
    }
    return sections;
  }

  /**
   * Notes which record has which rank, and packs the signatures in the order in which records are
   * written.
   */
  private ByteBuffer order(PartitionRecords records, PerfectHash hash) {
    int count = records.count();
    if (byRank.length < count) {
      byRank = new int[count];
    }
    Arrays.fill(byRank, 0, count, -1);
    Signatures.Builder signatures = new Signatures.Builder(count, options.signatureBits());
    int[] ranks = new int[Math.min(count, 1 << 12)];
    long[] high = new long[ranks.length];
    long[] low = new long[ranks.length];
    for (int first = 0; first < count; first += ranks.length) {
      int length = Math.min(ranks.length, count - first);
      System.arraycopy(records.high(), first, high, 0, length);
      System.arraycopy(records.low(), first, low, 0, length);
      hash.ranks(high, low, length, ranks);
      for (int i = 0; i < length; i++) {
        if (byRank[ranks[i]] != -1) {
          throw new IllegalStateException("perfect hash gave rank %d twice".formatted(ranks[i]));
        }
        byRank[ranks[i]] = inKeyOrder ? first + i : records.start(first + i);
        signatures.set(inKeyOrder ? first + i : ranks[i], high[i]);
      }
    }
    return signatures.section();
  }

  private BlockShape shape(
      PartitionRecords records, boolean compressed, @Nullable RecordSymbols symbols) {
    int frameRecords = 0;
    if (compressed) {
      long plain =
          records.valueBytes()
              + (options.keyStorage() == KeyStorage.STORED ? records.keyBytes() : 0);
      double average = Math.max(1.0, (double) plain / records.count());
      frameRecords =
          (int) Math.max(1, Math.min(Math.round(options.frameSize() / average), 1 << 14));
    }
    return new BlockShape(
        options.blockSize(),
        options.layout().alignment(),
        options.keyStorage(),
        symbols != null && symbols.encodesKeys()
            ? PartitionProperties.VARYING
            : records.keyLength(),
        symbols != null ? PartitionProperties.VARYING : records.valueLength(),
        frameRecords,
        Math.min(SnapshotFormat.MAX_SLOTTED_BODY, 4 * options.frameSize()));
  }

  private BlockWriter writeBlocks(
      FileHeader header,
      PartitionRecords records,
      BlockShape shape,
      PartitionFileOutput output,
      @Nullable ZstdCompressCtx compressor,
      @Nullable RecordSymbols symbols)
      throws IOException {
    RecordEncoder encoder = symbols == null ? null : new RecordEncoder(symbols);
    BlockWriter blocks = new BlockWriter(header, shape, output, compressor, encoder);
    for (int i = 0; i < records.count(); i++) {
      int start = inKeyOrder ? records.start(i) : byRank[i];
      blocks.add(
          records.data(start),
          records.keyOffset(start),
          records.keyLength(start),
          records.valueLength(start));
    }
    blocks.finish();
    return blocks;
  }
}
