package io.bsdb.reader.overlay;

import static io.bsdb.testkit.Utf8.bytes;

import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.SegmentWriter;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.testkit.Crc;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes segments into the directory of a table. */
final class Segments {
  private Segments() {}

  interface Changes {
    void into(SegmentWriter writer) throws IOException;
  }

  static SegmentFile write(Path table, long number, Changes changes) throws IOException {
    Path temporary = table.resolve("next");
    SegmentWriter writer;
    try (FileChannel channel =
        FileChannel.open(temporary, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      writer = new SegmentWriter(channel, UUID.randomUUID());
      changes.into(writer);
      writer.seal();
    }
    SegmentFile file =
        new SegmentFile(
            number,
            writer.fileId(),
            writer.length(),
            Crc.of(temporary),
            0,
            -1,
            writer.puts(),
            writer.deletes());
    Files.createDirectories(table.resolve("data"));
    Files.move(temporary, table.resolve(file.path()));
    return file;
  }

  /** Writes a segment of keys with their new values, null for those to be deleted. */
  static SegmentFile write(Path table, long number, Map<String, @Nullable String> changes)
      throws IOException {
    return write(
        table,
        number,
        writer -> {
          for (Map.Entry<String, @Nullable String> change : changes.entrySet()) {
            String value = change.getValue();
            if (value == null) {
              writer.add(ChangeKind.DELETE, bytes(change.getKey()), new byte[0]);
            } else {
              writer.add(ChangeKind.PUT, bytes(change.getKey()), bytes(value));
            }
          }
        });
  }
}
