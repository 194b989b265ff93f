package io.bsdb.flink.sink.build;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.TemporaryDirectory;
import io.bsdb.flink.sink.change.Change;
import io.bsdb.row.text.RowJsonWriter;
import io.bsdb.table.Build;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.BuildWorker;
import io.bsdb.writer.DuplicateKeyException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.api.ValidationException;
import org.jspecify.annotations.Nullable;

/** Builds the files of the partitions whose records come to this task. */
public final class SnapshotSinkWriter implements CommittingSinkWriter<Change, BuiltFile> {
  private final DeclaredTable table;
  private final BuildWorker writer;
  private final TemporaryDirectory temporary;
  private final @Nullable FirstKeys ranges;
  private boolean ended;

  private SnapshotSinkWriter(
      DeclaredTable table,
      BuildWorker writer,
      TemporaryDirectory temporary,
      @Nullable FirstKeys ranges) {
    this.table = table;
    this.writer = writer;
    this.temporary = temporary;
    this.ranges = ranges;
  }

  /**
   * Begins to build the share of one task.
   *
   * @param partitions number of all of the build
   */
  public static SnapshotSinkWriter create(
      DeclaredTable table,
      BuildSettings settings,
      Build build,
      int partitions,
      WriterInitContext context)
      throws IOException {
    String attempt = attempt(context.getTaskInfo());
    TemporaryDirectory temporary =
        TemporaryDirectory.create(
            TemporaryDirectory.parentFor(context),
            build.version() + "-" + attempt,
            settings.stagingRetention());
    BuildWorker writer =
        BuildWorker.create(
            table.table(),
            build,
            partitions,
            attempt,
            temporary.path().resolve("spill"),
            settings.writerOptions(table));
    return new SnapshotSinkWriter(
        table, writer, temporary, settings.order() == RecordOrder.KEY ? new FirstKeys() : null);
  }

  /** Returns a part of names of files that no other attempt of any task uses. */
  private static String attempt(TaskInfo task) {
    return String.format(
        Locale.ROOT,
        "%d-%d-%s",
        task.getIndexOfThisSubtask(),
        task.getAttemptNumber(),
        UUID.randomUUID().toString().substring(0, 8));
  }

  @Override
  public void write(Change change, Context context) throws IOException {
    if (ranges != null) {
      ranges.add(change.key(), change.requireRange());
    }
    writer.add(change.key(), change.requireValue());
  }

  @Override
  public void flush(boolean endOfInput) {
    requireEnd(table, endOfInput);
    ended = true;
  }

  /** Refuses checkpoints. */
  public static void requireEnd(DeclaredTable table, boolean endOfInput) {
    if (!endOfInput) {
      throw new SuppressRestartsException(
          new ValidationException(
              "table %s is built as a whole, when its input has ended: run the job in batch mode, without checkpoints"
                  .formatted(table.name())));
    }
  }

  @Override
  public List<BuiltFile> prepareCommit() throws IOException {
    if (!ended) {
      return List.of();
    }
    try {
      int splitters = ranges == null ? 0 : ranges.splitters();
      return build().stream().map(file -> new BuiltFile(file, splitters)).toList();
    } catch (DuplicateKeyException e) {
      throw refused(table, e);
    }
  }

  public static SuppressRestartsException refused(DeclaredTable table, DuplicateKeyException e) {
    return new SuppressRestartsException(
        new ValidationException(
            "two rows have the same primary key: table=%s key=%s; remove one of them, or set 'sink.duplicates' = 'first' or 'last'"
                .formatted(table.name(), RowJsonWriter.of(table.schema()).key(e.key())),
            e));
  }

  private List<PartitionFile> build() throws IOException {
    return ranges == null || ranges.firstKeys().isEmpty()
        ? writer.finish()
        : writer.finish(ranges.firstKeys());
  }

  @Override
  public void close() throws IOException {
    try (temporary) {
      writer.close();
    }
  }
}
