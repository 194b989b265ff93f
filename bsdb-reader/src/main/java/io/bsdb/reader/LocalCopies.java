package io.bsdb.reader;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Manifest;
import io.bsdb.format.PartitionFile;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.table.Table;
import io.bsdb.table.TableStorage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Versions of a remote table, copied to a local disk and opened there.
 *
 * <p>The copy is laid out as a table directory without {@code CURRENT}. A partition file gets its
 * name only once all of it is there and its checksum is right, and is used again after a restart.
 * Processes that share the directory take turns to copy. Before a version is copied, all but the
 * one in use are deleted: whoever still reads another holds its files open.
 */
final class LocalCopies extends Versions {
  private static final Logger LOG = LoggerFactory.getLogger(LocalCopies.class);
  private static final String UNFINISHED = ".part";

  /** Writes of whole huge pages let Linux cache the file in such pages. */
  private static final int HUGE_PAGE = 2 << 20;

  private final Table remote;
  private final Path directory;
  private final long maxBytes;

  /**
   * @param base holds a directory per table
   * @param maxBytes most that the copies of this table may take
   */
  LocalCopies(Table remote, Path base, long maxBytes) {
    super(remote);
    this.remote = remote;
    this.directory = base.resolve(directoryName(remote.storage().toString()));
    this.maxBytes = maxBytes;
  }

  /** The last name of the table's path, for people, and a hash of the whole path. */
  private static String directoryName(String path) {
    String stripped = path.replaceAll("/+$", "");
    String last = stripped.substring(stripped.lastIndexOf('/') + 1);
    long hash = KeyHash.hash(path.getBytes(StandardCharsets.UTF_8)).getMostSignificantBits();
    return last.replaceAll("[^A-Za-z0-9._-]", "_") + "-" + Long.toHexString(hash);
  }

  @Override
  SnapshotReader open(String version, @Nullable String inUse, ReaderOptions options)
      throws IOException {
    Manifest manifest = manifest(version);
    TableStorage local = Table.at(directory).storage();
    List<OpenSnapshot> opened = new ArrayList<>();
    local.exclusively(
        () -> {
          deleteAllBut(local, version, inUse);
          opened.add(openCopy(local, manifest, options));
        });
    return new PartitionedReader(opened.get(0));
  }

  /** Copies what is not here yet, and opens. A copy that has been damaged is made anew. */
  private OpenSnapshot openCopy(TableStorage local, Manifest manifest, ReaderOptions options)
      throws IOException {
    fetch(local, manifest, options.share());
    try {
      return SnapshotOpener.openVersion(directory, manifest.version(), options);
    } catch (CorruptSnapshotException e) {
      LOG.warn("the local copy of {} is damaged, copying again", remote.storage(), e);
      local.delete(path(manifest.version()));
      fetch(local, manifest, options.share());
      return SnapshotOpener.openVersion(directory, manifest.version(), options);
    }
  }

  private static void deleteAllBut(TableStorage local, String version, @Nullable String inUse)
      throws IOException {
    for (String name : local.list(SnapshotFormat.SNAPSHOTS_DIRECTORY)) {
      if (!name.equals(version) && !name.equals(inUse)) {
        local.delete(path(name));
      }
    }
  }

  private static String path(String version) {
    return SnapshotFormat.SNAPSHOTS_DIRECTORY + "/" + version;
  }

  private void fetch(TableStorage local, Manifest manifest, KeyShare share) throws IOException {
    Path target = Files.createDirectories(directory.resolve(path(manifest.version())));
    List<PartitionFile> absent = new ArrayList<>();
    for (PartitionFile file : manifest.partitions()) {
      if (share.needs(file.partition(), manifest.partitions().size())
          && !Files.exists(target.resolve(file.name()))) {
        absent.add(file);
      }
    }
    deleteUnfinished(target); // before room is measured
    requireRoom(target, absent.stream().mapToLong(PartitionFile::length).sum());
    for (PartitionFile file : absent) {
      fetch(path(manifest.version()) + "/" + file.name(), file, target.resolve(file.name()));
    }
    local.replace(path(manifest.version()) + "/" + SnapshotFormat.MANIFEST_FILE, manifest.encode());
  }

  private static void deleteUnfinished(Path target) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(target, "*" + UNFINISHED)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
  }

  private void requireRoom(Path target, long bytes) throws IOException {
    long held = heldBytes();
    if (held + bytes > maxBytes) {
      throw new IOException(
          "no room for the copy of a table: table=%s local directory=%s to be copied=%d bytes, kept for the version in use=%d bytes, limit=%d bytes; raise the limit, or open a share of the keys only"
              .formatted(remote.storage(), directory, bytes, held, maxBytes));
    }
    long usable = Files.getFileStore(target).getUsableSpace();
    if (bytes > usable) {
      throw new IOException(
          "no room on the disk for the copy of a table: table=%s local directory=%s to be copied=%d bytes, free=%d bytes"
              .formatted(remote.storage(), directory, bytes, usable));
    }
  }

  private long heldBytes() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      long sum = 0;
      for (Path file : (Iterable<Path>) files::iterator) {
        sum += Files.isRegularFile(file) ? Files.size(file) : 0;
      }
      return sum;
    }
  }

  private void fetch(String source, PartitionFile expected, Path target) throws IOException {
    Path unfinished = target.resolveSibling(target.getFileName() + UNFINISHED);
    CRC32C crc = new CRC32C();
    long length;
    try (InputStream in = remote.storage().open(source);
        FileChannel out =
            FileChannel.open(
                unfinished,
                StandardOpenOption.WRITE,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING)) {
      length = copy(in, out, crc, expected.length());
      out.force(true);
    }
    if (length != expected.length() || (int) crc.getValue() != expected.checksum()) {
      Files.delete(unfinished);
      throw new CorruptSnapshotException(
          "copied file is not what its manifest says: file=%s/%s expected length=%d checksum=%s, actual length=%d checksum=%s"
              .formatted(
                  remote.storage(),
                  source,
                  expected.length(),
                  SnapshotFormat.hex(expected.checksum()),
                  length,
                  SnapshotFormat.hex((int) crc.getValue())));
    }
    Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Copies to the end, but stops once there is more than was expected. */
  private static long copy(InputStream in, FileChannel out, CRC32C crc, long expected)
      throws IOException {
    byte[] chunk = new byte[HUGE_PAGE];
    ByteBuffer buffer = ByteBuffer.allocateDirect(HUGE_PAGE);
    long copied = 0;
    for (int count = in.readNBytes(chunk, 0, HUGE_PAGE);
        count > 0 && copied <= expected;
        count = in.readNBytes(chunk, 0, HUGE_PAGE)) {
      crc.update(chunk, 0, count);
      buffer.clear().put(chunk, 0, count).flip();
      while (buffer.hasRemaining()) {
        out.write(buffer);
      }
      copied += count;
    }
    return copied;
  }
}
