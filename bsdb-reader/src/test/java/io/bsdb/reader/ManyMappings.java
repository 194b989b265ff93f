package io.bsdb.reader;

import io.bsdb.reader.io.FileMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that maps a file of many tebibytes, all holes, until the system refuses, and says why.
 * Its argument: the file.
 */
final class ManyMappings {
  private static final long LENGTH = 15L << 40;
  private static final int MOST = 16;

  private ManyMappings() {}

  public static void main(String[] arguments) throws IOException {
    Path file = Path.of(arguments[0]);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(1), LENGTH - 1);
    }
    List<FileMemory> open = new ArrayList<>();
    try {
      while (open.size() < MOST) {
        open.add(FileMemory.map(file));
      }
      System.out.println("no limit");
    } catch (IOException e) {
      System.out.println(e.getMessage());
    } finally {
      for (FileMemory memory : open) {
        memory.close();
      }
    }
  }
}
