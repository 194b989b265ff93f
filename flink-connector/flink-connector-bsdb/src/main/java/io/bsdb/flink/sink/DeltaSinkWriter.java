package io.bsdb.flink.sink;

import io.bsdb.table.SegmentFile;
import io.bsdb.table.TableStorage;
import io.bsdb.writer.SegmentFiles;
import java.io.IOException;
import java.util.List;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.java.tuple.Tuple3;

/** Appends the changes of the keys that come to this task to a segment per checkpoint. */
final class DeltaSinkWriter
    implements CommittingSinkWriter<Tuple3<byte[], byte[], Boolean>, SegmentFile> {
  private final TableStorage storage;
  private SegmentFiles files;

  DeltaSinkWriter(TableStorage storage) {
    this.storage = storage;
    this.files = new SegmentFiles(storage);
  }

  @Override
  public void write(Tuple3<byte[], byte[], Boolean> change, Context context) throws IOException {
    if (change.f2) {
      files.delete(change.f0);
    } else {
      files.put(change.f0, change.f1);
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
