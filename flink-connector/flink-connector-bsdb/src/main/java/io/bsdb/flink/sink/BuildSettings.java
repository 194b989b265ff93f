package io.bsdb.flink.sink;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.options.WriterOptions;
import java.io.Serializable;
import java.time.Duration;
import java.util.Map;

/**
 * Settings with which a table is built.
 *
 * @param writer the writer's options, as {@link WriterOptions#toMap} gives them
 * @param retainVersions how many versions stay after publishing, the new one among them
 * @param stagingRetention how long leftovers of failed builds stay
 * @param foldsStreams whether a stream folds the changes that it publishes
 */
public record BuildSettings(
    Map<String, String> writer, int retainVersions, Duration stagingRetention, boolean foldsStreams)
    implements Serializable {
  /**
   * Checks what the writer's options do not.
   *
   * @throws IllegalArgumentException if no version would stay
   */
  public BuildSettings {
    if (retainVersions < 1) {
      throw new IllegalArgumentException(
          "retain-versions: expected>=1, for the new version is one of them, actual="
              + retainVersions);
    }
    writer = Map.copyOf(writer);
  }

  /** Returns the same settings, with the properties of a version unless some are declared. */
  public BuildSettings keepingProperties(Manifest version) {
    WriterOptions options = WriterOptions.parse(writer);
    return options.properties().isEmpty()
        ? new BuildSettings(
            options.toBuilder().properties(version.properties()).build().toMap(),
            retainVersions,
            stagingRetention,
            foldsStreams)
        : this;
  }

  /** Returns the number of partition files. */
  public int partitions() {
    return WriterOptions.parse(writer).partitions();
  }

  /** Returns the order of the records. */
  public RecordOrder order() {
    return WriterOptions.parse(writer).order();
  }

  /** Returns the writer's options for a table. */
  public WriterOptions writerOptions(DeclaredTable table) {
    return WriterOptions.parse(writer).toBuilder().schema(table.schema()).build();
  }
}
