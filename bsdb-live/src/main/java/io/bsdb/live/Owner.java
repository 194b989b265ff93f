package io.bsdb.live;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.Table;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The right to write a table: a lock on a file that says which version the log lies over. The
 * system releases it when the process ends, however it ends.
 */
final class Owner implements Closeable {
  private static final String FIRST_LINE = "bsdb log 1";
  private static final int MAX_LENGTH = 4096;

  /** The tables that this process owns: closing any channel of a file would release its lock. */
  private static final Set<Path> OWNED = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final FileChannel channel;

  private Owner(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Takes a table, and makes it a writable one if it is none.
   *
   * @throws IOException also if somebody has it
   */
  static Owner acquire(Path directory) throws IOException {
    Path log = directory.resolve(SnapshotFormat.LOG_DIRECTORY);
    Files.createDirectories(log);
    Path file = log.toRealPath().resolve(SnapshotFormat.OWNER_FILE);
    if (!OWNED.add(file)) {
      throw inUse(file, "in this process");
    }
    try {
      FileChannel channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      try {
        if (channel.tryLock() == null) {
          throw inUse(file, "in another process");
        }
        Owner owner = new Owner(file, channel);
        Table table = Table.at(directory);
        table.storage().exclusively(() -> owner.checkBase(table.currentVersion(), directory));
        return owner;
      } catch (IOException | RuntimeException | Error e) {
        channel.close();
        throw e;
      }
    } catch (IOException | RuntimeException | Error e) {
      OWNED.remove(file);
      throw e;
    }
  }

  private static IOException inUse(Path file, String where) {
    return new IOException(
        "table is open for writing %s: file=%s; close it there first".formatted(where, file));
  }

  private void checkBase(@Nullable String version, Path directory) throws IOException {
    byte[] expected = content(version);
    ByteBuffer actual = ByteBuffer.allocate(MAX_LENGTH);
    while (actual.hasRemaining() && channel.read(actual, actual.position()) >= 0) {}
    String text = new String(actual.array(), 0, actual.position(), StandardCharsets.UTF_8);
    if (text.equals(new String(expected, StandardCharsets.UTF_8))) {
      return;
    }
    if (isNew()) {
      ByteBuffer bytes = ByteBuffer.wrap(expected);
      while (bytes.hasRemaining()) {
        channel.write(bytes, bytes.position());
      }
      channel.truncate(expected.length);
      channel.force(true);
      LogDirectory.sync(directory.resolve(SnapshotFormat.LOG_DIRECTORY));
      LogDirectory.sync(directory);
      return;
    }
    throw new CorruptSnapshotException(
        "the log does not belong to the version in service: file=%s expected='%s' actual='%s'; put the version that it names in service, or restore the table from a copy"
            .formatted(
                file,
                new String(expected, StandardCharsets.UTF_8).strip().replace('\n', ' '),
                text.strip().replace('\n', ' ')));
  }

  /** Returns whether there is no log yet: a file that is not complete then was never in use. */
  private boolean isNew() throws IOException {
    for (String name : new LogDirectory(file.resolveSibling("")).list()) {
      if (name.endsWith(LogPart.SUFFIX)) {
        return false;
      }
    }
    return true;
  }

  private static byte[] content(@Nullable String version) {
    String lines = FIRST_LINE + "\nbase " + (version == null ? "none" : version) + "\n";
    CRC32C crc = new CRC32C();
    crc.update(lines.getBytes(StandardCharsets.UTF_8));
    return (lines + "checksum " + SnapshotFormat.hex((int) crc.getValue()) + "\n")
        .getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      OWNED.remove(file);
    }
  }
}
