package io.bsdb.flink;

import io.bsdb.reload.Publish;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a statement that writes a table.
 *
 * @param parallelism of the writers; null for Flink's choice
 * @param stream id of the stream that a streaming job writes
 * @param keepChangesAfter a version that the input of a build is at least as new as; null if
 *     unknown
 * @param keepsOtherColumns whether an INSERT keeps the columns that it does not name; else it must
 *     name all
 * @param publish what a statement publishes that gives all rows
 */
record WriteSettings(
    @Nullable Integer parallelism,
    String stream,
    @Nullable String keepChangesAfter,
    boolean keepsOtherColumns,
    Publish publish) {}
