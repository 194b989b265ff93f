package io.bsdb.reader;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Manifest;
import io.bsdb.format.PartitionFile;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.table.Table;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The partitions of a snapshot, opened: what all kinds of readers share. Safe for many threads. */
final class OpenSnapshot implements Closeable {
  private final Path directory;
  private final Manifest manifest;
  private final ReaderOptions options;
  private final Partition[] partitions;
  private final Calls calls;
  private final ReaderMetrics.Counters counters = new ReaderMetrics.Counters();

  private OpenSnapshot(
      Path directory, Manifest manifest, ReaderOptions options, Partition[] partitions) {
    this.directory = directory;
    this.manifest = manifest;
    this.options = options;
    this.partitions = partitions;
    this.calls = new Calls("reader of " + directory);
  }

  /** Opens a table's version in service, or a snapshot. */
  static OpenSnapshot open(Path path, ReaderOptions options) throws IOException {
    if (Files.exists(path.resolve(SnapshotFormat.MANIFEST_FILE))) {
      return openDirectory(path, options);
    }
    if (!Files.isDirectory(path)) {
      throw new NoSuchFileException(
          path.toString(),
          null,
          "no such table directory; check the path, or build the table first");
    }
    return openVersion(path, Table.at(path).requireCurrentVersion(), options);
  }

  /** Opens a version of a table. */
  static OpenSnapshot openVersion(Path table, String version, ReaderOptions options)
      throws IOException {
    Path directory = table.resolve(SnapshotFormat.SNAPSHOTS_DIRECTORY).resolve(version);
    Manifest manifest = readManifest(directory);
    if (!manifest.version().equals(version)) {
      throw new CorruptSnapshotException(
          "manifest belongs to another version: file=%s expected=%s actual=%s"
              .formatted(
                  directory.resolve(SnapshotFormat.MANIFEST_FILE), version, manifest.version()));
    }
    return openDirectory(directory, manifest, options);
  }

  /** Opens a snapshot. */
  static OpenSnapshot openDirectory(Path directory, ReaderOptions options) throws IOException {
    return openDirectory(directory, readManifest(directory), options);
  }

  private static OpenSnapshot openDirectory(
      Path directory, Manifest manifest, ReaderOptions options) throws IOException {
    List<Partition> opened = new ArrayList<>();
    try {
      for (PartitionFile file : manifest.partitions()) {
        opened.add(PartitionOpener.open(directory, file, manifest, options));
      }
      return new OpenSnapshot(directory, manifest, options, opened.toArray(Partition[]::new));
    } catch (IOException | RuntimeException | Error e) {
      try {
        closeAll(opened);
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  static Manifest readManifest(Path directory) throws IOException {
    Path file = directory.resolve(SnapshotFormat.MANIFEST_FILE);
    if (!Files.exists(file)) {
      throw new NoSuchFileException(
          file.toString(),
          null,
          "the snapshot was never completed or has been deleted; see 'bsdb versions'");
    }
    if (Files.size(file) > Manifest.MAX_LENGTH) {
      throw new CorruptSnapshotException(
          "manifest too long: file=%s expected<=%d actual=%d"
              .formatted(file, Manifest.MAX_LENGTH, Files.size(file)));
    }
    return Manifest.decode(Files.readAllBytes(file), file.toString());
  }

  Path directory() {
    return directory;
  }

  Manifest manifest() {
    return manifest;
  }

  ReaderOptions options() {
    return options;
  }

  Partition[] partitions() {
    return partitions;
  }

  Calls calls() {
    return calls;
  }

  ReaderMetrics.Counters counters() {
    return counters;
  }

  /** The partition of a key with this hash. */
  Partition partition(long high) {
    return partitions[SnapshotFormat.partition(high, partitions.length)];
  }

  /** The rank of a key in its partition, or −1 if it can be told already that it is absent. */
  int rank(Partition partition, HashValue128 hash, byte[] key) {
    if (key.length == 0 || key.length > SnapshotFormat.MAX_KEY_LENGTH) {
      return -1;
    }
    int rank = partition.rank(hash.getMostSignificantBits(), hash.getLeastSignificantBits());
    if (rank < 0 && partition.properties().recordCount() > 0) {
      counters.signatureRejects.increment();
    }
    return rank;
  }

  /** Partitions and ranks of many keys. */
  void locate(List<byte[]> keys, Partition[] ofKeys, int[] ranks) {
    HashValue128[] hashes = new HashValue128[ranks.length];
    for (int i = 0; i < ranks.length; i++) {
      hashes[i] = KeyHash.hash(keys.get(i));
      ofKeys[i] = partition(hashes[i].getMostSignificantBits());
    }
    for (int i = 0; i < ranks.length; i++) {
      ranks[i] = rank(ofKeys[i], hashes[i], keys.get(i));
    }
  }

  /** What an access outside of a buffer means, after all checks at open. */
  CorruptSnapshotException damaged(IndexOutOfBoundsException e) {
    return new CorruptSnapshotException(
        "snapshot points outside of its own bytes: directory=%s %s"
            .formatted(directory, e.getMessage()),
        e);
  }

  private static void closeAll(List<Partition> partitions) throws IOException {
    IOException failure = null;
    for (Partition partition : partitions) {
      try {
        partition.close();
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Releases the files. The caller sees to it that no call is under way. */
  @Override
  public void close() throws IOException {
    closeAll(List.of(partitions));
  }
}
