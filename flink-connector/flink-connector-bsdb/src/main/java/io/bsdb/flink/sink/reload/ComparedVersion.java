package io.bsdb.flink.sink.reload;

import io.bsdb.compact.Workplace;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.TableUpkeep;
import io.bsdb.flink.sink.shuffle.PartitionShuffle;
import io.bsdb.format.io.Closing;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reload.LaterChanges;
import io.bsdb.table.AsOf;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.writer.DeltaWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.jspecify.annotations.Nullable;

/**
 * The version with which an input is compared, the same for all tasks of a job.
 *
 * @param point up to where it has the changes of the table
 * @param partitioning by which its keys are divided among the tasks
 */
record ComparedVersion(AsOf point, Partitioning partitioning) implements Serializable {
  static ComparedVersion of(Manifest manifest) {
    return new ComparedVersion(AsOf.of(manifest), manifest.partitioning());
  }

  String name() {
    return point.version();
  }

  /** Returns which partitions are the share of a task. */
  IntPredicate share(TaskInfo task) {
    int subtask = task.getIndexOfThisSubtask();
    int tasks = task.getNumberOfParallelSubtasks();
    return partition -> PartitionShuffle.task(partition, tasks, partitioning.count()) == subtask;
  }

  /**
   * An open share of the version.
   *
   * @param kept the keys that stay as they are; null for none
   */
  record Share(SnapshotReader reader, @Nullable LaterChanges kept, Workplace workplace)
      implements Closeable {
    boolean keeps(byte[] key) {
      return kept != null && kept.contains(key);
    }

    @Override
    public void close() throws IOException {
      List<Closeable> parts = new ArrayList<>();
      if (kept != null) {
        parts.add(kept);
      }
      parts.add(reader);
      parts.add(workplace);
      Closing.all(parts);
    }
  }

  /**
   * Opens some partitions. They can be read though the version be deleted meanwhile.
   *
   * @param asOf up to where the input has the changes of the table; null if it has all
   */
  Share open(
      DeclaredTable declared, BuildSettings settings, IntPredicate partitions, @Nullable AsOf asOf)
      throws IOException {
    Table table = declared.table();
    Workplace workplace = TableUpkeep.workplace(declared, table, settings);
    SnapshotReader reader = null;
    try {
      Manifest manifest = table.manifest(name());
      reader = workplace.open(manifest, partitions);
      return new Share(
          reader,
          asOf == null ? null : LaterChanges.open(asOf, manifest, table, workplace),
          workplace);
    } catch (IOException | RuntimeException | Error e) {
      if (reader != null) {
        Closing.after(e, reader);
      }
      Closing.after(e, workplace);
      if (e instanceof NoSuchFileException gone) {
        requireInService(table, gone);
      }
      if (e instanceof PublishConflictException) {
        throw new SuppressRestartsException(e);
      }
      throw e;
    }
  }

  /** Explains that files are gone: another version was published, and this one deleted. */
  private void requireInService(Table table, NoSuchFileException gone) throws IOException {
    try {
      DeltaWriter.requireVersion(name(), table.manifest(table.requireCurrentVersion()), table);
    } catch (PublishConflictException e) {
      e.addSuppressed(gone);
      throw new SuppressRestartsException(e);
    }
  }
}
