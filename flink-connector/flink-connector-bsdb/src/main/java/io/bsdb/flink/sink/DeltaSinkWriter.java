package io.bsdb.flink.sink;

import io.bsdb.table.SegmentFile;
import io.bsdb.table.TableStorage;
import io.bsdb.writer.SegmentFiles;
import java.io.IOException;
import java.util.List;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;

/** Appends the changes of the keys that come to this task to a segment per checkpoint. */
final class DeltaSinkWriter implements CommittingSinkWriter<Change, SegmentFile> {
  private final TableStorage storage;
  private SegmentFiles files;

  DeltaSinkWriter(TableStorage storage) {
    this.storage = storage;
    this.files = new SegmentFiles(storage);
  }

  @Override
  public void write(Change change, Context context) throws IOException {
    byte[] value = change.value();
    if (value == null) {
      files.delete(change.key());
    } else {
      files.put(change.key(), value);
    }
  }

  /** Segments are sealed for commits only. */
  @Override
  public void flush(boolean endOfInput) {}

  @Override
  public List<SegmentFile> prepareCommit() throws IOException {
    List<SegmentFile> sealed = files.finish();
    files = new SegmentFiles(storage);
    return sealed;
  }

  @Override
  public void close() throws IOException {
    files.close();
  }
}
