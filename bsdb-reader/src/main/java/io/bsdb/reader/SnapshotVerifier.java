package io.bsdb.reader;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Internal;
import io.bsdb.format.block.DecoderPools;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.index.KeyIndex;
import io.bsdb.format.index.OrderIndex;
import io.bsdb.format.index.OrderVerifier;
import io.bsdb.format.io.Closing;
import io.bsdb.format.io.Thrown;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.block.MemoryBlocks;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.io.FileFailure;
import io.bsdb.reader.io.MappedFault;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.SignatureUse;
import io.bsdb.reader.overlay.OpenSegment;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.partition.PartitionOpener;
import io.bsdb.reader.partition.RecordWalk;
import io.bsdb.reader.snapshot.SnapshotFiles;
import io.bsdb.reader.snapshot.SnapshotOpener;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.SegmentFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads and verifies every byte of a snapshot. All of its files are opened first, so that they can
 * be read to the end though the snapshot is deleted meanwhile.
 */
public final class SnapshotVerifier implements Closeable {
  /** Options that read signatures, which not all lookups compare. */
  private static final ReaderOptions OPTIONS =
      ReaderOptions.builder().signatures(SignatureUse.ALWAYS).build();

  private final Manifest manifest;
  private final List<Partition> partitions = new ArrayList<>();
  private final List<OpenSegment> segments = new ArrayList<>();
  private final List<Closeable> opened = new ArrayList<>();

  private SnapshotVerifier(Manifest manifest) {
    this.manifest = manifest;
  }

  /**
   * Verifies one snapshot: its manifest, the metadata of its files, every block, that every record
   * is found by its key and its signature, in key order that keys ascend and that order index and
   * heads are made from them, that counts and sums of lengths are the manifest's, and the checksum
   * of every file. Where keys are omitted, nothing shows whether keys find their own records.
   *
   * @param directory of the snapshot, not of the table
   * @return its manifest
   * @throws CorruptSnapshotException at the first thing that is wrong; the message names file and
   *     offset
   */
  public static Manifest verify(Path directory) throws IOException {
    try (SnapshotVerifier verifier = open(directory)) {
      verifier.verify();
      return verifier.manifest;
    }
  }

  /**
   * Opens all files of a snapshot.
   *
   * @hidden
   */
  @Internal
  public static SnapshotVerifier open(Path directory) throws IOException {
    SnapshotVerifier verifier = new SnapshotVerifier(Table.manifestIn(directory));
    try {
      verifier.open(new SnapshotFiles(directory, false));
      return verifier;
    } catch (IOException | RuntimeException | Error e) {
      Closing.after(e, verifier);
      if (e instanceof IOException failure) {
        throw FileFailure.advised(failure, "each partition file stays open");
      }
      throw e;
    }
  }

  private void open(SnapshotFiles files) throws IOException {
    try (DecoderPools pools = new DecoderPools()) {
      for (PartitionFile file : manifest.partitions()) {
        Path path = files.partition(file);
        Partition partition =
            PartitionOpener.open(path, file, manifest, OPTIONS, DirectFile::openSource, pools);
        opened.add(partition);
        if (manifest.hasChanges()) {
          SnapshotOpener.requireKeys(partition);
        }
        partitions.add(partition);
      }
    }
    for (SegmentFile file : manifest.changes().segments()) {
      OpenSegment segment = OpenSegment.map(files.segment(file), file);
      opened.add(segment::release);
      segments.add(segment);
    }
  }

  /**
   * Returns the manifest of the snapshot.
   *
   * @hidden
   */
  @Internal
  public Manifest manifest() {
    return manifest;
  }

  /**
   * Verifies what is open, as {@link #verify(Path)} does.
   *
   * @hidden
   */
  @Internal
  public void verify() throws IOException {
    for (Partition partition : partitions) {
      try {
        PartitionFile file = manifest.partitions().get(partition.number());
        verify(partition, file, manifest.partitioning());
      } catch (IndexOutOfBoundsException e) {
        throw new CorruptSnapshotException(
            "file points outside of its own bytes: file=%s: %s".formatted(partition.path(), e), e);
      } catch (InternalError e) {
        throw Thrown.asIs(MappedFault.explained(e, "file=" + partition.path()));
      }
    }
    for (OpenSegment segment : segments) {
      segment.verify();
    }
  }

  @Override
  public void close() throws IOException {
    Closing.all(opened);
  }

  private static void verify(Partition partition, PartitionFile file, Partitioning partitioning)
      throws IOException {
    int records = 0;
    long keyBytes = 0;
    long valueBytes = 0;
    OrderIndex index = partition.order();
    OrderVerifier order = index == null ? null : index.verifier();
    MemoryBlocks blocks = new MemoryBlocks(Access.MAPPED.name());
    try (RecordWalk walk = new RecordWalk(partition, blocks, FieldSelection.ALL)) {
      for (; walk.next(); records++) {
        if (partition.storesKeys()) {
          byte[] key = walk.key();
          keyBytes += key.length;
          requireFound(partition, key, walk.blockOffset(), records, partitioning);
          if (order != null) {
            order.accept(key, walk.blockOffset());
          }
        }
        valueBytes += walk.value().length;
      }
    }
    if (order != null) {
      order.end(partition.blocks().memory().length());
    }
    requireCount(partition, "number of records", file.recordCount(), records);
    if (partition.storesKeys()) {
      requireCount(partition, "sum of key lengths", file.keyBytes(), keyBytes);
    }
    requireCount(partition, "sum of value lengths", file.valueBytes(), valueBytes);
    PartitionOpener.verifyChecksum(partition.path(), partition.blocks().memory(), file);
  }

  private static void requireCount(Partition partition, String what, long expected, long actual)
      throws CorruptSnapshotException {
    if (expected != actual) {
      throw new CorruptSnapshotException(
          "%s differs from the manifest: file=%s expected=%d actual=%d; copy the file again from where it is sound, or rebuild the table"
              .formatted(what, partition.path(), expected, actual));
    }
  }

  /** Checks that the record of a rank would be found by its key. */
  private static void requireFound(
      Partition partition, byte[] key, long offset, int rank, Partitioning partitioning)
      throws IOException {
    HashValue128 hash = KeyHash.hash(key);
    long high = hash.getMostSignificantBits();
    int keyPartition = partitioning.partition(key, high);
    KeyIndex index = partition.index();
    String actual = null;
    if (keyPartition != partition.number()) {
      actual = "partition " + keyPartition;
    } else if (!index.needsSearch()) { // else found by its order
      long located = index.locate(key, high, hash.getLeastSignificantBits());
      if (located < 0) {
        actual = "no record by its signature";
      } else if (index.record(located) != rank) {
        actual = "record " + index.record(located);
      }
    }
    if (actual != null) {
      throw new CorruptSnapshotException(
          "a record cannot be found by its key: file=%s offset=%d expected=partition %d record %d actual=%s; copy the file again from where it is sound, or rebuild the table"
              .formatted(partition.path(), offset, partition.number(), rank, actual));
    }
  }
}
