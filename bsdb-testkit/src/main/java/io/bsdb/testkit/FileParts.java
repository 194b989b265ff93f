package io.bsdb.testkit;

import io.bsdb.format.FileFooter;
import io.bsdb.format.FileHeader;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.PartitionProperties;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.format.block.BlockHeader;
import io.bsdb.format.block.BlockIndex;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A sound partition file and where its parts are.
 *
 * @param bytes of the whole file, little-endian; not to be changed
 * @param blocks in order
 */
public record FileParts(
    Path path, ByteBuffer bytes, FileHeader header, FileFooter footer, List<Block> blocks) {

  /** A block at {@code [start, start + length)} of the file. */
  public record Block(int start, int length, int records) {}

  public static FileParts of(Path path) throws IOException {
    ByteBuffer bytes = littleEndian(Files.readAllBytes(path));
    FileHeader header = FileHeader.decode(bytes, "sound");
    int end = Math.min(bytes.limit(), FileFooter.MAX_LENGTH);
    FileFooter footer =
        FileFooter.decode(
            bytes.slice(bytes.limit() - end, end).order(ByteOrder.LITTLE_ENDIAN),
            bytes.limit(),
            new PartChecksum(header.fileId()),
            "sound");
    FileParts parts = new FileParts(path, bytes, header, footer, new ArrayList<>());
    Section section = parts.section(SectionKind.BLOCKS);
    PartitionProperties properties =
        PartitionProperties.decode(parts.bytes(parts.section(SectionKind.PROPERTIES)), "sound");
    BlockIndex index =
        BlockIndex.open(
            parts.bytes(parts.section(SectionKind.BLOCK_INDEX)),
            properties.recordCount(),
            section.length(),
            properties.alignment(),
            "sound");
    for (int block = 0; block < index.blockCount(); block++) {
      int start = (int) (section.offset() + index.offset(block));
      int length = (int) (index.offset(block + 1) - index.offset(block));
      parts.blocks.add(new Block(start, length, BlockHeader.recordCount(bytes, start)));
    }
    return parts;
  }

  public static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  public PartChecksum checksum() {
    return new PartChecksum(header.fileId());
  }

  public boolean has(SectionKind kind) {
    return footer.find(kind) != null;
  }

  public Section section(SectionKind kind) {
    return Objects.requireNonNull(footer.find(kind), kind.name());
  }

  public ByteBuffer bytes(Section section) {
    return bytes
        .slice((int) section.offset(), (int) section.length())
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  public int length() {
    return bytes.limit();
  }

  public int directoryOffset() {
    return length() - footer.encode(0, checksum()).limit();
  }

  /** Returns a copy of the file, to be changed. */
  public ByteBuffer copy() {
    byte[] copy = new byte[length()];
    bytes.get(0, copy);
    return littleEndian(copy);
  }

  /** Puts another footer, its checksum right, in the place of the file's own. */
  public void putFooter(ByteBuffer changed, List<Section> sections) {
    ByteBuffer end = new FileFooter(sections).encode(directoryOffset(), checksum());
    changed.put(directoryOffset(), end, 0, end.limit());
  }

  /** Writes the file with other bytes. */
  public void write(ByteBuffer changed) throws IOException {
    byte[] content = new byte[changed.limit()];
    changed.get(0, content);
    Files.write(path, content);
  }
}
