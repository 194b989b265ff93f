package io.bsdb.live;

import io.bsdb.reader.options.ReaderOptions;
import java.util.Objects;

/**
 * Options of {@link WritableTable#open}.
 *
 * @param durability when a change counts as written
 * @param reader how the base is read
 */
public record WritableOptions(Durability durability, ReaderOptions reader) {
  /** Checks that nothing is missing. */
  public WritableOptions {
    Objects.requireNonNull(durability, "durability");
    Objects.requireNonNull(reader, "reader");
  }

  /** Returns {@link Durability#COMMIT} and the reader's defaults. */
  public static WritableOptions defaults() {
    return new WritableOptions(Durability.COMMIT, ReaderOptions.defaults());
  }

  /** Returns these options with another durability. */
  public WritableOptions withDurability(Durability other) {
    return new WritableOptions(other, reader);
  }

  /** Returns these options with another way to read the base. */
  public WritableOptions withReader(ReaderOptions other) {
    return new WritableOptions(durability, other);
  }
}
