package io.bsdb.reader;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Manifest;
import io.bsdb.format.PartitionFile;
import io.bsdb.format.SnapshotFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads every byte of a snapshot and checks it in every way there is. */
public final class SnapshotVerifier {
  private SnapshotVerifier() {}

  /**
   * Verifies one snapshot: its manifest, the metadata of its files, every block, that every record
   * is found by its own key, that the counts agree, and the checksum of every file.
   *
   * @param directory of the snapshot, not of the table
   * @return its manifest
   * @throws CorruptSnapshotException at the first thing that is wrong; the message names file and
   *     offset
   */
  public static Manifest verify(Path directory) throws IOException {
    Path manifestFile = directory.resolve(SnapshotFormat.MANIFEST_FILE);
    if (!Files.exists(manifestFile)) {
      throw new NoSuchFileException(
          manifestFile.toString(),
          null,
          "the snapshot was never completed or has been deleted; see 'bsdb versions'");
    }
    Manifest manifest = Manifest.decode(Files.readAllBytes(manifestFile), manifestFile.toString());
    for (PartitionFile file : manifest.partitions()) {
      try (PartitionReader partition =
          PartitionReader.open(directory.resolve(file.name()), file, manifest)) {
        verify(partition, file, manifest.partitions().size());
      } catch (IndexOutOfBoundsException e) {
        throw new CorruptSnapshotException(
            "file points outside of its own bytes: file=%s %s"
                .formatted(directory.resolve(file.name()), e.getMessage()),
            e);
      }
    }
    return manifest;
  }

  private static void verify(PartitionReader partition, PartitionFile file, int partitionCount)
      throws IOException {
    int records = 0;
    try (PartitionReader.Walk walk = partition.walk()) {
      while (walk.next()) {
        if (partition.storesKeys()) {
          partition.requireFound(walk.key(), records, partitionCount, file.partition());
        }
        records++;
      }
    }
    if (records != file.recordCount()) {
      throw new CorruptSnapshotException(
          "file holds another number of records: file=%s expected=%d actual=%d"
              .formatted(partition.name(), file.recordCount(), records));
    }
    PartitionedReader.verifyChecksum(partition, file);
  }
}
