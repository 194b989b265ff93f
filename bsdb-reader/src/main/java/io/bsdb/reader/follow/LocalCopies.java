package io.bsdb.reader.follow;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.io.FileFailure;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Manifest;
import io.bsdb.table.PartitionFile;
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
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * VersionSource of a remote table, copied to a local disk and opened there.
 *
 * <p>The copy is laid out as a table directory without {@code CURRENT}. A partition file gets its
 * name only once all of it is there and its checksum is right, and is used again after a restart.
 * Processes that share the directory take turns to copy. Before a version is copied, those are
 * deleted that no reader of this process uses: whoever still reads one holds its files open.
 */
final class LocalCopies extends VersionSource {
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
    this.directory =
        base.resolve(directoryName(remote.storage().toString())).toAbsolutePath().normalize();
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
  SnapshotReader open(String version, ReaderOptions options) throws IOException {
    Manifest manifest = manifest(version);
    TableStorage local = Table.at(directory).storage();
    List<SnapshotReader> opened = new ArrayList<>();
    local.exclusively(
        () -> {
          opened.add(openCopy(local, manifest, options));
          CopiesInUse.use(directory, this, version);
        });
    return opened.get(0);
  }

  @Override
  void release() {
    CopiesInUse.release(directory, this);
  }

  /** Copies what is not here yet, and opens. A copy that has been damaged is made anew. */
  private SnapshotReader openCopy(TableStorage local, Manifest manifest, ReaderOptions options)
      throws IOException {
    fetch(local, manifest, options.share());
    try {
      return SnapshotReader.openVersion(directory, manifest.version(), options);
    } catch (CorruptSnapshotException e) {
      LOG.warn("the local copy of {} is damaged, copying again", remote.storage(), e);
      local.delete(path(manifest.version()));
      fetch(local, manifest, options.share());
      return SnapshotReader.openVersion(directory, manifest.version(), options);
    }
  }

  private void deleteUnused(TableStorage local, String wanted) throws IOException {
    Set<String> inUse = CopiesInUse.versions(directory);
    for (String name : local.list(SnapshotFormat.SNAPSHOTS_DIRECTORY)) {
      if (!name.equals(wanted) && !inUse.contains(name)) {
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
    if (!absent.isEmpty() || heldBytes() > maxBytes) {
      deleteUnused(local, manifest.version());
    }
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
          "no room for the copy of a table: table=%s local directory=%s to be copied=%d bytes, kept for versions in use=%d bytes, limit=%d bytes; raise the limit, or open a share of the keys only"
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

  /** What was copied. */
  private record Copied(long length, int checksum) {
    boolean is(PartitionFile expected) {
      return length == expected.length() && checksum == expected.checksum();
    }
  }

  /**
   * Copies a file, and what is wrong once more: the connection may have ended early, or have
   * changed a byte. A file that is the same twice is damaged for good.
   */
  private void fetch(String source, PartitionFile expected, Path target) throws IOException {
    Path unfinished = target.resolveSibling(target.getFileName() + UNFINISHED);
    Copied first = copy(source, expected, unfinished);
    if (!first.is(expected)) {
      LOG.warn("{}/{} has not been copied right, copying again", remote.storage(), source);
      Copied second = copy(source, expected, unfinished);
      if (!second.is(expected)) {
        Files.delete(unfinished);
        String message = difference(source, expected, second);
        throw second.equals(first)
            ? new CorruptSnapshotException(message)
            : new IOException(message);
      }
    }
    Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
  }

  private String difference(String source, PartitionFile expected, Copied actual) {
    return "copied file is not what its manifest says: file=%s/%s expected length=%d checksum=%s, actual length=%d checksum=%s"
        .formatted(
            remote.storage(),
            source,
            expected.length(),
            SnapshotFormat.hex(expected.checksum()),
            actual.length,
            SnapshotFormat.hex(actual.checksum));
  }

  private Copied copy(String source, PartitionFile expected, Path target) throws IOException {
    CRC32C crc = new CRC32C();
    try (InputStream in = remote.storage().open(source);
        FileChannel out =
            FileChannel.open(
                target,
                StandardOpenOption.WRITE,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING)) {
      long length = copy(in, out, crc, expected.length());
      out.force(true);
      return new Copied(length, (int) crc.getValue());
    } catch (IOException e) {
      throw FileFailure.of(
          "file cannot be copied",
          "from=%s/%s to=%s".formatted(remote.storage(), source, target),
          e);
    }
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
