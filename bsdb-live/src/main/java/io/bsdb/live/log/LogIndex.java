package io.bsdb.live.log;

import io.bsdb.format.ValueReader;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.Segment;
import io.bsdb.reader.overlay.ChangeIndex;
import io.bsdb.reader.overlay.ChangeRecords;
import io.bsdb.reader.overlay.ChangeTable;
import io.bsdb.reader.overlay.Overlay;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The changes in the segments of a log, and the positions of sources. One thread at a time adds,
 * many look up meanwhile.
 */
public final class LogIndex implements Closeable {
  private final ChangeTable changes = ChangeTable.growing();
  private volatile Map<String, String> positions = Map.of();

  public LogIndex() throws IOException {}

  /** Sets what is given indexes that lookups in flight may still use; before the first lookup. */
  public void retireTo(Consumer<ChangeIndex> consumer) {
    changes.retireTo(consumer);
  }

  /** Adds a segment; returns its number in addresses. */
  int addSegment(Segment segment) {
    return changes.addSegment(segment);
  }

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

  /**
   * Finds the newest change of a key.
   *
   * @param hash the high word of the key's hash
   * @return as {@link Overlay#find}
   */
  public long find(byte[] key, long hash) {
    return changes.find(key, hash);
  }

  /** Returns the number of segments. */
  int segmentCount() {
    return records().segmentCount();
  }

  /** Lends a value that was found, as {@link ChangeRecords#read} does. */
  public <T> @Nullable T read(long found, int key, ValueReader<T> reader) {
    return records().read(found, key, reader);
  }

  /** Returns the number of changed keys. */
  public long keys() {
    return changes.keys();
  }

  /** Returns the bytes off the heap. */
  public long indexBytes() {
    return changes.indexBytes();
  }

  @Override
  public void close() {
    changes.close();
  }
}
