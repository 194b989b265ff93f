package io.bsdb.flink.scan;

import io.bsdb.flink.row.RowDecoder;
import io.bsdb.reader.SnapshotReader;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/** The rows of some keys, of those that there are. */
final class RowsByKey implements SplitRows {
  private final SnapshotReader reader;
  private final RowDecoder decoder;
  private final Iterator<byte[]> keys;

  /**
   * @param keys as the version has them
   */
  RowsByKey(SnapshotReader reader, RowDecoder decoder, List<byte[]> keys) {
    this.reader = reader;
    this.decoder = decoder;
    this.keys = keys.iterator();
  }

  @Override
  public @Nullable RowData next() throws IOException {
    while (keys.hasNext()) {
      byte[] key = keys.next();
      byte[] value = reader.get(key);
      if (value != null) {
        return decoder.decode(key, value);
      }
    }
    return null;
  }
}
