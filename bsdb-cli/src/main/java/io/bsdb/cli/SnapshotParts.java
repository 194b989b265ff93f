package io.bsdb.cli;

import io.bsdb.format.FileFooter;
import io.bsdb.format.Manifest;
import io.bsdb.format.PartitionFile;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What takes how much space in the files of a snapshot.
 *
 * @param bytes by the name of the part
 */
record SnapshotParts(Map<String, Long> bytes) {
  private static final String REST = "headers";

  /** Adds up the sections that the files' footers name. */
  static SnapshotParts of(Path snapshot, Manifest manifest) throws IOException {
    Map<String, Long> bytes = new LinkedHashMap<>();
    for (SectionKind kind : SectionKind.values()) {
      bytes.put(name(kind), 0L);
    }
    bytes.put(REST, 0L);
    for (PartitionFile file : manifest.partitions()) {
      Path path = snapshot.resolve(file.name());
      FileFooter footer = footer(path);
      long rest = file.length();
      for (SectionKind kind : SectionKind.values()) {
        Section section = footer.find(kind);
        if (section != null) {
          bytes.merge(name(kind), section.length(), Long::sum);
          rest -= section.length();
        }
      }
      bytes.merge(REST, rest, Long::sum);
    }
    bytes.values().removeIf(length -> length == 0);
    return new SnapshotParts(bytes);
  }

  private static String name(SectionKind kind) {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static FileFooter footer(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path)) {
      long length = channel.size();
      ByteBuffer end =
          ByteBuffer.allocate((int) Math.min(length, FileFooter.MAX_LENGTH))
              .order(ByteOrder.LITTLE_ENDIAN);
      long position = length - end.capacity();
      while (end.hasRemaining()) {
        if (channel.read(end, position + end.position()) < 0) {
          break;
        }
      }
      return FileFooter.decode(end.flip(), length, path.toString());
    }
  }
}
