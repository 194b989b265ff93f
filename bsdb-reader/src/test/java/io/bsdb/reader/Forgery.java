package io.bsdb.reader;

import io.bsdb.format.FileFooter;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.testkit.Crc;
import io.bsdb.testkit.FileParts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A partition file whose bytes are changed and whose checksums are then put right, so that what
 * lies after the checksums is reached. One partition only.
 */
final class Forgery {
  private final Path directory;
  private final Manifest manifest;
  private final FileParts sound;

  Forgery(Path table, Manifest manifest) throws IOException {
    this.directory = table.resolve("snapshots").resolve(manifest.version());
    this.manifest = manifest;
    sound = FileParts.of(directory.resolve(manifest.partitions().get(0).name()));
  }

  Section section(SectionKind kind) {
    return sound.section(kind);
  }

  FileFooter footer() {
    return sound.footer();
  }

  int length() {
    return sound.length();
  }

  byte at(int position) {
    return sound.bytes().get(position);
  }

  /** A copy of the sound file, to be changed. */
  ByteBuffer copy() {
    return sound.copy();
  }

  /** Has every block say that its longest frame is so long. */
  void claimFrameLength(ByteBuffer changed, int length) {
    for (FileParts.Block block : sound.blocks()) {
      changed.putInt(block.start() + SnapshotFormat.BLOCK_FRAME_PLAIN_LENGTH, length);
    }
  }

  /** Puts all checksums right that cover changed bytes, and writes the file. */
  void write(ByteBuffer changed) throws IOException {
    write(changed, sound.footer());
  }

  /** The same with another footer. */
  void write(ByteBuffer changed, FileFooter otherFooter) throws IOException {
    PartChecksum checksum = sound.checksum();
    for (FileParts.Block block : sound.blocks()) {
      int start = block.start();
      changed.putInt(
          start,
          checksum.of(SectionKind.BLOCKS.id(), start, changed, start + 4, block.length() - 4));
    }
    List<Section> sections = new ArrayList<>();
    for (Section section : otherFooter.sections()) {
      long offset = section.offset();
      long length = section.length();
      boolean inFile = offset >= 0 && length >= 0 && length <= changed.limit() - offset;
      int right =
          section.kind() == SectionKind.BLOCKS.id() || !inFile
              ? section.checksum()
              : checksum.of(section.kind(), offset, changed, (int) offset, (int) length);
      sections.add(new Section(section.kind(), section.requirement(), offset, length, right));
    }
    changed.put(0, sound.header().encode(), 0, SnapshotFormat.HEADER_LENGTH);
    sound.putFooter(changed, sections);
    sound.write(changed);
  }

  /** Makes the manifest agree with the file as it is now, but for what is said here. */
  void writeManifest(int recordCount) throws IOException {
    byte[] bytes = Files.readAllBytes(sound.path());
    PartitionFile said = manifest.partitions().get(0);
    PartitionFile entry =
        new PartitionFile(
            said.name(),
            said.fileId(),
            bytes.length,
            Crc.of(bytes),
            recordCount,
            said.keyBytes(),
            said.valueBytes(),
            said.place());
    Manifest forged =
        new Manifest(
            manifest.identity(),
            manifest.schema(),
            manifest.options(),
            List.of(entry),
            manifest.properties(),
            manifest.sourcePositions());
    Files.write(directory.resolve(SnapshotFormat.MANIFEST_FILE), forged.encode());
  }
}
