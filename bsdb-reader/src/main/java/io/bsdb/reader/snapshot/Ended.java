package io.bsdb.reader.snapshot;

import io.bsdb.format.LentBytes;
import io.bsdb.format.ValueReader;
import io.bsdb.row.RowLayout;
import io.bsdb.table.manifest.Manifest;

/** Whether a reader shows the ended rows of a history. */
public enum Ended {
  /** Shows them as they are stored, to copy, compare or verify them. */
  SHOWN,

  /** Hides them: their keys are absent. */
  HIDDEN;

  /** Stands for the value of a key that is absent or whose row is hidden. */
  public static final Object ABSENT = new Object();

  /** Reads whether a row is ended. */
  public static final ValueReader<Boolean> TEST =
      (key, bytes, offset, length) -> isEnded(bytes, offset, length);

  /** Returns what readers of a version do by default. */
  public static Ended of(Manifest manifest) {
    return manifest.validity() == null ? SHOWN : HIDDEN;
  }

  /** Returns a reader that answers {@link #ABSENT} for rows that are hidden. */
  @SuppressWarnings("unchecked") // callers compare the answer before they use it
  public <T> ValueReader<T> in(ValueReader<T> reader) {
    return this == SHOWN
        ? reader
        : (key, bytes, offset, length) ->
            isEnded(bytes, offset, length) ? (T) ABSENT : reader.read(key, bytes, offset, length);
  }

  private static boolean isEnded(LentBytes bytes, int offset, int length) {
    return length == 1 && bytes.byteAt(offset) == RowLayout.ENDED;
  }
}
