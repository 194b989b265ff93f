package io.bsdb.flink.scan;

import io.bsdb.flink.row.RowDecoder;
import io.bsdb.reader.SnapshotReader;
import java.io.IOException;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/** The rows of some keys, of those that there are, looked up in batches. */
final class RowsByKey implements SplitRows {
  private static final int BATCH = 256;

  private final SnapshotReader reader;
  private final RowDecoder.Rows rows;
  private final List<byte[]> keys;
  private int next;
  private Iterator<@Nullable RowData> found = Collections.emptyIterator();

  /**
   * @param keys as the version has them
   */
  RowsByKey(SnapshotReader reader, RowDecoder decoder, List<byte[]> keys) {
    this.reader = reader;
    this.rows = decoder.rows();
    this.keys = keys;
  }

  @Override
  public @Nullable RowData next() throws IOException {
    while (found.hasNext() || next < keys.size()) {
      if (!found.hasNext()) {
        List<byte[]> batch = keys.subList(next, Math.min(next + BATCH, keys.size()));
        next += batch.size();
        found =
            reader
                .getAll(
                    batch,
                    (i, bytes, offset, length) ->
                        rows.of(batch.get(i)).read(i, bytes, offset, length))
                .iterator();
      }
      RowData row = found.next();
      if (row != null) {
        return row;
      }
    }
    return null;
  }
}
