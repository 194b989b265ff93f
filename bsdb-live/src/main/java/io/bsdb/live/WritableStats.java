package io.bsdb.live;

/**
 * The state of a writable table and what it has done since it was opened.
 *
 * @param changedKeys keys with a change in the log, deleted ones included
 * @param indexBytes memory of the index of changed keys, off the heap
 * @param segments files of the log
 * @param logBytes length of these files, preallocated space included
 * @param changes puts and deletes written
 * @param groups groups of changes written, each with one write
 * @param syncs how often the log was forced to disk
 */
public record WritableStats(
    long changedKeys,
    long indexBytes,
    int segments,
    long logBytes,
    long changes,
    long groups,
    long syncs) {}
