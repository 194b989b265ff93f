package io.bsdb.reader;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Manifest;
import io.bsdb.format.PartitionFile;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A snapshot of mapped partitions. */
final class PartitionedReader implements SnapshotReader {
  private final Manifest manifest;
  private final PartitionReader[] partitions;
  private final CallsUnderWay calls;

  private PartitionedReader(Path path, Manifest manifest, PartitionReader[] partitions) {
    this.manifest = manifest;
    this.partitions = partitions;
    this.calls = new CallsUnderWay("snapshot reader of " + path);
  }

  static SnapshotReader open(Path path, ReaderOptions options) throws IOException {
    if (Files.exists(path.resolve(SnapshotFormat.MANIFEST_FILE))) {
      return openSnapshot(path, readManifest(path), options);
    }
    if (!Files.isDirectory(path)) {
      throw new NoSuchFileException(
          path.toString(),
          null,
          "no such table directory; check the path, or build the table first");
    }
    return openVersion(path, Table.at(path).requireCurrentVersion(), options);
  }

  /** Opens one version of a table. */
  static SnapshotReader openVersion(Path table, String version, ReaderOptions options)
      throws IOException {
    Path directory = table.resolve(SnapshotFormat.SNAPSHOTS_DIRECTORY).resolve(version);
    Manifest manifest = readManifest(directory);
    if (!manifest.version().equals(version)) {
      throw new CorruptSnapshotException(
          "manifest belongs to another version: file=%s expected=%s actual=%s"
              .formatted(
                  directory.resolve(SnapshotFormat.MANIFEST_FILE), version, manifest.version()));
    }
    return openSnapshot(directory, manifest, options);
  }

  /** Reads the manifest in a snapshot's directory. */
  static Manifest readManifest(Path directory) throws IOException {
    Path manifestFile = directory.resolve(SnapshotFormat.MANIFEST_FILE);
    if (!Files.exists(manifestFile)) {
      throw new NoSuchFileException(
          manifestFile.toString(),
          null,
          "the snapshot was never completed or has been deleted; see 'bsdb versions'");
    }
    if (Files.size(manifestFile) > Manifest.MAX_LENGTH) {
      throw new CorruptSnapshotException(
          "manifest too long: file=%s expected<=%d actual=%d"
              .formatted(manifestFile, Manifest.MAX_LENGTH, Files.size(manifestFile)));
    }
    return Manifest.decode(Files.readAllBytes(manifestFile), manifestFile.toString());
  }

  private static SnapshotReader openSnapshot(
      Path directory, Manifest manifest, ReaderOptions options) throws IOException {
    List<PartitionReader> opened = new ArrayList<>();
    try {
      for (PartitionFile file : manifest.partitions()) {
        PartitionReader partition =
            PartitionReader.open(directory.resolve(file.name()), file, manifest);
        opened.add(partition);
        if (options.verification() == Verification.FULL) {
          verifyChecksum(partition, file);
        }
      }
      return new PartitionedReader(directory, manifest, opened.toArray(PartitionReader[]::new));
    } catch (IOException | RuntimeException | Error e) {
      opened.forEach(PartitionReader::close);
      throw e;
    }
  }

  static void verifyChecksum(PartitionReader partition, PartitionFile file)
      throws CorruptSnapshotException {
    int actual = partition.checksum();
    if (actual != file.checksum()) {
      throw new CorruptSnapshotException(
          "file checksum mismatch: file=%s expected=%s actual=%s"
              .formatted(
                  partition.name(),
                  SnapshotFormat.hex(file.checksum()),
                  SnapshotFormat.hex(actual)));
    }
  }

  @Override
  public byte @Nullable [] get(byte[] key) throws IOException {
    int call = calls.enter();
    try {
      HashValue128 hash = KeyHash.hash(key);
      long high = hash.getMostSignificantBits();
      PartitionReader partition = partitions[SnapshotFormat.partition(high, partitions.length)];
      int rank = partition.rank(high, hash.getLeastSignificantBits());
      return rank < 0 ? null : partition.get(rank, partition.block(rank), key);
    } catch (IndexOutOfBoundsException e) {
      throw damaged(e);
    } finally {
      calls.exit(call);
    }
  }

