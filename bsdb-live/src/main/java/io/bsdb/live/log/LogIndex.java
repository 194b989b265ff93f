package io.bsdb.live.log;

import io.bsdb.format.ValueReader;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.reader.overlay.ChangeRecords;
import io.bsdb.reader.overlay.ChangeTable;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The changes in the segments of a log, and the positions of sources. One thread at a time adds,
 * many look up meanwhile.
 */
public final class LogIndex implements Closeable {
  private final ChangeTable changes = ChangeTable.growing();
  private volatile Map<String, String> positions = Map.of();

  public LogIndex() throws IOException {}

  /**
   * Adds a record of a segment.
   *
   * @return the high word of the hash of its key; 0 of a position
   */
  long add(int segment, ChangeKind kind, int record) throws IOException {
    long address = ChangeRecords.address(segment, record);
    if (kind != ChangeKind.POSITION) {
      return changes.put(address);
    }
    Map<String, String> after = new HashMap<>(positions);
    after.put(
        new String(records().copyKey(address), StandardCharsets.UTF_8),
        new String(records().copyValue(address), StandardCharsets.UTF_8));
    positions = Map.copyOf(after);
    return 0;
  }

  /** Returns the positions of sources that the records hold. */
  public Map<String, String> positions() {
    return positions;
  }

  /** Returns the changes. */
  public ChangeTable changes() {
    return changes;
  }

  ChangeRecords records() {
    return changes.records();
  }

  /** Lends a value that was found, as {@link ChangeRecords#read} does. */
  public <T> @Nullable T read(long found, int key, ValueReader<T> reader) {
    return records().read(found, key, reader);
  }

  @Override
  public void close() {
    changes.close();
  }
}
