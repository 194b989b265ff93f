package io.bsdb.reader;

import io.bsdb.format.FileFooter;
import io.bsdb.format.FileHeader;
import io.bsdb.format.Manifest;
import io.bsdb.format.PartitionFile;
import io.bsdb.format.PartitionProperties;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.format.SnapshotFormat;
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
 * A partition file whose bytes are changed and whose checksums are then put right, so that what
 * lies behind the checksums is reached. One partition only.
 */
final class Forgery {
  private final Path directory;
  private final Manifest manifest;
  private final Path file;
  private final ByteBuffer sound;
  private final FileFooter footer;
  private final List<int[]> blocks = new ArrayList<>();

  Forgery(Path table, Manifest manifest) throws IOException {
    this.directory = table.resolve("snapshots").resolve(manifest.version());
    this.manifest = manifest;
    file = directory.resolve(manifest.partitions().get(0).name());
    sound = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    int end = Math.min(sound.limit(), FileFooter.MAX_LENGTH);
    ByteBuffer tail = sound.slice(sound.limit() - end, end).order(ByteOrder.LITTLE_ENDIAN);
    footer = FileFooter.decode(tail, sound.limit(), "sound");
    PartitionProperties properties =
        PartitionProperties.decode(bytes(section(SectionKind.PROPERTIES)), "sound");
    Section blocksSection = section(SectionKind.BLOCKS);
    BlockIndex index =
        BlockIndex.open(
            bytes(section(SectionKind.BLOCK_INDEX)),
            properties.recordCount(),
            blocksSection.length(),
            properties.alignment(),
            "sound");
    for (int block = 0; block < index.blockCount(); block++) {
      blocks.add(
          new int[] {
            (int) (blocksSection.offset() + index.offset(block)),
            (int) (blocksSection.offset() + index.offset(block + 1))
          });
    }
  }

  Section section(SectionKind kind) {
    return Objects.requireNonNull(footer.find(kind), kind.name());
  }

  FileFooter footer() {
    return footer;
  }

  private ByteBuffer bytes(Section section) {
    return sound
        .slice((int) section.offset(), (int) section.length())
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  int length() {
    return sound.limit();
  }

  byte at(int position) {
    return sound.get(position);
  }

  /** A copy of the sound file, to be changed. */
  ByteBuffer copy() {
    return ByteBuffer.wrap(sound.array().clone()).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Puts all checksums right that cover changed bytes, and writes the file. */
  void write(ByteBuffer changed) throws IOException {
    write(changed, footer);
  }

  /** The same with another footer. */
  void write(ByteBuffer changed, FileFooter otherFooter) throws IOException {
    for (int[] block : blocks) {
      changed.putInt(
          block[0], SnapshotFormat.checksum(changed, block[0] + 4, block[1] - block[0] - 4));
    }
    List<Section> sections = new ArrayList<>();
    for (Section section : otherFooter.sections()) {
      boolean inFile =
          section.offset() >= 0
              && section.length() >= 0
              && section.offset() + section.length() <= changed.limit();
      int checksum =
          section.kind() == SectionKind.BLOCKS.id() || !inFile
              ? section.checksum()
              : SnapshotFormat.checksum(changed, (int) section.offset(), (int) section.length());
      sections.add(
          new Section(
              section.kind(), section.requirement(), section.offset(), section.length(), checksum));
    }
    FileHeader header = FileHeader.decode(sound, "sound");
    changed.put(0, header.encode(), 0, SnapshotFormat.HEADER_LENGTH);
    ByteBuffer end = new FileFooter(sections).encode(directoryOffset());
    changed.put(directoryOffset(), end, 0, end.limit());
    byte[] bytes = new byte[changed.limit()];
    changed.get(0, bytes);
    Files.write(file, bytes);
  }

  private int directoryOffset() {
    return sound.limit() - new FileFooter(footer.sections()).encode(0).limit();
  }

  /** Makes the manifest agree with the file as it is now, but for what is said here. */
  void writeManifest(int recordCount) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    PartitionFile said = manifest.partitions().get(0);
    PartitionFile entry =
        new PartitionFile(
            0,
            said.name(),
            bytes.length,
            SnapshotFormat.checksum(ByteBuffer.wrap(bytes), 0, bytes.length),
            recordCount,
            said.keyBytes(),
            said.valueBytes());
    Manifest forged =
        new Manifest(
            manifest.snapshotId(),
            manifest.version(),
            manifest.parent(),
            manifest.createdAt(),
            manifest.schema(),
            manifest.options(),
            List.of(entry),
            manifest.properties(),
            manifest.sourcePositions());
    Files.write(directory.resolve(SnapshotFormat.MANIFEST_FILE), forged.encode());
  }
}
