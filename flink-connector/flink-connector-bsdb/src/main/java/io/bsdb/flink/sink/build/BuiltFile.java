package io.bsdb.flink.sink.build;

import io.bsdb.table.manifest.PartitionFile;
import org.apache.flink.runtime.execution.SuppressRestartsException;

/**
 * A file of one partition, of one attempt of a writer.
 *
 * @param splitters the checksum of the keys at which partitions begin; 0 in hash order
 */
public record BuiltFile(PartitionFile file, int splitters) {
  /**
   * Refuses records or files that were divided in different ways: some could be missing, others
   * doubled. Trying again cannot help as long as any of them is kept.
   */
  static void requireSame(int splitters, int others) {
    if (splitters != others) {
      throw new SuppressRestartsException(
          new IllegalStateException(
              "the key ranges of this build were chosen twice, and differently, so nothing is published: checksums of their bounds expected=%08x actual=%08x; the input was probably read again after a failure and gave other rows: run the job again"
                  .formatted(splitters, others)));
    }
  }
}
