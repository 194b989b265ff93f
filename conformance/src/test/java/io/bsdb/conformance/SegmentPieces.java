package io.bsdb.conformance;

import io.bsdb.format.PartChecksum;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.testkit.Crc;
import io.bsdb.testkit.FileParts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The second of two segments of a table, to be changed, and written with a manifest and checksums
 * that fit.
 */
final class SegmentPieces {
  private static final int HEADER = 64;
  private static final int FRAME = 16;
  private static final int SEAL = 64;

  private final Path sound;
  private final Manifest manifest;
  private byte[] content;

  /** Applied when all checksums are right; null deletes the file. */
  @Nullable UnaryOperator<byte[]> damage = UnaryOperator.identity();

  /** Applied to the manifest before its checksum is made. */
  UnaryOperator<String> manifestChange = UnaryOperator.identity();

  private SegmentPieces(Path sound, Manifest manifest, byte[] content) {
    this.sound = sound;
    this.manifest = manifest;
    this.content = content;
  }

  static SegmentPieces of(Path table) throws IOException {
    Manifest manifest = ConformanceDeltas.inService(table);
    byte[] content = Files.readAllBytes(table.resolve(segment(manifest).path()));
    return new SegmentPieces(table, manifest, content);
  }

  private static SegmentFile segment(Manifest manifest) {
    return manifest.changes().segments().get(1);
  }

  ByteBuffer bytes() {
    return FileParts.littleEndian(content);
  }

  int length() {
    return content.length;
  }

  void cut(int length) {
    content = Arrays.copyOf(content, length);
  }

  String firstId() {
    return manifest.changes().segments().get(0).fileId().toString();
  }

  String secondId() {
    return segment(manifest).fileId().toString();
  }

  /** The header, one frame of records and the last one. */
  private byte[] checked() {
    ByteBuffer bytes = bytes();
    if (content.length >= HEADER) {
      bytes.putInt(60, checksum(PartChecksum.HEADER, 0, 0, 60));
    }
    if (content.length > HEADER) {
      int length = bytes.getInt(HEADER + 4);
      bytes.putInt(HEADER, checksum(FRAME, HEADER, HEADER + 4, length - 4));
      int seal = HEADER + (length + 7) / 8 * 8;
      if (content.length >= seal + SEAL) {
        bytes.putInt(seal, checksum(FRAME, seal, seal + 4, SEAL - 4));
      }
    }
    return content;
  }

  private int checksum(int kind, int offset, int from, int length) {
    return new PartChecksum(PartChecksum.fileId(bytes(), 16))
        .of(kind, offset, bytes(), from, length);
  }

  void write(Path table) throws IOException {
    Path segment = table.resolve(segment(manifest).path());
    Files.createDirectories(segment.getParent());
    byte[] file = checked();
    SegmentFile first = manifest.changes().segments().get(0);
    Files.copy(sound.resolve(first.path()), table.resolve(first.path()));
    if (damage != null) {
      Files.write(segment, damage.apply(file.clone()));
    }
    String partition = manifest.partitions().get(0).directory(manifest.version());
    Files.createDirectories(table.resolve(partition));
    String name = partition + "/" + manifest.partitions().get(0).name();
    Files.copy(sound.resolve(name), table.resolve(name));

    String text = new String(manifest.encode(), StandardCharsets.UTF_8);
    text = text.substring(0, text.lastIndexOf("\"checksum\""));
    int entry = text.lastIndexOf("\"fileId\"");
    String changed =
        text.substring(entry)
            .replaceFirst("\"length\" : [0-9]+", "\"length\" : " + file.length)
            .replaceFirst(
                "\"checksum\" : \"[0-9a-f]+",
                "\"checksum\" : \"" + SnapshotFormat.hex(Crc.of(file)));
    byte[] covered =
        manifestChange.apply(text.substring(0, entry) + changed).getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(covered);
    out.writeBytes(
        ("\"checksum\" : \"" + SnapshotFormat.hex(Crc.of(covered)) + "\"\n}\n")
            .getBytes(StandardCharsets.UTF_8));
    Path version = table.resolve("snapshots").resolve(manifest.version());
    Files.createDirectories(version);
    Files.write(version.resolve(SnapshotFormat.MANIFEST_FILE), out.toByteArray());
    Files.writeString(table.resolve(SnapshotFormat.CURRENT_FILE), manifest.version() + "\n");
  }
}
