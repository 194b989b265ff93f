package io.bsdb.flink.sink.reload;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.TemporaryDirectory;
import io.bsdb.flink.sink.build.SnapshotSinkWriter;
import io.bsdb.reader.RecordCursor;
import io.bsdb.table.Build;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.BuildWorker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableSummary;
import org.apache.flink.streaming.api.connector.sink2.CommittableWithLineage;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Builds all partitions of a reload if much differs: each task those of its share, of the compared
 * version and the changes that were written of them. Otherwise hands on the reload as it is.
 */
final class BaseOperator extends AbstractStreamOperator<CommittableMessage<Reload>>
    implements OneInputStreamOperator<CommittableMessage<Reload>, CommittableMessage<Reload>>,
        BoundedOneInput {
  private static final long serialVersionUID = 1L;

  private final DeclaredTable table;
  private final BuildSettings settings;
  private final Build build;
  private final ComparedVersion version;
  private final long maxDiffering;
  private transient @Nullable CommittableWithLineage<Reload> received;

  /**
   * @param maxDiffering rows that may differ before a base is built
   */
  BaseOperator(
      DeclaredTable table,
      BuildSettings settings,
      Build build,
      ComparedVersion version,
      long maxDiffering) {
    this.table = table;
    this.settings = settings;
    this.build = build;
    this.version = version;
    this.maxDiffering = maxDiffering;
  }

  @Override
  public void processElement(StreamRecord<CommittableMessage<Reload>> element) {
    if (element.getValue() instanceof CommittableWithLineage<Reload> reload) {
      received = reload;
    }
  }

  @Override
  public void endInput() throws IOException {
    if (received == null) {
      throw new IOException("no reload was received: table=" + table.name());
    }
    Reload reload = received.getCommittable();
    TaskInfo task = getRuntimeContext().getTaskInfo();
    List<PartitionFile> built =
        reload.difference().differing() > maxDiffering ? build(reload, task) : null;
    boolean isFirst = task.getIndexOfThisSubtask() == 0;
    emit(
        built == null
            ? (isFirst ? reload : null)
            : isFirst ? reload.withBase(built) : Reload.partOfBase(version.name(), built),
        task,
        received.getCheckpointId());
  }

  private void emit(@Nullable Reload reload, TaskInfo task, long checkpointId) {
    int subtask = task.getIndexOfThisSubtask();
    output.collect(
        new StreamRecord<>(
            new CommittableSummary<>(
                subtask,
                task.getNumberOfParallelSubtasks(),
                checkpointId,
                reload == null ? 0 : 1,
                0)));
    if (reload != null) {
      output.collect(
          new StreamRecord<>(new CommittableWithLineage<>(reload, checkpointId, subtask)));
    }
  }

  private List<PartitionFile> build(Reload reload, TaskInfo task) throws IOException {
    IntPredicate partitions = version.share(task);
    String attempt = SnapshotSinkWriter.attempt(task);
    try (TemporaryDirectory temporary =
            TemporaryDirectory.create(
                TemporaryDirectory.parentFor(getRuntimeContext()),
                build.version() + "-" + attempt,
                settings.stagingRetention());
        ComparedVersion.Share share =
            version.open(
                table,
                settings,
                partitions,
                reload.segments(partitions, version.partitioning().count()),
                null);
        BuildWorker worker = worker(attempt, temporary.path())) {
      TreeMap<Integer, byte[]> firstKeys = new TreeMap<>();
      for (int partition = 0; partition < version.partitioning().count(); partition++) {
        if (partitions.test(partition)) {
          add(partition, share, worker, firstKeys);
        }
      }
      return settings.order() == RecordOrder.KEY && !firstKeys.isEmpty()
          ? worker.finish(firstKeys)
          : worker.finish();
    }
  }

  private BuildWorker worker(String attempt, Path temporary) {
    return BuildWorker.create(
        table.table(),
        build,
        version.partitioning().count(),
        attempt,
        temporary.resolve("spill"),
        settings.writerOptions(table));
  }

  private static void add(
      int partition,
      ComparedVersion.Share share,
      BuildWorker worker,
      Map<Integer, byte[]> firstKeys)
      throws IOException {
    try (RecordCursor records = share.reader().scan(partition)) {
      while (records.next()) {
        byte[] key = records.key();
        firstKeys.putIfAbsent(partition, key); // the least one, in key order
        worker.add(key, records.value());
      }
    }
  }
}
