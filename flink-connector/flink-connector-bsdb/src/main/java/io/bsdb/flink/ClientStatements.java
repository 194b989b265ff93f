package io.bsdb.flink;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.TableUpkeep;
import io.bsdb.flink.sink.build.Publication;
import io.bsdb.flink.sink.build.SnapshotCommitter;
import io.bsdb.flink.sink.stream.DeltaCommitter;
import io.bsdb.table.Table;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotPublisher;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.api.ValidationException;

/** Statements that run in the client, without a job. */
record ClientStatements(DeclaredTable declared, BuildSettings settings) {
  /**
   * Deletes keys, whether or not there are such rows.
   *
   * @throws ValidationException if the table does not have the columns that are declared, or does
   *     not store its keys
   */
  void delete(List<byte[]> keys) throws IOException {
    Table table = declared.table();
    try (DeltaWriter delta = DeltaWriter.create(table)) {
      DeltaCommitter.requireMatch(declared, table.manifest(table.requireCurrentVersion()));
      for (byte[] key : keys) {
        delta.delete(key);
      }
      delta.publish();
    } catch (IllegalArgumentException e) {
      throw new ValidationException(String.valueOf(e.getMessage()), e);
    }
    try (TableUpkeep upkeep =
        new TableUpkeep(declared, table, settings, new UnregisteredMetricsGroup())) {
      upkeep.tidyUp(settings.retainVersions());
    }
  }

  /**
   * Puts a version without rows in service.
   *
   * @throws ValidationException if the settings do not allow it
   */
  void truncate() throws IOException {
    Table table = declared.table();
    if (table.currentVersion() == null) {
      SnapshotPublisher.publishEmpty(
          table, settings.partitions(), settings.writerOptions(declared));
      return;
    }
    try (SnapshotCommitter committer = new SnapshotCommitter(declared, settings, table.begin())) {
      committer.publish(new Publication(List.of()));
      committer.tidyUp();
    } catch (SuppressRestartsException e) {
      // The exception itself shows only that it is final.
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      if (cause instanceof ValidationException refused) {
        throw refused;
      }
      throw new ValidationException(
          "table %s cannot be truncated: %s".formatted(declared.name(), cause.getMessage()), e);
    }
  }
}
