package io.bsdb.live;

import io.bsdb.reader.options.ReaderOptions;
import java.util.Objects;

/**
 * Options of {@link WritableTable#open}.
 *
 * @param durability when a change counts as written
 * @param reader how the version under the log is read
 * @param maxChangedKeys changed keys from which on all of them are folded, whatever their fraction
 *     of the table; beyond one and a half times as many writers are slowed down, at twice as many
 *     they wait
 * @param compactionBytesPerSecond maximum rate at which keys and values are folded
 */
public record WritableOptions(
    Durability durability,
    ReaderOptions reader,
    long maxChangedKeys,
    long compactionBytesPerSecond) {
  /** Checks that nothing is missing. */
  public WritableOptions {
    Objects.requireNonNull(durability, "durability");
    Objects.requireNonNull(reader, "reader");
    requirePositive("maximum of changed keys", maxChangedKeys);
    requirePositive("bytes per second", compactionBytesPerSecond);
  }

  private static void requirePositive(String what, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(what + ": expected>=1 actual=" + value);
    }
  }

  /**
   * Returns {@link Durability#COMMIT}, the reader's defaults, 16 million changed keys and 50 MB per
   * second.
   */
  public static WritableOptions defaults() {
    return new WritableOptions(Durability.COMMIT, ReaderOptions.defaults(), 16_000_000, 50_000_000);
  }

  /** Returns these options with another durability. */
  public WritableOptions withDurability(Durability other) {
    return new WritableOptions(other, reader, maxChangedKeys, compactionBytesPerSecond);
  }

  /** Returns these options with another way to read the version under the log. */
  public WritableOptions withReader(ReaderOptions other) {
    return new WritableOptions(durability, other, maxChangedKeys, compactionBytesPerSecond);
  }

  /** Returns these options with another limit of changed keys. */
  public WritableOptions withMaxChangedKeys(long other) {
    return new WritableOptions(durability, reader, other, compactionBytesPerSecond);
  }

  /** Returns these options with another rate of folding. */
  public WritableOptions withCompactionBytesPerSecond(long other) {
    return new WritableOptions(durability, reader, maxChangedKeys, other);
  }
}
