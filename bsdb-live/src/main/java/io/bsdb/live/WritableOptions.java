package io.bsdb.live;

import io.bsdb.reader.options.KeyShare;
import io.bsdb.reader.options.ReaderOptions;
import java.util.Objects;

/**
 * Options of {@link WritableTable#open}.
 *
 * @param durability when a change counts as written
 * @param reader how the version under the log is read
 * @param maxChangedKeys number of changed keys at which all of them are folded, whatever their
 *     fraction of the table; writers are slowed down above 1.5 times as many, and wait at twice as
 *     many
 * @param compactionBytesPerSecond maximum rate at which keys and values are folded, unless writers
 *     would have to wait
 * @param maxSpace maximum size of all files of the table, as a multiple of its records and at least
 *     256 MB: changes are folded so that it is kept. At least 2; a larger one writes less, a
 *     smaller one makes lookups faster
 * @param maxChangedFraction fraction of all keys at which changed keys are folded; for tables that
 *     are read more than written
 */
public record WritableOptions(
    Durability durability,
    ReaderOptions reader,
    long maxChangedKeys,
    long compactionBytesPerSecond,
    double maxSpace,
    double maxChangedFraction) {
  /** Checks that nothing is missing. */
  public WritableOptions {
    Objects.requireNonNull(durability, "durability");
    Objects.requireNonNull(reader, "reader");
    if (reader.share().count() > 1) {
      throw new IllegalArgumentException(
          "a writable table reads all keys, since it folds all: expected share=%s actual=%s"
              .formatted(KeyShare.ALL, reader.share()));
    }
    requirePositive("maximum of changed keys", maxChangedKeys);
    requirePositive("bytes per second", compactionBytesPerSecond);
    if (!(maxSpace >= 2)) {
      throw new IllegalArgumentException("maximum space: expected>=2 actual=" + maxSpace);
    }
    if (!(maxChangedFraction > 0)) {
      throw new IllegalArgumentException(
          "maximum changed fraction: expected>0 actual=" + maxChangedFraction);
    }
  }

  private static void requirePositive(String what, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(what + ": expected>=1 actual=" + value);
    }
  }

  /**
   * Returns {@link Durability#COMMIT}, the reader's defaults, 16 million changed keys, 50 MB per
   * second, 2.5 times the space of the records, and no limit of the changed fraction.
   */
  public static WritableOptions defaults() {
    return new WritableOptions(
        Durability.COMMIT,
        ReaderOptions.defaults(),
        16_000_000,
        50_000_000,
        2.5,
        Double.POSITIVE_INFINITY);
  }

  /** Returns these options with a different durability. */
  public WritableOptions withDurability(Durability other) {
    return new WritableOptions(
        other, reader, maxChangedKeys, compactionBytesPerSecond, maxSpace, maxChangedFraction);
  }

  /** Returns these options with a different way to read the version under the log. */
  public WritableOptions withReader(ReaderOptions other) {
    return new WritableOptions(
        durability, other, maxChangedKeys, compactionBytesPerSecond, maxSpace, maxChangedFraction);
  }

  /** Returns these options with a different limit of changed keys. */
  public WritableOptions withMaxChangedKeys(long other) {
    return new WritableOptions(
        durability, reader, other, compactionBytesPerSecond, maxSpace, maxChangedFraction);
  }

  /** Returns these options with a different rate of folding. */
  public WritableOptions withCompactionBytesPerSecond(long other) {
    return new WritableOptions(
        durability, reader, maxChangedKeys, other, maxSpace, maxChangedFraction);
  }

  /** Returns these options with a different limit of space. */
  public WritableOptions withMaxSpace(double other) {
    return new WritableOptions(
        durability, reader, maxChangedKeys, compactionBytesPerSecond, other, maxChangedFraction);
  }

  /** Returns these options with a different limit of the changed fraction. */
  public WritableOptions withMaxChangedFraction(double other) {
    return new WritableOptions(
        durability, reader, maxChangedKeys, compactionBytesPerSecond, maxSpace, other);
  }
}
