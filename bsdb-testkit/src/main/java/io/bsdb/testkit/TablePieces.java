package io.bsdb.testkit;

import io.bsdb.format.FileFooter;
import io.bsdb.format.FileHeader;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.BlockIndex;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The first partition of a sound table in pieces, each of which may be changed before the table is
 * written again. All checksums are put right, so that readers get to see what was changed; the
 * changes whose names begin with {@code damage} come after that.
 */
public final class TablePieces {
  private static final int ALIGNMENT = 24; // within the properties

  private final Manifest manifest;
  private final Map<String, byte[]> otherFiles = new LinkedHashMap<>();
  private final List<byte[]> blocks = new ArrayList<>();

  /** In the order of the file, without the blocks. */
  public final Map<Integer, byte[]> sections = new LinkedHashMap<>();

  public FileHeader header;

  /** Where section BLOCKS begins; bytes before it and after the header are zeros. */
  public int blocksOffset;

  /** Alignment of sections, in bytes. */
  public int sectionAlignment = 8;

  public Consumer<ByteBuffer> headerChange = header -> {};
  public UnaryOperator<List<Section>> directory = entries -> entries;
  public UnaryOperator<byte[]> fileDamage = file -> file;
  public UnaryOperator<String> manifestChange = text -> text;
  public UnaryOperator<byte[]> manifestDamage = bytes -> bytes;
  public UnaryOperator<byte[]> currentDamage = bytes -> bytes;
  public Consumer<Path> tableDamage = table -> {};

  private TablePieces(Manifest manifest, FileParts parts) {
    this.manifest = manifest;
    this.header = parts.header();
    this.blocksOffset = (int) header.dataOffset();
    for (FileParts.Block block : parts.blocks()) {
      byte[] bytes = new byte[block.length()];
      parts.bytes().get(block.start(), bytes);
      blocks.add(bytes);
    }
    for (Section section : parts.footer().sections()) {
      if (section.kind() != SectionKind.BLOCKS.id()) {
        byte[] bytes = new byte[(int) section.length()];
        parts.bytes().get((int) section.offset(), bytes);
        sections.put(section.kind(), bytes);
      }
    }
  }

  public static TablePieces of(Path table) throws IOException {
    Table sound = Table.at(table);
    Manifest manifest = sound.manifest(sound.requireCurrentVersion());
    Path directory = table.resolve("snapshots").resolve(manifest.version());
    TablePieces pieces =
        new TablePieces(
            manifest, FileParts.of(directory.resolve(manifest.partitions().get(0).name())));
    for (PartitionFile other : manifest.partitions().subList(1, manifest.partitions().size())) {
      pieces.otherFiles.put(other.name(), Files.readAllBytes(directory.resolve(other.name())));
    }
    return pieces;
  }

  /** Returns a block, to be changed in place. */
  public ByteBuffer block(int number) {
    return FileParts.littleEndian(blocks.get(number));
  }

  /** Returns a section, to be changed in place. */
  public ByteBuffer section(SectionKind kind) {
    return FileParts.littleEndian(Objects.requireNonNull(sections.get(kind.id())));
  }

  public void resize(SectionKind kind, int change) {
    sections.compute(kind.id(), (id, bytes) -> Arrays.copyOf(bytes, bytes.length + change));
  }

  public void swapBlocks() {
    byte[] first = blocks.get(0);
    blocks.set(0, blocks.get(1));
    blocks.set(1, first);
  }

  public byte[] content(int number) {
    int end = block(number).getInt(SnapshotFormat.BLOCK_CONTENT_LENGTH);
    return Arrays.copyOfRange(blocks.get(number), SnapshotFormat.BLOCK_HEADER_LENGTH, end);
  }

  /** Gives a block another content and puts block index and properties right. */
  public void content(int number, byte[] content) {
    int length = SnapshotFormat.BLOCK_HEADER_LENGTH + content.length;
    int alignment = section(SectionKind.PROPERTIES).getInt(ALIGNMENT);
    byte[] header = Arrays.copyOf(blocks.get(number), SnapshotFormat.BLOCK_HEADER_LENGTH);
    blocks.set(number, Arrays.copyOf(header, (length + alignment - 1) / alignment * alignment));
    block(number).putInt(SnapshotFormat.BLOCK_CONTENT_LENGTH, length);
    block(number).put(SnapshotFormat.BLOCK_HEADER_LENGTH, content);
    index(alignment);
  }

  /** Makes a block longer than its content. */
  public void padBlock(int number, int bytes) {
    blocks.set(number, Arrays.copyOf(blocks.get(number), blocks.get(number).length + bytes));
    index(section(SectionKind.PROPERTIES).getInt(ALIGNMENT));
  }

