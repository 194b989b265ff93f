package io.bsdb.flink.sink;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.format.PartitionProperties.KeyStorage;
import io.bsdb.format.hash.PerfectHashConstruction;
import io.bsdb.writer.Duplicates;
import io.bsdb.writer.Layout;
import io.bsdb.writer.WriterOptions;
import java.io.Serializable;
import java.time.Duration;
import java.util.Map;

/**
 * How a table is built; see {@link WriterOptions} for what is not said here.
 *
 * @param partitions number of partition files
 * @param memoryBytes what each writer task may use
 * @param retainVersions how many versions stay after publishing, the new one among them
 * @param stagingRetention how long leftovers of failed builds stay
 * @param sourcePositions for the manifest, as are the properties
 */
public record BuildSettings(
    int partitions,
    Layout layout,
    KeyStorage keyStorage,
    PerfectHashConstruction perfectHash,
    int signatureBits,
    int blockSize,
    int frameSize,
    int zstdLevel,
    long memoryBytes,
    Duplicates duplicates,
    long minRows,
    double maxShrinkage,
    int retainVersions,
    Duration stagingRetention,
    Map<String, String> sourcePositions,
    Map<String, String> properties)
    implements Serializable {
  /**
   * Checks what {@link #writerOptions} does not.
   *
   * @throws IllegalArgumentException if no version would stay, or there is too little memory
   */
  public BuildSettings {
    if (retainVersions < 1) {
      throw new IllegalArgumentException(
          "retain-versions: expected>=1, for the new version is one of them, actual="
              + retainVersions);
    }
    if (memoryBytes < WriterOptions.MIN_MEMORY_BYTES) {
      throw new IllegalArgumentException(
          "sink.memory: expected>=%d mb actual=%d bytes"
              .formatted(WriterOptions.MIN_MEMORY_BYTES >> 20, memoryBytes));
    }
    sourcePositions = Map.copyOf(sourcePositions);
    properties = Map.copyOf(properties);
  }

  /**
   * The writer's options for a table.
   *
   * @throws IllegalArgumentException if they are out of range or contradict each other
   */
  public WriterOptions writerOptions(DeclaredTable table) {
    WriterOptions.Builder options = WriterOptions.builder();
    options
        .partitions(partitions)
        .layout(layout)
        .perfectHash(perfectHash)
        .signatureBits(signatureBits)
        .blockSize(blockSize)
        .frameSize(frameSize)
        .zstdLevel(zstdLevel)
        .memoryBytes(memoryBytes)
        .duplicates(duplicates)
        .minRows(minRows)
        .maxShrinkage(maxShrinkage)
        .sourcePositions(sourcePositions)
        .properties(properties)
        .schema(table.schema());
    if (keyStorage == KeyStorage.OMITTED) {
      options.approximate();
    }
    return options.build();
  }
}