  @Override
  public int get(byte[] key, ByteBuffer target) throws IOException {
    int call = calls.enter();
    try {
      HashValue128 hash = KeyHash.hash(key);
      long high = hash.getMostSignificantBits();
      PartitionReader partition = partitions[SnapshotFormat.partition(high, partitions.length)];
      int rank = partition.rank(high, hash.getLeastSignificantBits());
      return rank < 0 ? NOT_FOUND : partition.get(rank, partition.block(rank), key, target);
    } catch (IndexOutOfBoundsException e) {
      throw damaged(e);
    } finally {
      calls.exit(call);
    }
  }

  /**
   * Every stage is done for all keys before the next begins. The cache misses of one stage do not
   * depend on each other, so the processor has many under way at once, where one lookup after the
   * other would wait for each.
   */
  @Override
  public List<byte @Nullable []> getAll(List<byte[]> keys) throws IOException {
    int count = keys.size();
    byte[] @Nullable [] values = new byte[count] @Nullable [];
    long[] high = new long[count];
    long[] low = new long[count];
    int[] ranks = new int[count];
    int[] blocks = new int[count];
    int call = calls.enter();
    try {
      for (int i = 0; i < count; i++) {
        HashValue128 hash = KeyHash.hash(keys.get(i));
        high[i] = hash.getMostSignificantBits();
        low[i] = hash.getLeastSignificantBits();
      }
      for (int i = 0; i < count; i++) {
        ranks[i] = partition(high[i]).rank(high[i], low[i]);
      }
      int touched = 0;
      for (int i = 0; i < count; i++) {
        if (ranks[i] >= 0) {
          blocks[i] = partition(high[i]).block(ranks[i]);
          touched += partition(high[i]).touch(ranks[i], blocks[i]);
        }
      }
      sink = touched;
      for (int i = 0; i < count; i++) {
        values[i] = ranks[i] < 0 ? null : partition(high[i]).get(ranks[i], blocks[i], keys.get(i));
      }
    } catch (IndexOutOfBoundsException e) {
      throw damaged(e);
    } finally {
      calls.exit(call);
    }
    return Arrays.asList(values);
  }

  /** Written so that the compiler cannot drop the touching of pages. */
  @SuppressWarnings("unused")
  private int sink;

  private PartitionReader partition(long high) {
    return partitions[SnapshotFormat.partition(high, partitions.length)];
  }

  private CorruptSnapshotException damaged(IndexOutOfBoundsException e) {
    return new CorruptSnapshotException(
        "snapshot points outside of its own bytes: version=%s %s"
            .formatted(manifest.version(), e.getMessage()),
        e);
  }

  @Override
  public RecordCursor scan() throws IOException {
    return new Scan(0, partitions.length);
  }

  @Override
  public RecordCursor scan(int partition) throws IOException {
    if (partition < 0 || partition >= partitions.length) {
      throw new IllegalArgumentException(
          "no such partition: expected 0 to %d, actual %d"
              .formatted(partitions.length - 1, partition));
    }
    return new Scan(partition, partition + 1);
  }

  private final class Scan implements RecordCursor {
    private final int end;
    private final int call;
    private int partition;
    private PartitionReader.@Nullable Walk walk;
    private boolean closed;

    Scan(int first, int end) {
      this.partition = first;
      this.end = end;
      this.call = calls.enter();
    }

    @Override
    public boolean next() throws IOException {
      if (closed) {
        throw new ClosedReaderException("cursor");
      }
      try {
        while (partition < end) {
          PartitionReader.Walk current = walk;
          if (current == null) {
            current = partitions[partition].walk();
            walk = current;
          }
          if (current.next()) {
            return true;
          }
          current.close();
          walk = null;
          partition++;
        }
        return false;
      } catch (IndexOutOfBoundsException e) {
        throw damaged(e);
      }
    }

    private PartitionReader.Walk current() {
      PartitionReader.Walk current = walk;
      if (current == null || closed) {
        throw new IllegalStateException("no current record");
      }
      return current;
    }

    @Override
    public byte[] key() throws IOException {
      try {
        return current().key();
      } catch (IndexOutOfBoundsException e) {
        throw damaged(e);
      }
    }

    @Override
    public byte[] value() throws IOException {
      try {
        return current().value();
      } catch (IndexOutOfBoundsException e) {
        throw damaged(e);
      }
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        PartitionReader.Walk current = walk;
        if (current != null) {
          current.close();
        }
        calls.exit(call);
      }
    }
  }

  @Override
  public int partitionCount() {
    return partitions.length;
  }

  @Override
  public Manifest manifest() {
    return manifest;
  }

  @Override
  public void close() {
    if (calls.close()) {
      for (PartitionReader partition : partitions) {
        partition.close();
      }
    }
  }
}
