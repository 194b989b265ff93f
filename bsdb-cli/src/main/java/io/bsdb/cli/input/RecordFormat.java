package io.bsdb.cli.input;

import io.bsdb.cli.output.Encoding;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Finds records in an input, or changes: records to put, and keys to delete. */
public interface RecordFormat {
  /** Takes what an input holds. The arrays are the caller's and change after the call. */
  @FunctionalInterface
  interface Sink {
    /**
     * Takes a record.
     *
     * @param line on which it began, from 1
     */
    void add(
        byte[] key,
        int keyOffset,
        int keyLength,
        byte[] value,
        int valueOffset,
        int valueLength,
        long line)
        throws IOException;

    /** Takes a key to delete; only formats of changes have such. */
    default void delete(byte[] key, int offset, int length, long line) throws IOException {
      throw new UnsupportedOperationException("a format of records deletes nothing");
    }
  }

  /**
   * Reads an input to its end.
   *
   * @param stored is increased by the bytes read
   * @param badLines handles each line that is not a record
   */
  void read(InputFile file, AtomicLong stored, Sink sink, BadLines badLines) throws IOException;

  /** Returns the schema of the rows; null if keys and values are plain bytes. */
  default @Nullable Schema schema() {
    return null;
  }

  /** Returns the same format, with another encoding of keys if it has a schema. */
  default RecordFormat withKeyEncoding(KeyEncoding encoding) {
    return this;
  }

  /**
   * Returns the same format for rows of a history: a BOOLEAN column of the input, called as {@code
   * bsdb scan --history} calls it, is none of the table and shows which rows are ended.
   */
  default RecordFormat withEnded() {
    return this;
  }

  /** Returns a key as messages show it. */
  default String describe(byte[] key) {
    Schema schema = schema();
    return schema == null
        ? Encoding.excerpt(key, 0, key.length)
        : RowJsonWriter.of(schema).key(key);
  }

  /** Returns whether key and value are short enough; if not, {@code badLines} has heard of it. */
  static boolean fit(int keyLength, int valueLength, String name, long line, BadLines badLines) {
    boolean keyFits = keyLength <= SnapshotFormat.MAX_KEY_LENGTH;
    boolean fits = keyFits && valueLength <= SnapshotFormat.MAX_VALUE_LENGTH;
    if (!fits) {
      badLines.found(
          name,
          line,
          "the %s is too long: %,d bytes, at most %,d"
              .formatted(
                  keyFits ? "value" : "key",
                  keyFits ? valueLength : keyLength,
                  keyFits ? SnapshotFormat.MAX_VALUE_LENGTH : SnapshotFormat.MAX_KEY_LENGTH));
    }
    return fits;
  }
}
