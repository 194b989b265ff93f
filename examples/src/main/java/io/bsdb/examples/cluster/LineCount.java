package io.bsdb.examples.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Counts the lines of the files of a directory while others write them: each look reads only what
 * is new.
 */
public final class LineCount {
  private final Path directory;
  private final ByteBuffer buffer = ByteBuffer.allocate(256 << 10);
  // By file key, not by name: files are renamed when they are complete.
  private final Map<Object, Long> readTo = new HashMap<>();
  private long lines;

  public LineCount(Path directory) {
    this.directory = directory;
  }

  /** Lines in the files so far. */
  public long look() throws IOException {
    if (Files.isDirectory(directory)) {
      List<Path> files;
      try (Stream<Path> entries = Files.list(directory)) {
        files = entries.filter(Files::isRegularFile).toList();
      }
      for (Path file : files) {
        look(file);
      }
    }
    return lines;
  }

  private void look(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
      long position = readTo.getOrDefault(key, 0L);
      int read = channel.read(buffer.clear(), position);
      while (read > 0) {
        position += read;
        for (int i = 0; i < read; i++) {
          lines += buffer.get(i) == '\n' ? 1 : 0;
        }
        read = channel.read(buffer.clear(), position);
      }
      readTo.put(key, position);
    } catch (NoSuchFileException e) {
      // Renamed meanwhile: counted under its new name at the next look.
    }
  }
}
