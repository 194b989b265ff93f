package io.bsdb.sql;

import io.bsdb.row.KeyWriter;
import io.bsdb.row.RowWriter;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Records on their way from one thread to another. */
final class Batch {
  private static final int RECORD = 64;

  private final long rowsBefore;
  private final int[] keyLengths;
  private final int[] ends;
  private final @Nullable String[] refusals;
  private byte[] bytes;
  private int count;
  private int length;

  Batch(long rowsBefore, int rows) {
    this.rowsBefore = rowsBefore;
    this.keyLengths = new int[rows];
    this.ends = new int[rows];
    this.refusals = new String[rows];
    this.bytes = new byte[rows * RECORD];
  }

  /**
   * Adds a record.
   *
   * @throws IllegalArgumentException if key or value is not complete
   */
  void add(KeyWriter key, RowWriter value) {
    int keyLength = copy(key);
    int valueLength = value.writeTo(bytes, length + keyLength);
    if (valueLength < 0) {
      int needed = Math.addExact(length + keyLength, -1 - valueLength);
      bytes = Arrays.copyOf(bytes, (int) Math.max(needed, Math.min(1 << 30, 2L * bytes.length)));
      valueLength = value.writeTo(bytes, length + keyLength);
    }
    end(keyLength, valueLength);
  }

  /** Adds an ended row. Throws what {@link #add} throws. */
  void addEnded(KeyWriter key) {
    byte[] ended = RowWriter.ended();
    int keyLength = copy(key);
    reserve(keyLength + ended.length);
    System.arraycopy(ended, 0, bytes, length + keyLength, ended.length);
    end(keyLength, ended.length);
  }

  private int copy(KeyWriter key) {
    int keyLength = key.length();
    reserve(keyLength);
    System.arraycopy(key.buffer(), 0, bytes, length, keyLength);
    return keyLength;
  }

  private void reserve(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
    }
  }

  private void end(int keyLength, int valueLength) {
    keyLengths[count] = keyLength;
    length += keyLength + valueLength;
    ends[count++] = length;
  }

  /** Returns how many bytes the records have. */
  int length() {
    return length;
  }

  /** Adds a row that cannot be a record. */
  void refuse(String reason) {
    refusals[count] = reason;
    ends[count++] = length;
  }

  void drainTo(RecordSink sink) throws IOException {
    int start = 0;
    for (int i = 0; i < count; i++) {
      long row = rowsBefore + i + 1;
      String refusal = refusals[i];
      if (refusal != null) {
        sink.refuse(row, refusal);
      } else {
        sink.add(bytes, start, keyLengths[i], ends[i] - start - keyLengths[i], row);
      }
      start = ends[i];
    }
  }
}
