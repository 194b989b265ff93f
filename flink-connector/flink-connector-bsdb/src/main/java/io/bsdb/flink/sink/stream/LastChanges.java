package io.bsdb.flink.sink.stream;

import io.bsdb.flink.sink.change.Change;
import io.bsdb.writer.SegmentFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Holds changes back until their checkpoint, so that of several changes of a key the last one alone
 * is written. Memory is bounded: what does not fit is written, beginning with the key that changed
 * least recently, so keys that change often are still written once. A key's changes reach the
 * segments in order. Used by one thread.
 */
final class LastChanges {
  /** Memory of the changes of a writer. */
  static final int MAX_BYTES = 16 << 20;

  /** Memory of an entry beside the bytes of key and value: its objects and their headers. */
  static final int ENTRY_BYTES = 200;

  private final int maxBytes;
  private final Map<ByteBuffer, Change> changes = new LinkedHashMap<>(16, 0.75f, true);
  private int bytes;

  LastChanges(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Adds a change, and writes the oldest ones if there are too many. */
  void add(Change change, SegmentFiles target) throws IOException {
    Change before = changes.put(ByteBuffer.wrap(change.key()), change);
    bytes += size(change) - (before == null ? 0 : size(before));
    Iterator<Change> oldest = changes.values().iterator();
    while (bytes > maxBytes) {
      Change next = oldest.next();
      oldest.remove();
      write(next, target);
    }
  }

  /** Writes all changes. */
  void flush(SegmentFiles target) throws IOException {
    for (Change change : changes.values()) {
      write(change, target);
    }
    changes.clear();
  }

  private void write(Change change, SegmentFiles target) throws IOException {
    bytes -= size(change);
    byte[] value = change.value();
    if (value == null) {
      target.delete(change.key());
    } else {
      target.put(change.key(), value);
    }
  }

  private static int size(Change change) {
    byte[] value = change.value();
    return ENTRY_BYTES + change.key().length + (value == null ? 0 : value.length);
  }
}
