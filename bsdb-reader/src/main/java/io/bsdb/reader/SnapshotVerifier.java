package io.bsdb.reader;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.block.DecoderPools;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.index.KeyIndex;
import io.bsdb.format.io.Thrown;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.block.MemoryBlocks;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.io.MappedFault;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.reader.partition.OrderVerifier;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.partition.PartitionOpener;
import io.bsdb.reader.partition.RecordWalk;
import io.bsdb.reader.snapshot.SnapshotFiles;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.Partitioning;
import java.io.IOException;
import java.nio.file.Path;

/** Reads and verifies every byte of a snapshot. */
public final class SnapshotVerifier {
  private SnapshotVerifier() {}

  /**
   * Verifies one snapshot: its manifest, the metadata of its files, every block, that every record
   * is found by its own key, in key order that keys ascend and are found by their order, that the
   * counts agree, and the checksum of every file.
   *
   * @param directory of the snapshot, not of the table
   * @return its manifest
   * @throws CorruptSnapshotException at the first thing that is wrong; the message names file and
   *     offset
   */
  public static Manifest verify(Path directory) throws IOException {
    Manifest manifest = Table.manifestIn(directory);
    SnapshotFiles files = new SnapshotFiles(directory, false);
    for (PartitionFile file : manifest.partitions()) {
      Path path = files.partition(file);
      try (DecoderPools pools = new DecoderPools();
          Partition partition =
              PartitionOpener.open(
                  path, file, manifest, ReaderOptions.defaults(), DirectFile::openSource, pools)) {
        verify(partition, file, manifest.partitioning());
      } catch (IndexOutOfBoundsException e) {
        throw new CorruptSnapshotException(
            "file points outside of its own bytes: file=%s %s".formatted(path, e.getMessage()), e);
      } catch (InternalError e) {
        throw Thrown.asIs(MappedFault.explained(e, "file=" + path));
      }
    }
    Overlay.verify(manifest.changes().segments(), files::segment);
    return manifest;
  }

  private static void verify(Partition partition, PartitionFile file, Partitioning partitioning)
      throws IOException {
    int records = 0;
    OrderVerifier order = OrderVerifier.of(partition, partitioning);
    MemoryBlocks blocks = new MemoryBlocks(Access.MAPPED.name());
    try (RecordWalk walk = new RecordWalk(partition, blocks, FieldSelection.ALL)) {
      for (; walk.next(); records++) {
        if (partition.storesKeys()) {
          requireFound(partition, walk, records, partitioning);
        }
        if (order != null) {
          order.accept(walk, records);
        }
        walk.value();
      }
    }
    if (order != null) {
      order.end();
    }
    if (records != file.recordCount()) {
      throw new CorruptSnapshotException(
          "number of records differs from the manifest: file=%s expected=%d actual=%d"
              .formatted(partition.path(), file.recordCount(), records));
    }
    PartitionOpener.verifyChecksum(partition.path(), partition.blocks().memory(), file);
  }

  /** Checks that the record of a rank would be found by its key. */
  private static void requireFound(
      Partition partition, RecordWalk walk, int rank, Partitioning partitioning)
      throws IOException {
    byte[] key = walk.key();
    HashValue128 hash = KeyHash.hash(key);
    long high = hash.getMostSignificantBits();
    int actualPartition = partitioning.partition(key, high);
    if (actualPartition == partition.number() && partition.index().needsSearch()) {
      return; // found by its order
    }
    long located =
        actualPartition == partition.number()
            ? partition.index().locate(key, high, hash.getLeastSignificantBits())
            : KeyIndex.ABSENT;
    int actual = located < 0 ? -1 : partition.index().record(located);
    if (actual != rank) {
      throw new CorruptSnapshotException(
          "a record cannot be found by its key: file=%s offset=%d rank=%d partition of key=%d rank of key=%d"
              .formatted(partition.path(), walk.blockOffset(), rank, actualPartition, actual));
    }
  }
}