  private void index(int alignment) {
    BlockIndex.Builder index = new BlockIndex.Builder(alignment);
    long offset = 0;
    int longest = 0;
    for (int i = 0; i < blocks.size(); i++) {
      index.add(block(i).getInt(SnapshotFormat.BLOCK_FIRST_RANK), offset);
      offset += blocks.get(i).length;
      longest = Math.max(longest, blocks.get(i).length);
    }
    ByteBuffer properties = section(SectionKind.PROPERTIES);
    ByteBuffer encoded = index.encode(properties.getInt(0), offset);
    sections.put(SectionKind.BLOCK_INDEX.id(), bytes(encoded));
    properties.putInt(36, longest);
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.limit()];
    buffer.get(0, bytes);
    return bytes;
  }

  private byte[] file() {
    PartChecksum checksum = new PartChecksum(header.fileId());
    ByteBuffer head = header.encode();
    headerChange.accept(head);
    int covered = SnapshotFormat.HEADER_LENGTH - Integer.BYTES;
    head.putInt(covered, checksum.of(PartChecksum.HEADER, 0, head, 0, covered));
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.writeBytes(bytes(head));
    file.writeBytes(new byte[blocksOffset - file.size()]);
    for (byte[] block : blocks) {
      ByteBuffer bytes = FileParts.littleEndian(block);
      bytes.putInt(0, checksum.of(1, file.size(), bytes, 4, block.length - 4));
      file.writeBytes(block);
    }
    List<Section> entries = new ArrayList<>();
    entries.add(required(SectionKind.BLOCKS.id(), blocksOffset, file.size() - blocksOffset));
    for (Map.Entry<Integer, byte[]> section : sections.entrySet()) {
      file.writeBytes(new byte[Math.floorMod(-file.size(), sectionAlignment)]);
      entries.add(required(section.getKey(), file.size(), section.getValue().length));
      file.writeBytes(section.getValue());
    }
    ByteBuffer bytes = FileParts.littleEndian(file.toByteArray());
    List<Section> changed = directory.apply(entries).stream().map(e -> checked(e, bytes)).toList();
    file.writeBytes(bytes(new FileFooter(changed).encode(file.size(), checksum)));
    return fileDamage.apply(file.toByteArray());
  }

  public static Section required(int kind, int offset, int length) {
    return new Section(kind, Section.Requirement.REQUIRED, offset, length, 0);
  }

  private Section checked(Section section, ByteBuffer file) {
    long offset = section.offset();
    boolean inFile = section.length() >= 0 && offset + section.length() <= file.limit();
    int right =
        section.kind() == SectionKind.BLOCKS.id() || !inFile
            ? 0
            : new PartChecksum(header.fileId())
                .of(section.kind(), offset, file, (int) offset, (int) section.length());
    return new Section(section.kind(), section.requirement(), offset, section.length(), right);
  }

  /** Writes the table. */
  public void write(Path table) throws IOException {
    Path directory = table.resolve("snapshots").resolve(manifest.version());
    Files.createDirectories(directory);
    byte[] file = file();
    Files.write(directory.resolve(manifest.partitions().get(0).name()), file);
    for (Map.Entry<String, byte[]> other : otherFiles.entrySet()) {
      Files.write(directory.resolve(other.getKey()), other.getValue());
    }
    String text = new String(manifest.encode(), StandardCharsets.UTF_8);
    String covered =
        manifestChange.apply(
            text.substring(0, text.lastIndexOf("\"checksum\""))
                .replaceFirst("\"length\" : [0-9]+", "\"length\" : " + file.length)
                .replaceFirst(
                    "\"checksum\" : \"[0-9a-f]+",
                    "\"checksum\" : \"" + SnapshotFormat.hex(Crc.of(file))));
    Files.write(
        directory.resolve(SnapshotFormat.MANIFEST_FILE), manifestDamage.apply(signed(covered)));
    byte[] current = (manifest.version() + "\n").getBytes(StandardCharsets.UTF_8);
    Files.write(table.resolve(SnapshotFormat.CURRENT_FILE), currentDamage.apply(current));
    tableDamage.accept(table);
  }

  /** A manifest with its checksum; Latin-1 stands for bytes that are no UTF-8. */
  private static byte[] signed(String covered) {
    byte[] bytes =
        covered.contains("\u00ff")
            ? covered.getBytes(StandardCharsets.ISO_8859_1)
            : covered.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(bytes);
    out.writeBytes(
        ("\"checksum\" : \"" + SnapshotFormat.hex(Crc.of(bytes)) + "\"\n}\n")
            .getBytes(StandardCharsets.UTF_8));
    return out.toByteArray();
  }
}
