package io.bsdb.table.storage;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.io.IORunnable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.List;

/**
 * The few operations on files that a table needs of the place where it lies. Paths are relative to
 * the table directory, with {@code /} between names. Directories come into being with their first
 * file. Implementations are safe for many threads.
 */
public interface TableStorage {
  /** A file being written. */
  interface Output extends WritableByteChannel {
    /** Makes the file complete and durable. A close without it leaves nothing that counts. */
    void commit() throws IOException;
  }

  /**
   * Creates a new file.
   *
   * @throws java.nio.file.FileAlreadyExistsException if there is one
   */
  Output create(String path) throws IOException;

  /**
   * Returns the whole content of a small file.
   *
   * @param limit maximum bytes to read
   * @throws NoSuchFileException if there is none
   * @throws CorruptSnapshotException if it is longer than {@code limit}
   */
  default byte[] read(String path, int limit) throws IOException {
    String file = this + "/" + path;
    byte[] content;
    try (InputStream in = open(path)) {
      content = in.readNBytes(limit + 1);
    } catch (FileNotFoundException lateNotice) {
      NoSuchFileException missing = new NoSuchFileException(file);
      missing.initCause(lateNotice);
      throw missing;
    } catch (IOException e) {
      throw NamedFile.failure("file cannot be read", file, e);
    }
    if (content.length > limit) {
      throw new CorruptSnapshotException(
          "file too long: file=%s expected<=%d".formatted(file, limit));
    }
    return content;
  }

  /**
   * Reads a file from its start.
   *
   * @throws NoSuchFileException if there is none
   * @throws CorruptSnapshotException if it is no file with content of its own, but a directory, a
   *     pipe or a device
   */
  InputStream open(String path) throws IOException;

  /**
   * Gives a file, whose content is durable, another name as well; where that is not possible, makes
   * a durable copy. What had that name is replaced.
   */
  default void link(String file, String path) throws IOException {
    delete(path);
    try (InputStream in = open(file);
        Output output = create(path)) {
      byte[] buffer = new byte[1 << 18];
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, length);
        while (bytes.hasRemaining()) {
          output.write(bytes);
        }
      }
      output.commit();
    }
  }

  /**
   * Writes a small file in one step: a reader sees the old content or the new, also after a crash.
   */
  void replace(String path, byte[] content) throws IOException;

  /**
   * Returns the names in a directory, sorted; none if there is no such directory. The empty path is
   * the table directory itself.
   */
  List<String> list(String directory) throws IOException;

  /**
   * Returns when a file or anything in a directory was last changed, as far as the storage knows.
   */
  Instant lastModified(String path) throws IOException;

  /**
   * Deletes a file, or a directory with all that is in it. What is not there counts as deleted. A
   * symbolic link is deleted itself.
   *
   * @throws IOException also if the file is reached through a symbolic link below the table
   *     directory
   */
  void delete(String path) throws IOException;

  /** Makes the entries of a directory durable, where the storage knows such a thing. */
  void syncDirectory(String directory) throws IOException;

  /** Returns whether {@link #exclusively} keeps other processes out. */
  boolean hasLocks();

  /**
   * Runs {@code action} while no other process that uses the same storage does, where the storage
   * has locks; else while no other thread does that uses this object.
   */
  void exclusively(IORunnable action) throws IOException;

  /** Returns where this is, for messages. */
  @Override
  String toString();
}
