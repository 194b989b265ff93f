package io.bsdb.flink.sink.stream;

import io.bsdb.flink.sink.change.Change;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.storage.TableStorage;
import io.bsdb.writer.SegmentFiles;
import java.io.IOException;
import java.util.List;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the last change of each key that comes to this task into a segment per checkpoint; more
 * than one of a key only if the keys in between do not fit memory.
 */
final class DeltaSinkWriter implements CommittingSinkWriter<Change, SegmentFile> {
  private static final Logger LOG = LoggerFactory.getLogger(DeltaSinkWriter.class);

  private final TableStorage storage;
  private final LastChanges changes;
  private SegmentFiles files;

  DeltaSinkWriter(TableStorage storage) {
    this(storage, LastChanges.MAX_BYTES);
  }

  /**
   * @param maxBytes memory of changes that are held back
   */
  DeltaSinkWriter(TableStorage storage, int maxBytes) {
    this.storage = storage;
    this.changes = new LastChanges(maxBytes);
    this.files = new SegmentFiles(storage);
  }

  @Override
  public void write(Change change, Context context) throws IOException {
    changes.add(change, files);
  }

  /** Segments are sealed for commits only. */
  @Override
  public void flush(boolean endOfInput) {}

  @Override
  public List<SegmentFile> prepareCommit() throws IOException {
    changes.flush(files);
    List<SegmentFile> sealed = files.finish();
    files = new SegmentFiles(storage);
    return sealed;
  }

  /**
   * Deletes what is not sealed. What cannot be deleted is left to the sweep of the table: Flink
   * ends the process if a task that has failed cannot be closed.
   */
  @Override
  public void close() {
    try {
      files.close();
    } catch (IOException e) {
      LOG.warn(
          "Segments that were not sealed could not be deleted: table={}. A later sweep of the table deletes them.",
          storage,
          e);
    }
  }
}
