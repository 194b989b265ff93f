package io.bsdb.reader.partition;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.FileFooter;
import io.bsdb.format.FileHeader;
import io.bsdb.format.KeyStorage;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.PartitionProperties;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.PartitionFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The sections of a partition file in memory, each verified when it is asked for. */
final class PartitionSections {
  private final Path path;
  private final PartitionFile expected;
  private final ReaderOptions options;
  private final PartChecksum checksum;
  private final FileFooter footer;
  private final PartitionProperties properties;
  private final Section blocks;

  /** The whole file; then what lookups use of it. */
  private FileMemory file;

  /** Verifies header, footer and properties of a whole file. */
  PartitionSections(Path path, FileMemory file, PartitionFile expected, ReaderOptions options)
      throws IOException {
    this.path = path;
    this.file = file;
    this.expected = expected;
    this.options = options;
    this.checksum = new PartChecksum(expected.fileId());
    requireLength(path, expected, file.length());
    int head = SnapshotFormat.HEADER_LENGTH;
    if (file.length() < head) {
      throw new CorruptSnapshotException(
          "file too short: file=%s expected>=%d actual=%d".formatted(path, head, file.length()));
    }
    FileHeader header = FileHeader.decode(file.slice(0, head), path.toString());
    checkIdentity(header);
    int end = (int) Math.min(file.length(), FileFooter.MAX_LENGTH);
    this.footer =
        FileFooter.decode(
            file.slice(file.length() - end, end), file.length(), checksum, path.toString());
    this.properties = PartitionProperties.decode(section(SectionKind.PROPERTIES), path.toString());
    requireCount("record count", expected.recordCount(), properties.recordCount());
    requireCount("sum of key lengths", expected.keyBytes(), properties.keyBytes());
    requireCount("sum of value lengths", expected.valueBytes(), properties.valueBytes());
    this.blocks = required(SectionKind.BLOCKS);
    checkBlocks(header);
  }

  private void checkBlocks(FileHeader header) throws CorruptSnapshotException {
    if (blocks.offset() != header.dataOffset()) {
      throw new CorruptSnapshotException(
          "header and footer disagree on where blocks start: file=%s header=%d footer=%d"
              .formatted(path, header.dataOffset(), blocks.offset()));
    }
    if (blocks.offset() % properties.alignment() != 0
        || (properties.recordCount() == 0 && blocks.length() > 0)) {
      throw new CorruptSnapshotException(
          "blocks are not aligned, or exist without records: file=%s offset=%d alignment=%d length=%d records=%d"
              .formatted(
                  path,
                  blocks.offset(),
                  properties.alignment(),
                  blocks.length(),
                  properties.recordCount()));
    }
  }

  FileMemory file() {
    return file;
  }

  PartChecksum checksum() {
    return checksum;
  }

  PartitionProperties properties() {
    return properties;
  }

  Section blocks() {
    return blocks;
  }

  boolean has(SectionKind kind) {
    return footer.find(kind) != null;
  }

  /**
   * Returns the signatures if they are loaded later, as memory allows; null if they are not. Where
   * records hold no keys there is no answer without them.
   */
  @Nullable Section elasticSignatures() {
    Section signatures = footer.find(SectionKind.SIGNATURES);
    return signatures != null
            && signatures.offset() >= blocksEnd()
            && has(SectionKind.PERFECT_HASH)
            && options.memory().isLimited()
            && options.access().readsFromDisk()
            && properties.keyStorage() == KeyStorage.STORED
            && properties.signatureBits() > 0
        ? signatures
        : null;
  }

  private long blocksEnd() {
    return blocks.offset() + blocks.length();
  }

  /** Returns the memory that {@link #copyBehindBlocks} takes. */
  long memoryBehindBlocks() {
    Section gap = elasticSignatures();
    return FileMemory.resident(file.length() - blocksEnd() - (gap == null ? 0 : gap.length()));
  }

  /**
   * Copies what lies after the blocks, so that its pages cannot leave memory: a lookup is to read
   * no more than its block.
   */
  void copyBehindBlocks() throws IOException {
    Section gap = elasticSignatures();
    FileMemory copy =
        gap == null
            ? FileMemory.load(path, blocksEnd())
            : FileMemory.load(path, blocksEnd(), gap.offset(), gap.offset() + gap.length());
    file.close();
    file = copy;
  }

  Section required(SectionKind kind) throws CorruptSnapshotException {
    Section section = footer.find(kind);
    if (section == null) {
      throw new CorruptSnapshotException("file has no section %s: file=%s".formatted(kind, path));
    }
    return section;
  }

  /** Returns a section's bytes, its checksum verified. */
  ByteBuffer section(SectionKind kind) throws IOException {
    Section section = required(kind);
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

  byte[] bytes(SectionKind kind) throws IOException {
    ByteBuffer section = section(kind);
    byte[] bytes = new byte[section.limit()];
    section.get(0, bytes);
    return bytes;
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
          "%s differs from the manifest: file=%s expected=%d actual=%d"
              .formatted(what, path, inManifest, actual));
    }
  }

  static void requireLength(Path path, PartitionFile expected, long actual)
      throws CorruptSnapshotException {
    if (actual != expected.length()) {
      throw new CorruptSnapshotException(
          "file length differs from the manifest: file=%s expected=%d actual=%d"
              .formatted(path, expected.length(), actual));
    }
  }
}
