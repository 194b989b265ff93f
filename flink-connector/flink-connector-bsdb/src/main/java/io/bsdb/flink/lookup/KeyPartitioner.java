package io.bsdb.flink.lookup;

import io.bsdb.flink.row.KeyEncoder;
import io.bsdb.reader.options.KeyShare;
import org.apache.flink.table.connector.source.abilities.SupportsLookupCustomShuffle.InputDataPartitioner;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * Sends each row to the subtask whose share of the keys its key belongs to. A row with NULL in its
 * key has no match, and goes to the first subtask.
 */
public final class KeyPartitioner implements InputDataPartitioner {
  private static final long serialVersionUID = 1L;

  private final LookupSpec spec;
  private transient @Nullable KeyEncoder encoder;

  public KeyPartitioner(LookupSpec spec) {
    this.spec = spec;
  }

  @Override
  public int partition(RowData compared, int subtasks) {
    KeyEncoder keys = encoder;
    if (keys == null) {
      keys =
          KeyEncoder.of(
              spec.table().schema(),
              spec.table(),
              spec.question().columns().stream().mapToInt(Integer::intValue).toArray());
      encoder = keys;
    }
    byte[] key = keys.encode(compared);
    return key == null ? 0 : KeyShare.indexOf(key, subtasks);
  }
}
