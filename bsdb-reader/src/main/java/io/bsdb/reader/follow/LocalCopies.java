package io.bsdb.reader.follow;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Internal;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.io.IOFunction;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.io.FileFailure;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Versions of a remote table, copied to a local disk and opened there.
 *
 * <p>All copies of a table lie in one directory:
 *
 * <ul>
 *   <li>{@code <file id>.bsdb}: a partition file, by the id that its manifest gives it, whatever
 *       versions it belongs to. It gets this name only once all of it is there and its checksum is
 *       right, and is used again by other versions and after a restart.
 *   <li>{@code <file id>.seg}: a segment, likewise.
 *   <li>{@code <file id>.bsdb.part}: one that is being copied, or that a copy which failed has
 *       left.
 *   <li>{@code LOCK}: processes that share the directory take turns to copy.
 * </ul>
 *
 * <p>Manifests are read at the table. Before files are copied, those are deleted that no reader of
 * this process uses: readers that still use one hold it open.
 *
 * @hidden
 */
@Internal
public final class LocalCopies extends VersionSource {
  private static final Logger LOG = LoggerFactory.getLogger(LocalCopies.class);
  private static final String COPY = ".bsdb";
  private static final String UNFINISHED = ".part";
  private static final String LOCK = "LOCK";

  /** Writes of whole huge pages let Linux cache the file in such pages. */
  private static final int HUGE_PAGE = 2 << 20;

  private final Table remote;
  private final Path directory;
  private final long maxBytes;

  /**
   * @param base holds a directory per table
   * @param maxBytes maximum size of the copies of this table, in bytes
   */
  public LocalCopies(Table remote, Path base, long maxBytes) {
    super(remote);
    this.remote = remote;
    this.directory =
        base.resolve(directoryName(remote.storage().toString())).toAbsolutePath().normalize();
    this.maxBytes = maxBytes;
  }

  /** Returns the last name of the table's path, for people, and a hash of the whole path. */
  private static String directoryName(String path) {
    String stripped = path.replaceAll("/+$", "");
    String last = stripped.substring(stripped.lastIndexOf('/') + 1);
    long hash = KeyHash.hash(path.getBytes(StandardCharsets.UTF_8)).getMostSignificantBits();
    return last.replaceAll("[^A-Za-z0-9._-]", "_") + "-" + Long.toHexString(hash);
  }

  @Override
  SnapshotReader open(Manifest manifest, ReaderOptions options, @Nullable SnapshotReader previous)
      throws IOException {
    Partitioning partitioning = manifest.partitioning();
    return open(
        manifest,
        partition -> options.share().needs(partition, partitioning),
        copied ->
            previous == null
                ? SnapshotReader.openFiles(directory, copied, options)
                : previous.nextFiles(directory, copied, options));
  }

  /**
   * Opens some partitions of a version, by number, and all its changes. The copies stay until
   * others are made or the directory is deleted.
   */
  public SnapshotReader open(Manifest manifest, IntPredicate partitions) throws IOException {
    return open(
        manifest,
        partitions,
        copied ->
            SnapshotReader.openFiles(directory, copied, ReaderOptions.defaults(), partitions));
  }

  private SnapshotReader open(
      Manifest manifest, IntPredicate partitions, IOFunction<Manifest, SnapshotReader> opening)
      throws IOException {
    Map<String, RemoteFile> wanted = new LinkedHashMap<>();
    for (PartitionFile file : manifest.partitions()) {
      if (partitions.test(file.partition())) {
        wanted.put(
            name(file),
            new RemoteFile(
                file.directory(manifest.version()) + "/" + file.name(),
                file.length(),
                file.checksum()));
      }
    }
    for (SegmentFile file : manifest.changes().segments()) {
      wanted.put(file.name(), new RemoteFile(file.path(), file.length(), file.checksum()));
    }
    TableStorage local = Table.at(Files.createDirectories(directory)).storage();
    List<SnapshotReader> opened = new ArrayList<>();
    local.exclusively(
        () -> {
          fetch(local, wanted);
          Manifest copied = named(manifest);
          try {
            opened.add(opening.apply(copied));
          } catch (CorruptSnapshotException e) {
            LOG.warn("the local copy of {} is damaged, copying again", remote.storage(), e);
            deleteFiles(local, wanted::containsKey);
            fetch(local, wanted);
            opened.add(opening.apply(copied));
          }
          CopiesInUse.use(directory, this, Set.copyOf(wanted.keySet()));
        });
    return opened.get(0);
  }

  /** Marks all copies as unused. */
  @Override
  public void release() {
    CopiesInUse.release(directory, this);
  }

