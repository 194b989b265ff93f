package io.bsdb.flink.sink.reload;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.build.SnapshotSinkWriter;
import io.bsdb.flink.sink.change.Change;
import io.bsdb.reader.io.Closing;
import io.bsdb.reload.DifferenceWriter;
import io.bsdb.reload.ReloadReport.Difference;
import io.bsdb.table.AsOf;
import io.bsdb.writer.DuplicateKeyException;
import io.bsdb.writer.SegmentFiles;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.jspecify.annotations.Nullable;

/**
 * Compares the rows that come to this task with its share of a version, and writes what differs.
 */
final class ReloadSinkWriter implements CommittingSinkWriter<Change, Reload> {
  private final DeclaredTable table;
  private final int subtask;
  private final ComparedVersion.Share share;
  private final SegmentFiles files;
  private final DifferenceWriter differences;
  private long read;
  private State state = State.WRITING;

  private enum State {
    WRITING,
    ENDED
  }

  private ReloadSinkWriter(
      DeclaredTable table,
      int subtask,
      ComparedVersion.Share share,
      SegmentFiles files,
      DifferenceWriter differences) {
    this.table = table;
    this.subtask = subtask;
    this.share = share;
    this.files = files;
    this.differences = differences;
  }

  static ReloadSinkWriter open(
      DeclaredTable table,
      BuildSettings settings,
      ComparedVersion version,
      @Nullable AsOf asOf,
      TaskInfo task)
      throws IOException {
    ComparedVersion.Share share =
        version.open(table, settings, version.share(task), List.of(), asOf);
    try {
      SegmentFiles files = new SegmentFiles(table.table().storage());
      return new ReloadSinkWriter(
          table,
          task.getIndexOfThisSubtask(),
          share,
          files,
          new DifferenceWriter(
              share.reader(),
              version.share(task),
              settings.writerOptions(table).duplicates(),
              share::keeps,
              files));
    } catch (RuntimeException | Error e) {
      try (share) {
        throw e;
      }
    }
  }

  @Override
  public void write(Change change, Context context) throws IOException {
    read++;
    try {
      differences.add(change.key(), change.requireValue());
    } catch (DuplicateKeyException e) {
      throw SnapshotSinkWriter.refused(table, e);
    }
  }

  @Override
  public void flush(boolean endOfInput) {
    SnapshotSinkWriter.requireEnd(table, endOfInput);
    state = State.ENDED;
  }

  @Override
  public List<Reload> prepareCommit() throws IOException {
    if (state != State.ENDED) {
      return List.of();
    }
    try {
      Difference found = differences.finish();
      return List.of(new Reload(read, found, Map.of(subtask, files.finish()), null));
    } catch (DuplicateKeyException e) {
      throw SnapshotSinkWriter.refused(table, e);
    }
  }

  @Override
  public void close() throws IOException {
    Closing.all(List.of(files, share));
  }
}
