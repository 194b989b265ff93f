package io.bsdb.table;

import io.bsdb.format.FileFooter;
import io.bsdb.format.Internal;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Bytes of the parts of a partition file, or of several.
 *
 * @param bytes by the name of the part; only parts that there are
 * @hidden
 */
@Internal
public record SnapshotParts(Map<String, Long> bytes) {
  private static final String REST = "headers";

  /** Returns the parts of all partition files of a version of a table. */
  public static SnapshotParts of(Path table, Manifest manifest) throws IOException {
    List<SnapshotParts> files = new ArrayList<>();
    for (PartitionFile file : manifest.partitions()) {
      Path directory = table.resolve(file.directory(manifest.version()));
      files.add(of(directory.resolve(file.name()), file));
    }
    return sum(files);
  }

  /** Returns the parts of one file: the sections that its footer names. */
  public static SnapshotParts of(Path path, PartitionFile file) throws IOException {
    FileFooter footer = footer(path, new PartChecksum(file.fileId()));
    Map<String, Long> bytes = new LinkedHashMap<>();
    long rest = file.length();
    for (SectionKind kind : SectionKind.values()) {
      Section section = footer.find(kind);
      if (section != null && section.length() > 0) {
        bytes.put(name(kind), section.length());
        rest -= section.length();
      }
    }
    bytes.put(REST, rest);
    return new SnapshotParts(bytes);
  }

  /** Returns the parts of several files together. */
  public static SnapshotParts sum(Collection<SnapshotParts> files) {
    Map<String, Long> bytes = new LinkedHashMap<>();
    for (SectionKind kind : SectionKind.values()) {
      bytes.put(name(kind), 0L);
    }
    for (SnapshotParts file : files) {
      file.bytes.forEach((part, length) -> bytes.merge(part, length, Long::sum));
    }
    bytes.values().removeIf(length -> length == 0);
    return new SnapshotParts(bytes);
  }

  /** Returns the bytes of the sections of a kind. */
  public long bytes(SectionKind kind) {
    return bytes.getOrDefault(name(kind), 0L);
  }

  private static String name(SectionKind kind) {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** Reads the footer of a file. */
  public static FileFooter footer(Path path, PartChecksum checksum) throws IOException {
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
      return FileFooter.decode(end.flip(), length, checksum, path.toString());
    }
  }
}