  /** Returns the manifest with its files named as their copies are. */
  private static Manifest named(Manifest manifest) {
    return manifest.with(
        manifest.partitions().stream().map(file -> file.named(name(file))).toList(),
        manifest.sourcePositions(),
        manifest.changes());
  }

  private static String name(PartitionFile file) {
    return file.fileId() + COPY;
  }

  /** Copies what is not here yet. */
  private void fetch(TableStorage local, Map<String, RemoteFile> wanted) throws IOException {
    deleteFiles(local, name -> name.endsWith(UNFINISHED)); // before room is measured
    Map<String, RemoteFile> absent = new LinkedHashMap<>(wanted);
    absent.keySet().removeAll(local.list(""));
    if (!absent.isEmpty() || heldBytes(local) > maxBytes) {
      Set<String> inUse = CopiesInUse.files(directory);
      deleteFiles(
          local, name -> !name.equals(LOCK) && !wanted.containsKey(name) && !inUse.contains(name));
    }
    requireRoom(local, absent.values().stream().mapToLong(RemoteFile::length).sum());
    for (Map.Entry<String, RemoteFile> entry : absent.entrySet()) {
      fetch(entry.getValue(), directory.resolve(entry.getKey()));
    }
  }

  private static void deleteFiles(TableStorage local, Predicate<String> unwanted)
      throws IOException {
    for (String name : local.list("")) {
      if (unwanted.test(name)) {
        local.delete(name);
      }
    }
  }

  private void requireRoom(TableStorage local, long bytes) throws IOException {
    long held = heldBytes(local);
    if (held + bytes > maxBytes) {
      throw new IOException(
          "no room for the copy of a table: table=%s local directory=%s to be copied=%d bytes, kept for versions in use=%d bytes, limit=%d bytes; raise the limit, or open a share of the keys only"
              .formatted(remote.storage(), directory, bytes, held, maxBytes));
    }
    long usable = Files.getFileStore(directory).getUsableSpace();
    if (bytes > usable) {
      throw new IOException(
          "no room on the disk for the copy of a table: table=%s local directory=%s to be copied=%d bytes, free=%d bytes"
              .formatted(remote.storage(), directory, bytes, usable));
    }
  }

  private long heldBytes(TableStorage local) throws IOException {
    long sum = 0;
    for (String name : local.list("")) {
      sum += Files.size(directory.resolve(name));
    }
    return sum;
  }

  /** A file of the table, relative to its directory, and its entry in the manifest. */
  private record RemoteFile(String path, long length, int checksum) {}

  /** Length and checksum of a copy. */
  private record Copied(long length, int checksum) {
    boolean is(RemoteFile expected) {
      return length == expected.length && checksum == expected.checksum;
    }
  }

  /**
   * Copies a file, and what is wrong once more: the connection may have ended early, or have
   * changed a byte. A file that is the same twice is damaged for good.
   */
  private void fetch(RemoteFile expected, Path target) throws IOException {
    Path unfinished = target.resolveSibling(target.getFileName() + UNFINISHED);
    Copied first = copy(expected, unfinished);
    if (!first.is(expected)) {
      LOG.warn("{}/{} has not been copied right, copying again", remote.storage(), expected.path);
      Copied second = copy(expected, unfinished);
      if (!second.is(expected)) {
        Files.delete(unfinished);
        String message = difference(expected, second);
        throw second.equals(first)
            ? new CorruptSnapshotException(message)
            : new IOException(message);
      }
    }
    Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
  }

  private String difference(RemoteFile expected, Copied actual) {
    return "copied file does not match the manifest: file=%s/%s expected length=%d checksum=%s, actual length=%d checksum=%s"
        .formatted(
            remote.storage(),
            expected.path,
            expected.length(),
            SnapshotFormat.hex(expected.checksum()),
            actual.length,
            SnapshotFormat.hex(actual.checksum));
  }

  private Copied copy(RemoteFile expected, Path target) throws IOException {
    CRC32C crc = new CRC32C();
    try (InputStream in = remote.storage().open(expected.path);
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
          "from=%s/%s to=%s".formatted(remote.storage(), expected.path, target),
          e);
    }
  }

  /** Copies to the end, but stops once there is more than was expected. */
  private static long copy(InputStream in, FileChannel out, CRC32C crc, long expected)
      throws IOException {
    int size = (int) Math.min(HUGE_PAGE, expected + 1);
    byte[] chunk = new byte[size];
    ByteBuffer buffer = ByteBuffer.allocateDirect(size);
    long copied = 0;
    for (int count = in.readNBytes(chunk, 0, size);
        count > 0 && copied <= expected;
        count = in.readNBytes(chunk, 0, size)) {
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
