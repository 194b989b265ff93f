package io.bsdb.live;

import org.jspecify.annotations.Nullable;

/**
 * The state of a writable table and its work since it was opened: made for gauges and counters of a
 * metrics library, which asks every few seconds.
 *
 * @param writes since it was opened
 * @param memory of the index of changed keys
 * @param disk space of the files
 * @param upkeep work in the background
 */
public record WritableStats(Writes writes, Memory memory, Disk disk, Upkeep upkeep) {
  /**
   * Writes since the table was opened.
   *
   * @param changes puts and deletes
   * @param groups groups of changes, each written at once
   * @param syncs how often the log was forced to disk
   */
  public record Writes(long changes, long groups, long syncs) {}

  /**
   * Changed keys, deleted ones included.
   *
   * @param logKeys keys with a change in the log; those that are being published count twice if
   *     they changed again
   * @param publishedKeys keys with a change that is published and not folded
   * @param indexBytes bytes of the indexes of all these keys, off the heap
   */
  public record Memory(long logKeys, long publishedKeys, long indexBytes) {}

  /**
   * Space on the disk, in bytes.
   *
   * @param logFiles files of the log whose changes are not published
   * @param logBytes length of these files, preallocated space included
   * @param changeBytes published changes that are not folded
   * @param partitionBytes partition files of the version in service
   * @param totalBytes all files in the table's directory, old versions included
   */
  public record Disk(
      int logFiles, long logBytes, long changeBytes, long partitionBytes, long totalBytes) {}

  /**
   * Work in the background.
   *
   * @param publications how often changes were published
   * @param folds how many partitions were folded
   * @param load changes that wait for it, as a fraction of those at which it begins: writers are
   *     slowed down from 1.5, and wait at 2
   * @param failure why the last publication, fold or deletion of old versions in the background
   *     failed; it is tried again. Null if it did not fail.
   */
  public record Upkeep(long publications, long folds, double load, @Nullable Throwable failure) {}
}
