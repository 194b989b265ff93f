package io.bsdb.live;

/**
 * The state of a writable table and what it has done since it was opened.
 *
 * @param changedKeys keys with a change in the log, deleted ones included; those that are being
 *     published count twice if they changed again
 * @param publishedKeys keys with a change that is published and not folded
 * @param indexBytes memory of the indexes of changed keys, off the heap
 * @param segments files of the log
 * @param logBytes length of these files, preallocated space included
 * @param changes puts and deletes written
 * @param groups groups of changes written, each with one write
 * @param syncs how often the log was forced to disk
 * @param publications how often changes were published
 * @param folds how many partitions were folded
 */
public record WritableStats(
    long changedKeys,
    long publishedKeys,
    long indexBytes,
    int segments,
    long logBytes,
    long changes,
    long groups,
    long syncs,
    long publications,
    long folds) {}
